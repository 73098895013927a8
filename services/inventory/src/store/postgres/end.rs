//! Ending reservations: their goods go back on their shelves.

use std::collections::BTreeSet;

use adapter_http::server::StoreError;
use adapter_postgres::service::log;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{failed, id, texts};
use crate::reservation::{Ending, Held};
use crate::store::told::{Ended, part};

/// Ends these reservations, with their movements and effects, or fails. Their orders are held alone.
pub(super) async fn end(
    connection: &mut PgConnection,
    doing: &'static str,
    (ids, ending): (&[String], Ending),
    caller: &str,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    lock_shelves(connection, doing, ids, &[]).await?;
    let ended = put_back(connection, doing, ids, ending, now).await?;
    if ended.len() != ids.len() {
        return Err(StoreError::Raced(doing));
    }
    let effects: Vec<_> = ended.iter().map(|ended| ended.effect(ending)).collect();
    log(connection, ending.by(caller), &effects)
        .await
        .map_err(failed(doing))
}

/// Ends what an order holds past its time, before goods of `skus` are taken for it: all their shelves are locked at
/// once, because two steps would lock them in another order than everybody does.
pub(super) async fn end_before_taking(
    connection: &mut PgConnection,
    doing: &'static str,
    (held, skus): (&Held, &[String]),
    caller: &str,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let ids = texts(std::iter::once(&held.id));
    lock_shelves(connection, doing, &ids, skus).await?;
    end(connection, doing, (&ids, Ending::Expire), caller, now).await
}

/// Locks the shelves of these reservations, and all those of `skus`, until the transaction ends.
async fn lock_shelves(
    connection: &mut PgConnection,
    doing: &'static str,
    ids: &[String],
    skus: &[String],
) -> Result<(), StoreError> {
    let locked = sqlx::query_scalar!(
        r#"with shelves as materialized (
               select s.sku from stock s
               where (s.sku, s.warehouse) in (
                   select l.sku, l.warehouse from reservation_lines l where l.reservation_id = any($1)
                   union
                   select o.sku, o.warehouse from stock o where o.sku = any($2)
               )
               order by s.sku, s.warehouse
               for update of s
           )
           select count(*) as "locked!" from shelves"#,
        ids,
        skus,
    );
    locked
        .fetch_one(connection)
        .await
        .map_err(failed(doing))
        .map(|_count| ())
}

/// Moves the goods; gives what ended. Shelves are locked already.
async fn put_back(
    connection: &mut PgConnection,
    doing: &'static str,
    ids: &[String],
    ending: Ending,
    now: OffsetDateTime,
) -> Result<Vec<Ended>, StoreError> {
    let rows = sqlx::query!(
        r#"with ended as (
               update reservations set status = $3, ended_at = $4 where id = any($1) and status = $2
               returning id, order_id, generation
           ), goods as materialized (
               select e.id, e.order_id, e.generation, l.sku, l.warehouse, l.units
               from ended e join reservation_lines l on l.reservation_id = e.id
           ), moved as (
               insert into movements (kind, sku, warehouse, units, order_id)
               select $5, sku, warehouse, units, order_id from goods order by id, sku, warehouse
           ), back as (
               update stock s set available = s.available + g.units
               from (select sku, warehouse, sum(units)::integer as units from goods group by sku, warehouse) as g
               where s.sku = g.sku and s.warehouse = g.warehouse
               returning 1
           )
           select id as "id!", order_id as "order_id!", generation as "generation!", sku as "sku!",
               warehouse as "warehouse!", units as "units!", (select count(*) from back) as "back!"
           from goods order by id, sku, warehouse"#,
        ids,
        ending.from().name(),
        ending.to().name(),
        now,
        ending.movement(),
    );
    let rows = rows.fetch_all(connection).await.map_err(failed(doing))?;
    let shelves: BTreeSet<_> = rows.iter().map(|row| (&row.sku, &row.warehouse)).collect();
    if rows
        .first()
        .is_some_and(|row| usize::try_from(row.back) != Ok(shelves.len()))
    {
        return Err(StoreError::Raced(doing));
    }
    let mut all: Vec<Ended> = vec![];
    for row in &rows {
        let part = part(&row.sku, &row.warehouse, row.units.unsigned_abs());
        match all.last_mut().filter(|ended| ended.id.as_str() == row.id) {
            Some(ended) => ended.parts.push(part),
            None => all.push(Ended {
                id: id(doing, &row.id)?,
                order: id(doing, &row.order_id)?,
                generation: row.generation,
                parts: vec![part],
            }),
        }
    }
    Ok(all)
}
