//! The effect log: append-only, read in pages.

use contracts::effects::{Effect, Page};
use sqlx::{PgConnection, PgPool};

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

/// Writes down effects that no key asked for, in the transaction that has them.
///
/// # Errors
///
/// The database's.
pub async fn log(connection: &mut PgConnection, caller: &str, effects: &[NewEffect<'_>]) -> Result<(), sqlx::Error> {
    let kinds: Vec<_> = effects.iter().map(|effect| effect.kind.to_owned()).collect();
    let orders: Vec<_> = effects.iter().map(|effect| effect.order_id.to_owned()).collect();
    let generations: Vec<_> = effects.iter().map(|effect| effect.generation).collect();
    let subjects: Vec<_> = effects.iter().map(|effect| effect.subject.clone()).collect();
    let parts: Vec<_> = effects.iter().map(|effect| effect.parts.join(",")).collect();
    let logged = sqlx::query!(
        r#"insert into effects (caller, kind, order_id, generation, subject, parts)
           select $1, e.kind, e.order_id, e.generation, e.subject, string_to_array(e.parts, ',')
           from unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[])
               as e(kind, order_id, generation, subject, parts)"#,
        caller,
        &kinds,
        &orders,
        &generations,
        &subjects,
        &parts,
    );
    logged.execute(connection).await.map(|_rows| ())
}

/// Characters of all parts in one page, give or take those of its last effect: an order of a thousand lines has a
/// thousand parts, and a reader takes answers of a bounded size.
pub(super) const PAGE_PARTS_LENGTH_MAX: i64 = 1024 * 1024;

/// Up to `limit` effects after number `after`; fewer where they have many parts, and then there is a next page. Numbers
/// are given out before they are committed, so a page read while effects are being had may miss one; read the log when
/// the service is at rest to count.
///
/// # Errors
///
/// The database's.
pub async fn effects_page(pool: &PgPool, after: i64, limit: i64) -> Result<Page<Effect>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select seq as "seq!", at as "at!", caller as "caller!", kind as "kind!", order_id as "order_id!",
               generation as "generation!", subject as "subject!", parts as "parts!", found as "found!"
           from (
               select *, count(*) over () as found,
                   sum(length(array_to_string(parts, ','))) over (order by seq) - length(array_to_string(parts, ','))
                       as before
               from (select * from effects where seq > $1 order by seq limit $2) as wanted
           ) as measured
           where before < $3 order by seq"#,
        after,
        limit,
        PAGE_PARTS_LENGTH_MAX,
    );
    let rows = rows.fetch_all(pool).await?;
    let found = rows.first().map_or(0, |row| row.found);
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
    let more = found == limit || usize::try_from(found) != Ok(rows.len());
    let next = rows.last().filter(|_| more).map(|last| last.seq.to_string());
    Ok(Page { rows, next })
}
