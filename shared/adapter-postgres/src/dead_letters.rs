//! What waits for a person. Each act is one transaction that holds the order's row, so that nobody moves it between the
//! decision ([`pipeline::dead_letters`]) and its writing.

mod books;
mod entries;

use async_trait::async_trait;
use pipeline::change::Commit;
use pipeline::dead_letters::{
    Acted, Action, DeadLetters, Deed, Denied, Drained, EntryId, EntryState, Judgement, Letter, decide, judge,
};
use pipeline::happened::Operated;
use pipeline::id::{OrderId, Version};
use pipeline::order::Order;
use pipeline::ports::{Source, StoreError};
use pipeline::verdict::Duplicate;
use sqlx::{PgConnection, PgPool};

use crate::orders::{failed, load, record};
use crate::relay::Wake;

pub use books::{Filter, PgDeadLetterBooks};

/// [`DeadLetters`] in PostgreSQL, over a durable pool.
#[derive(Debug, Clone)]
pub struct PgDeadLetters {
    pool: PgPool,
    instance: String,
    wake: Wake,
}

impl PgDeadLetters {
    /// A store that signs what the broker gave up as `instance`, and rings `wake` for each row in the outbox.
    #[must_use]
    pub fn new(pool: PgPool, instance: String, wake: Wake) -> Self {
        Self { pool, instance, wake }
    }

    async fn drain_one(&self, letter: &Letter) -> Result<Drained, Source> {
        let mut transaction = self.pool.begin().await?;
        // Rows are held before entries everywhere: no two acts wait for each other, and while its row is held no entry of
        // an order opens or closes.
        let (row, has_open) = match &letter.order {
            Some(order) => {
                let row = held(&mut transaction, order).await?;
                (row, entries::open_of(&mut transaction, order).await?.is_some())
            }
            None => (None, false),
        };
        let drained = match judge(letter, row.as_ref(), has_open, &self.instance) {
            Judgement::Drop(duplicate) => Drained::Duplicate(duplicate),
            Judgement::Open {
                id,
                change,
                failed,
                of_row,
            } => {
                if let Some(commit) = &change {
                    moved(&mut transaction, commit).await?;
                }
                if entries::open(&mut transaction, id, letter, &failed, of_row).await? {
                    transaction.commit().await?;
                    self.ring(change.as_deref());
                    return Ok(Drained::Kept(id));
                }
                Drained::Duplicate(Duplicate::KeptAlready)
            }
        };
        transaction.rollback().await?;
        Ok(drained)
    }

    async fn act_once(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, Source> {
        let mut transaction = self.pool.begin().await?;
        let row = match entries::order_of(&mut transaction, entry).await? {
            // Without its row it would pass for a message that belongs to no order.
            Some(order) => Some(held(&mut transaction, &order).await?.ok_or("the order is not there")?),
            None => None,
        };
        let acted = match entries::held(&mut transaction, entry).await? {
            None => Acted::Denied(Denied::Unknown),
            Some(found) if found.state != EntryState::Open.name() => Acted::Denied(Denied::Closed(found.state)),
            Some(found) => {
                let closes_as = action.closes_as();
                match decide(action, row.as_ref(), operated) {
                    Err(denied) => Acted::Denied(denied),
                    Ok(Deed::SendAgain) => {
                        let (queue, content) = found.content()?;
                        Acted::SendAgain(queue, content)
                    }
                    Ok(deed) => {
                        let commit = match deed {
                            Deed::Change(commit) => Some(commit),
                            Deed::Close | Deed::SendAgain => None,
                        };
                        if let Some(commit) = &commit {
                            moved(&mut transaction, commit).await?;
                        }
                        entries::close(&mut transaction, entry, closes_as, operated).await?;
                        transaction.commit().await?;
                        self.ring(commit.as_deref());
                        return Ok(Acted::Done);
                    }
                }
            }
        };
        transaction.rollback().await?;
        Ok(acted)
    }

    async fn redo_once(&self, order: &OrderId, operated: &Operated) -> Result<Acted, Source> {
        let mut transaction = self.pool.begin().await?;
        let row = held(&mut transaction, order).await?;
        let entry = entries::open_of(&mut transaction, order).await?;
        let acted = match (&row, decide(Action::Redo, row.as_ref(), operated)) {
            (None, _) => Acted::Denied(Denied::Unknown),
            (Some(_), Err(denied)) => Acted::Denied(denied),
            (Some(_), Ok(Deed::Change(commit))) => {
                moved(&mut transaction, &commit).await?;
                if let Some(entry) = entry {
                    entries::close(&mut transaction, entry, Action::Redo.closes_as(), operated).await?;
                }
                transaction.commit().await?;
                self.ring(Some(&commit));
                return Ok(Acted::Done);
            }
            (Some(_), Ok(Deed::SendAgain | Deed::Close)) => return Err("a redo that changes no row".into()),
        };
        transaction.rollback().await?;
        Ok(acted)
    }

    fn ring(&self, commit: Option<&Commit>) {
        if commit.is_some_and(|commit| !commit.outbox.is_empty()) {
            self.wake.ring();
        }
    }
}

/// The order, with its row held until the transaction ends.
async fn held(connection: &mut PgConnection, order: &OrderId) -> Result<Option<(Order, Version)>, Source> {
    let locked = sqlx::query!("select from orders where order_id = $1 for update", order.as_str());
    locked.fetch_optional(&mut *connection).await?;
    Ok(load(connection, order).await?)
}

/// Stores a change of a row that is held; it was loaded in this transaction, so it cannot have moved.
async fn moved(connection: &mut PgConnection, commit: &Commit) -> Result<(), Source> {
    match record(connection, commit).await? {
        1 => Ok(()),
        rows => Err(format!("order {} moved while it was held ({rows} rows)", commit.order).into()),
    }
}

#[async_trait]
impl DeadLetters for PgDeadLetters {
    async fn drain(&self, letter: &Letter) -> Result<Drained, StoreError> {
        self.drain_one(letter).await.map_err(|source| StoreError {
            doing: "keeping a dead letter",
            source,
        })
    }

    async fn act(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, StoreError> {
        let acted = self.act_once(entry, action, operated).await;
        acted.map_err(|source| StoreError {
            doing: "acting on a dead letter",
            source,
        })
    }

    async fn sent_again(&self, entry: EntryId, operated: &Operated) -> Result<(), StoreError> {
        let mut connection = self
            .pool
            .acquire()
            .await
            .map_err(|error| failed("closing a dead letter", error))?;
        let closed = entries::close_if_open(&mut connection, entry, Action::Replay.closes_as(), operated).await;
        closed.map(drop).map_err(|error| failed("closing a dead letter", error))
    }

    async fn redo(&self, order: &OrderId, operated: &Operated) -> Result<Acted, StoreError> {
        self.redo_once(order, operated).await.map_err(|source| StoreError {
            doing: "having an undo tried again",
            source,
        })
    }
}
