//! The worker's side of an order: load it with its journal, and change it if nobody else did.

use async_trait::async_trait;
use contracts::outgoing::body;
use pipeline::change::Commit;
use pipeline::happened::Happened;
use pipeline::id::{Generation, OrderId, Version};
use pipeline::order::{Order, Progress};
use pipeline::outgoing::Outgoing;
use pipeline::ports::{Committed, OrderStore, Source, StoreError};
use sqlx::{PgExecutor, PgPool};
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
        load(&self.relaxed, order).await
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
        commit.happened.name(),
        serde_json::to_value(&commit.happened)?,
        i32::try_from(commit.attempt)?,
        commit.worker,
    );
    Ok(i64::try_from(moved.execute(pool).await?.rows_affected())?)
}

/// One statement, so one transaction: the row moves only from the expected place, and everything else hangs on that.
/// Rows that moved: 1, or 0 on a conflict.
pub(crate) async fn record(executor: impl PgExecutor<'_>, commit: &Commit) -> Result<i64, Source> {
    let rows = OutboxRows::of(commit)?;
    let result = commit.result.as_ref().map(serde_json::to_value).transpose()?;
    let refund = match &commit.happened {
        Happened::Compensated(refund) => Some(refund),
        _ => None,
    };
    let moved = sqlx::query_scalar!(
        r#"with moved as (
               update orders
               set state = $5, generation = $22, version = version + 1, result = coalesce($6, result),
                   finished_at = case when $7 then now() else finished_at end
               where order_id = $1 and generation = $2 and version = $3 and state = $4
               returning order_id, version, generation
           ), told as (
               insert into history (order_id, version, generation, from_state, to_state, event, result, attempt, worker)
               select order_id, version, generation, $4, $5, $8, $9, $10, $11 from moved
           ), kept as (
               insert into order_documents (order_id, generation, document, fingerprint)
               select order_id, generation, $20, sha256(convert_to($20, 'UTF8')) from moved where $20::text is not null
           ), repaid as (
               insert into refunds (order_id, generation, payment_id, amount, notice, worker)
               select order_id, generation, $17, $18, $19, $11 from moved where $17::text is not null
           ), done as (
               insert into processed (message_id, order_id, generation)
               select $12, order_id, generation from moved where $12::uuid is not null
               on conflict do nothing
           ), sent as (
               insert into outbox (order_id, generation, message_id, exchange, kind, body, marks)
               select order_id, generation, m.message_id, m.exchange, m.kind, m.body, m.marks
               from moved, unnest($13::uuid[], $14::text[], $15::text[], $16::text[], $21::jsonb[])
                   as m(message_id, exchange, kind, body, marks)
           )
           select count(*) as "count!" from moved"#,
        commit.order.as_str(),
        i32::try_from(commit.generation.0)?,
        commit.expected.0,
        commit.from.name(),
        commit.to.name(),
        result,
        commit.to.is_final(),
        commit.happened.name(),
        serde_json::to_value(&commit.happened)?,
        i32::try_from(commit.attempt)?,
        commit.worker,
        commit.processed.map(|id| id.0),
        &rows.message_ids,
        &rows.exchanges,
        &rows.kinds,
        &rows.bodies,
        refund.map(|refund| refund.payment.to_string()),
        refund.map(|refund| refund.amount.to_string()),
        refund.map(|refund| refund.notice.template()),
        commit.document.as_deref(),
        &rows.marks,
        i32::try_from(commit.to_generation.0)?,
    );
    Ok(moved.fetch_one(executor).await?)
}

/// An order with its journal of the current generation.
pub(crate) async fn load(
    executor: impl PgExecutor<'_>,
    order: &OrderId,
) -> Result<Option<(Order, Version)>, StoreError> {
    let row = sqlx::query!(
        r#"select o.generation, o.version, o.state, d.document as "document!",
               (select jsonb_agg(h.result order by h.version) from history h
                where h.order_id = o.order_id and h.generation = o.generation and h.result is not null) as journal
           from orders o join order_documents d on d.order_id = o.order_id and d.generation = o.generation
           where o.order_id = $1"#,
        order.as_str(),
    );
    let found = row
        .fetch_optional(executor)
        .await
        .map_err(|error| failed("loading an order", error))?;
    let Some(row) = found else { return Ok(None) };
    let read = || -> Result<(Order, Version), Source> {
        let journal: Vec<Happened> = row.journal.map(serde_json::from_value).transpose()?.unwrap_or_default();
        let order = Order {
            content: contracts::order_message::decode(row.document.as_bytes())?,
            document: row.document.as_str().into(),
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

/// Outgoing messages as columns.
#[derive(Debug, Default)]
pub(crate) struct OutboxRows {
    pub message_ids: Vec<uuid::Uuid>,
    pub exchanges: Vec<String>,
    pub kinds: Vec<String>,
    pub bodies: Vec<String>,
    pub marks: Vec<serde_json::Value>,
    pub not_before: Vec<Option<OffsetDateTime>>,
}

impl OutboxRows {
    fn of(commit: &Commit) -> Result<Self, Source> {
        let after = commit.expected.next();
        Self::from(&commit.order, commit.to_generation, after, &commit.outbox)
    }

    /// The rows of messages that leave because the order's row became `version`.
    pub(crate) fn from(
        order: &OrderId,
        generation: Generation,
        version: Version,
        outgoing: &[Outgoing],
    ) -> Result<Self, Source> {
        let mut rows = Self::default();
        for message in outgoing {
            let not_before = match message {
                Outgoing::Process { not_before, .. } => *not_before,
                _ => None,
            };
            rows.message_ids.push(message.id(order, generation, version).0);
            rows.exchanges.push(message.destination().exchange().to_owned());
            rows.kinds.push(message.kind().to_owned());
            rows.bodies.push(body(order, generation, message)?);
            rows.marks.push(serde_json::to_value(message.marks(version))?);
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
