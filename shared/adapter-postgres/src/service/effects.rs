//! The effect log: append-only, read in pages.

use contracts::effects::{Effect, Page};
use sqlx::PgPool;

/// An effect that is being had.
#[derive(Debug, Clone)]
pub struct NewEffect<'a> {
    /// One of the constants of [`contracts::effects`].
    pub kind: &'static str,
    /// For which order.
    pub order_id: &'a str,
    /// For which generation of it.
    pub generation: i32,
    /// What it made.
    pub subject: String,
    /// What belongs to it. No part holds a comma.
    pub parts: Vec<String>,
}

/// Up to `limit` effects after number `after`. Numbers are given out before they are committed, so a page read while
/// effects are being had may miss one; read the log when the service is at rest to count.
///
/// # Errors
///
/// The database's.
pub async fn effects_page(pool: &PgPool, after: i64, limit: i64) -> Result<Page<Effect>, sqlx::Error> {
    let rows = sqlx::query!(
        "select seq, at, caller, kind, order_id, generation, subject, parts from effects
         where seq > $1 order by seq limit $2",
        after,
        limit,
    );
    let rows = rows.fetch_all(pool).await?;
    let rows = rows.into_iter().map(|row| Effect {
        seq: row.seq,
        at: row.at,
        caller: row.caller,
        kind: row.kind,
        order_id: row.order_id,
        generation: row.generation.unsigned_abs(),
        subject: row.subject,
        parts: row.parts,
    });
    let rows: Vec<_> = rows.collect();
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|last| last.seq.to_string());
    Ok(Page { rows, next })
}
