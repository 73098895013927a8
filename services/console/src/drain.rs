//! From a dead-letter queue into the store, one transaction a message before its ack.

use std::sync::Arc;

use adapter_postgres::{PgPool, connection};
use adapter_rabbitmq::received::Received;
use adapter_rabbitmq::supervisor::{Probe, Work};
use async_trait::async_trait;
use pipeline::dead_letters::{DeadLetters, Drained, Queue};
use pipeline::ports::Source;
use pipeline::verdict::{Settled, Verdict};

/// Keeps what comes out of one queue.
pub struct Drain {
    /// Which queue.
    pub queue: Queue,
    /// Where to.
    pub store: Arc<dyn DeadLetters>,
}

#[async_trait]
impl Work for Drain {
    async fn handle(&self, received: &Received) -> Verdict {
        match self.store.drain(&received.letter(self.queue)).await {
            Ok(Drained::Kept(entry)) => {
                tracing::warn!("dead letter {entry} out of {} waits for a person", self.queue.name());
                Verdict::Settled(Settled::Kept)
            }
            Ok(Drained::Duplicate(duplicate)) => Verdict::Settled(Settled::Duplicate(duplicate)),
            // It stays in its queue until the store answers.
            Err(error) => Verdict::Hold(error.into()),
        }
    }
}

/// Whether the store answers.
pub struct Store(pub PgPool);

#[async_trait]
impl Probe for Store {
    async fn all_answer(&self) -> Result<(), Source> {
        Ok(connection::ping(&self.0).await?)
    }
}
