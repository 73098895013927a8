//! Reading what waits, page by page.

use contracts::console::{Closed, DeadLetterGroup, DeadLetterRow, DeadLetterView};
use contracts::effects::Page;
use pipeline::ports::StoreError;
use sqlx::PgPool;
use sqlx::types::Uuid;
use time::OffsetDateTime;

use crate::orders::failed;

/// Groups shown; causes are few, and a reader's memory is bounded.
const GROUPS_MAX: i64 = 200;

/// Which rows of a list.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only in this state.
    pub state: Option<String>,
    /// Only of this class.
    pub class: Option<String>,
    /// Only about this order.
    pub order: Option<String>,
    /// Only out of this queue.
    pub queue: Option<String>,
}

/// Reads entries.
#[derive(Debug, Clone)]
pub struct PgDeadLetterBooks(pub PgPool);

/// A row as it is stored.
struct Stored {
    id: Uuid,
    state: String,
    queue: String,
    order_id: Option<String>,
    generation: i32,
    of_row: bool,
    class: String,
    step: Option<String>,
    reason: String,
    attempt: i32,
    at: OffsetDateTime,
}

impl From<Stored> for DeadLetterRow {
    fn from(row: Stored) -> Self {
        Self {
            id: row.id.to_string(),
            state: row.state,
            queue: row.queue,
            order_id: row.order_id,
            generation: row.generation.unsigned_abs(),
            of_order: row.of_row,
            class: row.class,
            step: row.step,
            reason: row.reason,
            attempt: row.attempt.unsigned_abs(),
            at: row.at,
        }
    }
}

impl PgDeadLetterBooks {
    /// Up to `limit` entries that pass `filter`, oldest first, after the one named `after`.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn list(
        &self,
        filter: &Filter,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Page<DeadLetterRow>, StoreError> {
        let rows = sqlx::query_as!(
            Stored,
            "select id, state, queue, order_id, generation, of_row, class, step, reason, attempt, at from dead_letters
             where ($1::text is null or state = $1) and ($2::text is null or class = $2)
                 and ($3::text is null or order_id = $3) and ($4::text is null or queue = $4)
                 and ($5::uuid is null or (at, id) > (select at, id from dead_letters where id = $5))
             order by at, id limit $6",
            filter.state.as_deref(),
            filter.class.as_deref(),
            filter.order.as_deref(),
            filter.queue.as_deref(),
            after,
            limit,
        );
        let rows = rows
            .fetch_all(&self.0)
            .await
            .map_err(|error| failed("listing dead letters", error))?;
        let rows: Vec<DeadLetterRow> = rows.into_iter().map(Into::into).collect();
        let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
        let next = rows.last().filter(|_| full).map(|last| last.id.clone());
        Ok(Page { rows, next })
    }

    /// Open entries by cause, the largest group first.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn groups(&self) -> Result<Vec<DeadLetterGroup>, StoreError> {
        let groups = sqlx::query!(
            r#"select class, step, queue, count(*) as "count!", min(at) as "oldest_at!",
                   (array_agg(reason order by at desc))[1] as "reason!"
               from dead_letters where state = 'open' group by class, step, queue
               order by count(*) desc, class, step, queue limit $1"#,
            GROUPS_MAX,
        );
        let groups = groups
            .fetch_all(&self.0)
            .await
            .map_err(|error| failed("grouping dead letters", error))?;
        let group = groups.into_iter().map(|group| DeadLetterGroup {
            class: group.class,
            step: group.step,
            queue: group.queue,
            count: group.count.unsigned_abs(),
            oldest_at: group.oldest_at,
            reason: group.reason,
        });
        Ok(group.collect())
    }

    /// All of one entry; `None` where there is none.
    ///
    /// # Errors
    ///
    /// When the database does not answer.
    pub async fn show(&self, id: Uuid) -> Result<Option<DeadLetterView>, StoreError> {
        let found = sqlx::query!(
            "select id, state, queue, order_id, generation, of_row, class, step, reason, attempt, at,
                 body, properties, closed_at, closed_by, closing_reason
             from dead_letters where id = $1",
            id,
        );
        let found = found
            .fetch_optional(&self.0)
            .await
            .map_err(|error| failed("reading a dead letter", error))?;
        Ok(found.map(|found| {
            let (body, body_hex) = match String::from_utf8(found.body) {
                Ok(text) => (Some(text), None),
                Err(error) => (None, Some(hex(error.as_bytes()))),
            };
            let row = Stored {
                id: found.id,
                state: found.state,
                queue: found.queue,
                order_id: found.order_id,
                generation: found.generation,
                of_row: found.of_row,
                class: found.class,
                step: found.step,
                reason: found.reason,
                attempt: found.attempt,
                at: found.at,
            };
            DeadLetterView {
                row: row.into(),
                properties: found.properties,
                body,
                body_hex,
                closed: found.closed_at.map(|at| Closed {
                    at,
                    by: found.closed_by.unwrap_or_default(),
                    reason: found.closing_reason.unwrap_or_default(),
                }),
            }
        }))
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    })
}
