//! The worker's side of an order: load it with its journal, and change it if nobody else did.

use async_trait::async_trait;
use pipeline::id::{Generation, MessageId, OrderId, Version};
use pipeline::order::{Order, Progress};
use pipeline::outgoing::Outgoing;
use pipeline::ports::{Commit, Committed, OrderStore, Source, StoreError};
use pipeline::steps::Happened;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::relay::Wake;

/// [`OrderStore`] in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PgOrders {
    durable: PgPool,
    relaxed: PgPool,
    wake: Wake,
}

impl PgOrders {
    /// Orders behind two pools to one database (see [`crate::connection::Durability`]); rings `wake` for each row in
    /// the outbox.
    #[must_use]
    pub fn new(durable: PgPool, relaxed: PgPool, wake: Wake) -> Self {
        Self { durable, relaxed, wake }
    }
}

#[async_trait]
impl OrderStore for PgOrders {
    async fn load(&self, order: &OrderId) -> Result<Option<(Order, Version)>, StoreError> {
        let row = sqlx::query!(
            r#"select o.generation, o.version, o.state, d.document,
                   (select jsonb_agg(h.result order by h.version) from history h
                    where h.order_id = o.order_id and h.generation = o.generation and h.result is not null) as journal
               from orders o join order_documents d using (order_id)
               where o.order_id = $1"#,
            order.as_str(),
        );
        let found = row
            .fetch_optional(&self.relaxed)
            .await
            .map_err(|error| failed("loading an order", error))?;
        let Some(row) = found else { return Ok(None) };
        let read = || -> Result<(Order, Version), Source> {
            let journal: Vec<Happened> = row.journal.map(serde_json::from_value).transpose()?.unwrap_or_default();
            let order = Order {
                content: contracts::order_message::decode(row.document.as_bytes())?,
                generation: Generation(u32::try_from(row.generation)?),
                state: row.state.parse()?,
                progress: Progress::replay(journal),
            };
            Ok((order, Version(row.version)))
        };
        read().map(Some).map_err(|source| StoreError {
            doing: "reading a stored order",
            source,
        })
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let moved = store(self, &commit).await.map_err(|source| StoreError {
            doing: "storing the end of a step",
            source,
        })?;
        if moved == 0 {
            return Ok(Committed::Conflict);
        }
        if !commit.outbox.is_empty() {
            self.wake.ring();
        }
        Ok(Committed::Yes)
    }
}

/// Rows that moved: 1, or 0 on a conflict.
async fn store(orders: &PgOrders, commit: &Commit) -> Result<i64, Source> {
    if commit.must_be_durable() {
        record(&orders.durable, commit).await
    } else {
        journal(&orders.relaxed, commit).await
    }
}

/// The end of a step and nothing else, since result and processed mark come with a final state. Most changes are this,
/// so it is the shortest statement.
async fn journal(pool: &PgPool, commit: &Commit) -> Result<i64, Source> {
    let moved = sqlx::query!(
        "with moved as (
             update orders set state = $5, version = version + 1
             where order_id = $1 and generation = $2 and version = $3 and state = $4
             returning order_id, version, generation
         )
         insert into history (order_id, version, generation, from_state, to_state, event, result, attempt, worker)
         select order_id, version, generation, $4, $5, $6, $7, $8, $9 from moved",
        commit.order.as_str(),
        i32::try_from(commit.generation.0)?,
        commit.expected.0,
        commit.from.name(),
        commit.to.name(),
        commit.journal.step().name(),
        serde_json::to_value(&commit.journal)?,
        i32::try_from(commit.attempt)?,
        commit.worker,
    );
    Ok(i64::try_from(moved.execute(pool).await?.rows_affected())?)
}

/// One statement, so one transaction: the row moves only from the expected place, and everything else hangs on that.
async fn record(pool: &PgPool, commit: &Commit) -> Result<i64, Source> {
    let rows = OutboxRows::of(&commit.order, commit.generation, &commit.outbox)?;
    let result = commit.result.as_ref().map(serde_json::to_value).transpose()?;
    let moved = sqlx::query_scalar!(
        r#"with moved as (
               update orders
               set state = $5, version = version + 1, result = coalesce($6, result),
                   finished_at = case when $7 then now() else finished_at end
               where order_id = $1 and generation = $2 and version = $3 and state = $4
               returning order_id, version, generation
           ), told as (
               insert into history (order_id, version, generation, from_state, to_state, event, result, attempt, worker)
               select order_id, version, generation, $4, $5, $8, $9, $10, $11 from moved
           ), done as (
               insert into processed (message_id, order_id, generation)
               select $12, order_id, generation from moved where $12::uuid is not null
               on conflict do nothing
           ), sent as (
               insert into outbox (order_id, generation, message_id, exchange, kind, body)
               select order_id, generation, m.message_id, m.exchange, m.kind, m.body
               from moved, unnest($13::uuid[], $14::text[], $15::text[], $16::text[])
                   as m(message_id, exchange, kind, body)
           )
           select count(*) as "count!" from moved"#,
        commit.order.as_str(),
        i32::try_from(commit.generation.0)?,
        commit.expected.0,
        commit.from.name(),
        commit.to.name(),
        result,
        commit.to.is_final(),
        commit.journal.step().name(),
        serde_json::to_value(&commit.journal)?,
        i32::try_from(commit.attempt)?,
        commit.worker,
        commit.processed.map(|id| id.0),
        &rows.message_ids,
        &rows.exchanges,
        &rows.kinds,
        &rows.bodies,
    );
    Ok(moved.fetch_one(pool).await?)
}

/// Outgoing messages as columns.
#[derive(Debug, Default)]
pub(crate) struct OutboxRows {
    pub message_ids: Vec<uuid::Uuid>,
    pub exchanges: Vec<String>,
    pub kinds: Vec<String>,
    pub bodies: Vec<String>,
    pub not_before: Vec<Option<OffsetDateTime>>,
}

impl OutboxRows {
    pub(crate) fn of(order: &OrderId, generation: Generation, outgoing: &[Outgoing]) -> Result<Self, Source> {
        let mut rows = Self::default();
        for message in outgoing {
            let (body, not_before) = match message {
                Outgoing::Process { document, not_before } => (document.clone(), *not_before),
                Outgoing::Completed(completed) => {
                    let event = contracts::events::OrderCompleted::new(order, generation, completed);
                    (serde_json::to_string(&event)?, None)
                }
            };
            rows.message_ids
                .push(MessageId::derive(order, generation, message.kind()).0);
            rows.exchanges.push(message.destination().exchange().to_owned());
            rows.kinds.push(message.kind().to_owned());
            rows.bodies.push(body);
            rows.not_before.push(not_before);
        }
        Ok(rows)
    }
}

pub(crate) fn failed(doing: &'static str, error: sqlx::Error) -> StoreError {
    StoreError {
        doing,
        source: error.into(),
    }
}
