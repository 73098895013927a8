//! The outbox: rows are claimed by status and lease, never by cursor, and every write names its holder.
//!
//! Claims and marks are written relaxed: losing one in a crash of the server sends a message again, under its own id.

use async_trait::async_trait;
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::outgoing::{Destination, Envelope};
use pipeline::ports::{Claimed, Outbox, Source, StoreError};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::orders::failed;

/// How long a claim holds, in seconds. Longer than the longest pass over one claim.
const LEASE_S: f64 = 30.0;

/// How long a row that could not be sent rests, in seconds.
const REST_S: f64 = 1.0;

/// Rows deleted in one go.
const CLEAN_ROWS_MAX: i64 = 1_000;

/// [`Outbox`] in PostgreSQL, as one holder of claims sees it.
#[derive(Debug, Clone)]
pub struct PgOutbox {
    pool: PgPool,
    holder: Uuid,
    exchanges: Vec<String>,
}

impl PgOutbox {
    /// A holder of claims on the rows for `destinations`, and for no others: a process relays only what it may write.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn open(pool: PgPool, destinations: &[Destination]) -> Result<Self, StoreError> {
        let holder = sqlx::query_scalar!(r#"select gen_random_uuid() as "holder!""#);
        let holder = holder
            .fetch_one(&pool)
            .await
            .map_err(|error| failed("opening the outbox", error))?;
        let exchanges = destinations.iter().map(|destination| destination.exchange().to_owned());
        Ok(Self {
            pool,
            holder,
            exchanges: exchanges.collect(),
        })
    }
}

/// A claimed row.
struct Row {
    id: i64,
    order_id: String,
    generation: i32,
    message_id: Uuid,
    exchange: String,
    kind: String,
    body: String,
    marks: serde_json::Value,
    created_at: OffsetDateTime,
}

fn read(row: Row) -> Result<Claimed, Source> {
    let exchange = row.exchange;
    let destination =
        Destination::of_exchange(&exchange).ok_or_else(|| format!("there is no exchange {exchange:?}"))?;
    Ok(Claimed {
        row: row.id,
        envelope: Envelope {
            id: MessageId(row.message_id),
            destination,
            kind: row.kind,
            order: OrderId::parse(&row.order_id)?,
            generation: Generation(u32::try_from(row.generation)?),
            marks: serde_json::from_value(row.marks)?,
            body: row.body,
            created_at: row.created_at,
        },
    })
}

#[async_trait]
impl Outbox for PgOutbox {
    async fn claim(&self, rows_max: u32) -> Result<Vec<Claimed>, StoreError> {
        let rows = sqlx::query_as!(
            Row,
            "update outbox set claimed_by = $1, claimed_until = now() + make_interval(secs => $2)
             where id in (
                 select id from outbox
                 where queued_at is null and exchange = any($3) and available_at <= now()
                     and (claimed_until is null or claimed_until < now())
                 order by available_at limit $4
                 for update skip locked)
             returning id, order_id, generation, message_id, exchange, kind, body, marks, created_at",
            self.holder,
            LEASE_S,
            &self.exchanges,
            i64::from(rows_max),
        );
        let rows = rows
            .fetch_all(&self.pool)
            .await
            .map_err(|error| failed("claiming outbox rows", error))?;
        let claimed = rows.into_iter().filter_map(|row| {
            let (id, claimed) = (row.id, read(row));
            // The rows behind it go out all the same; it comes up again with each lease.
            claimed
                .map_err(|error| tracing::error!("outbox row {id} cannot be sent: {error}"))
                .ok()
        });
        Ok(claimed.collect())
    }

    async fn mark_queued(&self, rows: &[i64]) -> Result<(), StoreError> {
        let marked = sqlx::query!(
            "update outbox set queued_at = now()
             where id = any($1) and claimed_by = $2 and queued_at is null",
            rows,
            self.holder,
        );
        let marked = marked
            .execute(&self.pool)
            .await
            .map_err(|error| failed("marking outbox rows", error))?;
        let lost = rows.len() as u64 - marked.rows_affected().min(rows.len() as u64);
        if lost > 0 {
            tracing::warn!("{lost} outbox rows were sent after their claim ran out; their new holder sends them again");
        }
        Ok(())
    }

    async fn release(&self, rows: &[i64]) -> Result<(), StoreError> {
        let released = sqlx::query!(
            "update outbox
             set claimed_by = null, claimed_until = null, available_at = now() + make_interval(secs => $3)
             where id = any($1) and claimed_by = $2 and queued_at is null",
            rows,
            self.holder,
            REST_S,
        );
        let released = released
            .execute(&self.pool)
            .await
            .map_err(|error| failed("releasing outbox rows", error))?;
        tracing::debug!("released {} outbox rows", released.rows_affected());
        Ok(())
    }

    async fn clean(&self, before: OffsetDateTime) -> Result<u64, StoreError> {
        let cleaned = sqlx::query!(
            "delete from outbox where id in (
                 select id from outbox where queued_at < $1 and exchange = any($2)
                 order by queued_at limit $3 for update skip locked)",
            before,
            &self.exchanges,
            CLEAN_ROWS_MAX,
        );
        let cleaned = cleaned
            .execute(&self.pool)
            .await
            .map_err(|error| failed("cleaning the outbox", error))?;
        Ok(cleaned.rows_affected())
    }
}
