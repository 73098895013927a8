//! Notices into the outbox, each channel once.

mod rows;

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{Scope, Taken, keep, take, take_unless_closed};
use rows::{Columns, find_notice, insert_messages, insert_notice};
use sqlx::{PgConnection, PgPool};

use super::failed;
use crate::notice::{Message, Notice};
use crate::store::told::{self, QUEUEING};

/// What became of a notice's messages.
enum Queued {
    /// The notice's name, and the channels that are new.
    Over(String, Vec<String>),
    /// The order's customer was told already, and it is another one.
    ToAnother,
}

pub(super) async fn queue(
    pool: &PgPool,
    scope: Scope<'_>,
    notice: &Notice,
    messages: &[Message],
    year: i32,
) -> Result<Outcome, StoreError> {
    let mut transaction = pool.begin().await.map_err(queueing)?;
    let outcome = match taken(&mut transaction, scope, notice).await.map_err(queueing)? {
        None => Outcome::Superseded,
        Some(Taken::Fresh) => {
            let columns = Columns::of(messages);
            match insert(&mut transaction, notice, &columns, year).await? {
                Queued::Over(id, channels) => {
                    let stored = told::queued(&id, channels.is_empty())?;
                    if !stored.replayed {
                        let effects = told::effects(notice, &channels);
                        keep(transaction, scope, &stored.body, &effects)
                            .await
                            .map_err(queueing)?;
                        return Ok(Outcome::Done(stored));
                    }
                    Outcome::Done(stored)
                }
                Queued::ToAnother => told::another_customer(notice),
            }
        }
        Some(Taken::Repeat(body)) => Outcome::Done(Stored { body, replayed: true }),
        Some(Taken::Reused) => Outcome::KeyReused,
        Some(Taken::InProgress) => Outcome::InProgress,
    };
    // Awaited, so that the key is free before its holder hears of it.
    transaction.rollback().await.map_err(queueing)?;
    Ok(outcome)
}

/// `None` when the notice goes forward and its generation is closed. What a compensation tells is not fenced.
async fn taken(connection: &mut PgConnection, scope: Scope<'_>, notice: &Notice) -> Result<Option<Taken>, sqlx::Error> {
    if notice.template.is_forward {
        let (order, generation) = (notice.order.as_str(), notice.generation.0.cast_signed());
        return take_unless_closed(connection, scope, order, generation).await;
    }
    take(connection, scope).await.map(Some)
}

async fn insert(
    connection: &mut PgConnection,
    notice: &Notice,
    columns: &Columns,
    year: i32,
) -> Result<Queued, StoreError> {
    if let Some(id) = insert_notice(connection, notice, columns, year)
        .await
        .map_err(queueing)?
    {
        return Ok(Queued::Over(id, columns.channels.clone()));
    }
    let found = find_notice(connection, notice).await.map_err(queueing)?;
    let (id, customer) = found.ok_or(StoreError::Raced(QUEUEING))?;
    if customer != notice.customer.as_str() {
        return Ok(Queued::ToAnother);
    }
    let channels = insert_messages(connection, notice, columns).await.map_err(queueing)?;
    Ok(Queued::Over(id, channels))
}

fn queueing(error: sqlx::Error) -> StoreError {
    failed(QUEUEING, error)
}
