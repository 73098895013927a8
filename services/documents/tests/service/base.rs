use std::sync::Arc;

use documents::store::Store;
use documents::store::memory::MemoryStore;

use crate::cases::Tuesday;

/// A store in memory.
pub struct Base(Arc<MemoryStore>);

impl Base {
    #[expect(clippy::unused_async, reason = "a database takes its time")]
    pub async fn new(_name: &str) -> Self {
        Self(Arc::new(MemoryStore::new(Arc::new(Tuesday))))
    }

    /// As it is met by a service that starts again.
    #[expect(clippy::unused_async, reason = "a database takes its time")]
    pub async fn again(self) -> Self {
        self
    }

    pub fn store(&self) -> Arc<dyn Store> {
        Arc::<MemoryStore>::clone(&self.0)
    }
}
