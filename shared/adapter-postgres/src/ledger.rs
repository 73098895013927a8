//! Orders as checkout shows them: one with its history, all of them in pages, what waits in the outbox, and what was paid
//! back.

use contracts::checkout::{HistoryEntry, OrderSummary, OrderView, OutboxDepth};
use contracts::effects::{Effect, Page, REFUND_RECORDED};
use pipeline::happened::Happened;
use pipeline::id::OrderId;
use pipeline::ports::StoreError;
use sqlx::PgPool;

use crate::orders::failed;

/// Reads orders.
#[derive(Debug, Clone)]
pub struct PgLedger(pub PgPool);

impl PgLedger {
    /// One order with every change of it; `None` when it was never accepted.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn order(&self, id: &OrderId) -> Result<Option<OrderView>, StoreError> {
        let row = sqlx::query!(
            "select order_id, state, generation, version, result, accepted_at, finished_at
             from orders where order_id = $1",
            id.as_str(),
        );
        let row = row
            .fetch_optional(&self.0)
            .await
            .map_err(|error| failed("reading an order", error))?;
        let Some(row) = row else { return Ok(None) };
        let history = sqlx::query!(
            "select at, from_state, to_state, event, generation, attempt, worker, result
             from history where order_id = $1 order by version",
            id.as_str(),
        );
        let history = history
            .fetch_all(&self.0)
            .await
            .map_err(|error| failed("reading an order's history", error))?;
        let history = history.into_iter().map(|change| HistoryEntry {
            at: change.at,
            from: change.from_state,
            to: change.to_state,
            event: change.event,
            generation: change.generation.unsigned_abs(),
            attempt: change.attempt.unsigned_abs(),
            worker: change.worker,
            note: change.result.and_then(note),
        });
        let result = row.result.map(serde_json::from_value).transpose();
        Ok(Some(OrderView {
            summary: OrderSummary {
                order_id: row.order_id,
                state: row.state,
                generation: row.generation.unsigned_abs(),
                accepted_at: row.accepted_at,
                finished_at: row.finished_at,
            },
            version: row.version,
            history: history.collect(),
            result: result.map_err(|error| StoreError {
                doing: "reading an order's result",
                source: error.into(),
            })?,
        }))
    }

    /// Up to `limit` orders, by id, after the order `after`; in one state only where `state` is given.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn orders(&self, after: &str, state: Option<&str>, limit: i64) -> Result<Page<OrderSummary>, StoreError> {
        let rows = sqlx::query!(
            "select order_id, state, generation, accepted_at, finished_at from orders
             where order_id > $1 and ($2::text is null or state = $2) order by order_id limit $3",
            after,
            state,
            limit,
        );
        let rows = rows
            .fetch_all(&self.0)
            .await
            .map_err(|error| failed("listing orders", error))?;
        let rows = rows.into_iter().map(|row| OrderSummary {
            order_id: row.order_id,
            state: row.state,
            generation: row.generation.unsigned_abs(),
            accepted_at: row.accepted_at,
            finished_at: row.finished_at,
        });
        let rows: Vec<_> = rows.collect();
        let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
        let next = rows.last().filter(|_| full).map(|last| last.order_id.clone());
        Ok(Page { rows, next })
    }

    /// Up to `limit` refunds after number `after`. Numbers are given out before they are committed, so a page read while
    /// orders are compensated may miss one; read them at rest to count.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn refunds(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        let rows = sqlx::query!(
            "select seq, at, worker, order_id, generation, payment_id, amount, notice from refunds
             where seq > $1 order by seq limit $2",
            after,
            limit,
        );
        let rows = rows
            .fetch_all(&self.0)
            .await
            .map_err(|error| failed("reading the refunds", error))?;
        let rows = rows.into_iter().map(|row| Effect {
            seq: row.seq,
            at: row.at,
            caller: row.worker,
            kind: REFUND_RECORDED.to_owned(),
            order_id: row.order_id,
            generation: row.generation.unsigned_abs(),
            subject: row.payment_id,
            parts: vec![row.amount, row.notice],
        });
        let rows: Vec<_> = rows.collect();
        let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
        let next = rows.last().filter(|_| full).map(|last| last.seq.to_string());
        Ok(Page { rows, next })
    }

    /// Messages that have not left yet, scheduled ones included.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn outbox(&self) -> Result<OutboxDepth, StoreError> {
        let row = sqlx::query!(
            r#"select count(*) as "pending!", min(created_at) as oldest_at from outbox where queued_at is null"#
        );
        let row = row
            .fetch_one(&self.0)
            .await
            .map_err(|error| failed("reading the outbox", error))?;
        Ok(OutboxDepth {
            pending: row.pending.unsigned_abs(),
            oldest_at: row.oldest_at,
        })
    }
}

/// What a person should know of a change; `None` also where its entry is of a newer version than this.
fn note(result: serde_json::Value) -> Option<String> {
    serde_json::from_value::<Happened>(result).ok()?.note()
}
