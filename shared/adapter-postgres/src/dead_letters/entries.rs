//! Single entries: one statement each.

use pipeline::dead_letters::{Content, EntryId, EntryState, Letter, Queue};
use pipeline::failure::Failed;
use pipeline::happened::Operated;
use pipeline::id::OrderId;
use pipeline::ports::Source;
use sqlx::PgConnection;

/// An entry whose row is held.
pub(super) struct Entry {
    queue: String,
    body: Vec<u8>,
    properties: serde_json::Value,
    pub(super) state: String,
}

impl Entry {
    pub(super) fn content(self) -> Result<(Queue, Content), Source> {
        let queue = Queue::of_name(&self.queue).ok_or_else(|| format!("there is no queue {:?}", self.queue))?;
        let content = Content {
            body: self.body,
            properties: self.properties.to_string(),
        };
        Ok((queue, content))
    }
}

/// The order whose row an entry belongs to; that never changes.
pub(super) async fn order_of(connection: &mut PgConnection, id: EntryId) -> Result<Option<OrderId>, Source> {
    let found = sqlx::query_scalar!(
        r#"select order_id as "order!" from dead_letters where id = $1 and of_row"#,
        id.0,
    );
    let order = found.fetch_optional(connection).await?;
    Ok(order.as_deref().map(OrderId::parse).transpose()?)
}

/// The open entry of an order whose row is held.
pub(super) async fn open_of(connection: &mut PgConnection, order: &OrderId) -> Result<Option<EntryId>, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "select id from dead_letters where order_id = $1 and of_row and state = 'open'",
        order.as_str(),
    );
    Ok(found.fetch_optional(connection).await?.map(EntryId))
}

/// Opens an entry; `false` where it is there already. One that belongs to no row and was closed opens again: the message
/// came once more, and nobody else knows of it.
pub(super) async fn open(
    connection: &mut PgConnection,
    id: EntryId,
    letter: &Letter,
    failed: &Failed,
    of_row: bool,
) -> Result<bool, Source> {
    let properties: serde_json::Value = serde_json::from_str(&letter.content.properties)?;
    let opened = sqlx::query!(
        "insert into dead_letters
             (id, queue, order_id, generation, of_row, class, step, reason, attempt, body, properties)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         on conflict (id) do update set state = 'open', closed_at = null, closed_by = null, closing_reason = null
             where not dead_letters.of_row and dead_letters.state <> 'open'",
        id.0,
        letter.queue.name(),
        letter.order.as_ref().map(OrderId::as_str),
        i32::try_from(letter.generation.0)?,
        of_row,
        failed.class.name(),
        failed.step,
        failed.reason,
        i32::try_from(failed.attempt)?,
        letter.content.body,
        properties,
    );
    Ok(opened.execute(connection).await?.rows_affected() == 1)
}

/// The entry, held.
pub(super) async fn held(connection: &mut PgConnection, id: EntryId) -> Result<Option<Entry>, sqlx::Error> {
    let found = sqlx::query_as!(
        Entry,
        "select queue, body, properties, state from dead_letters where id = $1 for update",
        id.0,
    );
    found.fetch_optional(connection).await
}

/// Closes an entry that is held and open.
pub(super) async fn close(
    connection: &mut PgConnection,
    id: EntryId,
    closes_as: EntryState,
    operated: &Operated,
) -> Result<(), Source> {
    match close_if_open(connection, id, closes_as, operated).await? {
        1 => Ok(()),
        rows => Err(format!("dead letter {id} was closed while it was held ({rows} rows)").into()),
    }
}

/// Closes an entry; entries closed, which is 0 where it was not open.
pub(super) async fn close_if_open(
    connection: &mut PgConnection,
    id: EntryId,
    closes_as: EntryState,
    operated: &Operated,
) -> Result<u64, sqlx::Error> {
    let closed = sqlx::query!(
        "update dead_letters set state = $2, closed_at = now(), closed_by = $3, closing_reason = $4
         where id = $1 and state = 'open'",
        id.0,
        closes_as.name(),
        operated.by,
        operated.reason,
    );
    Ok(closed.execute(connection).await?.rows_affected())
}
