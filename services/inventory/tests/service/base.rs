use std::sync::Arc;

use inventory::store::memory::MemoryStore;
use inventory::store::{Books, Goods, Upkeep};
use platform::clock::Clock;

/// A store in memory.
pub struct Base(Arc<MemoryStore>);

impl Base {
    #[expect(clippy::unused_async, reason = "a database takes its time")]
    pub async fn new(_name: &str, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(MemoryStore::new(clock)))
    }

    /// As it is met by a service that starts again.
    #[expect(clippy::unused_async, reason = "a database takes its time")]
    pub async fn again(self) -> Self {
        self
    }

    pub fn goods(&self) -> Arc<dyn Goods> {
        Arc::<MemoryStore>::clone(&self.0)
    }

    pub fn books(&self) -> Arc<dyn Books> {
        Arc::<MemoryStore>::clone(&self.0)
    }

    pub fn upkeep(&self) -> Arc<dyn Upkeep> {
        Arc::<MemoryStore>::clone(&self.0)
    }
}
