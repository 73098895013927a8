//! Reserving: look, decide and write in one transaction that holds the order, and then the shelves.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{Scope, forget, keep, take_alone_unless_closed};
use contracts::inventory::ReserveAnswer;
use sqlx::{PgConnection, PgPool};

use super::held::{held, lines};
use super::survey::look_and_lock;
use super::{end, failed, strange, texts};
use crate::judgement::{Course, of_reserve};
use crate::plan::{Taken, plan};
use crate::reservation::KEEPER;
use crate::store::{Failed, Reserve, told};

const RESERVING: &str = "reserving";

pub(super) async fn reserve(pool: &PgPool, scope: Scope<'_>, reserve: &Reserve) -> Result<Outcome, Failed> {
    let mut transaction = pool.begin().await.map_err(failed(RESERVING))?;
    let told = match attempt(&mut transaction, scope, reserve).await {
        Ok(Attempt::Taken(answer)) => {
            let stored = Stored::fresh(&answer).map_err(|error| strange(RESERVING, error))?;
            let effects = [told::confirmation(reserve, &answer)];
            keep(transaction, scope, &stored.body, &effects)
                .await
                .map_err(failed(RESERVING))?;
            return Ok(Outcome::Done(stored));
        }
        Ok(Attempt::Told(outcome)) => Ok(outcome),
        Err(error) => Err(error),
    };
    // Awaited, so that order, key and shelves are free before anybody hears of it.
    transaction.rollback().await.map_err(failed(RESERVING))?;
    told
}

enum Attempt {
    /// Goods were taken; this is the answer to keep.
    Taken(ReserveAnswer),
    /// Nothing is to be kept.
    Told(Outcome),
}

async fn attempt(connection: &mut PgConnection, scope: Scope<'_>, reserve: &Reserve) -> Result<Attempt, Failed> {
    let (order, generation) = (reserve.order.as_str(), reserve.generation.0.cast_signed());
    let key = take_alone_unless_closed(connection, scope, order, generation).await;
    let key = key.map_err(failed(RESERVING))?;
    let held = held(connection, RESERVING, &reserve.order).await?;
    match of_reserve(key, held, reserve) {
        Course::Tell(outcome) => Ok(Attempt::Told(outcome)),
        Course::Find(held) => {
            let lines = lines(connection, RESERVING, &held).await?;
            let answer = told::confirmed(held.id.to_string(), held.expires_at, lines);
            let stored = Stored::fresh(&answer).map_err(|error| strange(RESERVING, error))?;
            Ok(Attempt::Told(Outcome::Done(stored)))
        }
        Course::Take { forget: stale, ran_out } => {
            if stale {
                forget(connection, scope).await.map_err(failed(RESERVING))?;
            }
            if let Some(held) = ran_out {
                let goods = (&held, &*reserve.wanted.skus());
                end::end_before_taking(connection, RESERVING, goods, KEEPER, reserve.reserved_at).await?;
            }
            Ok(Attempt::Taken(take(connection, reserve).await?))
        }
    }
}

/// Takes the goods of an order that holds none.
async fn take(connection: &mut PgConnection, reserve: &Reserve) -> Result<ReserveAnswer, Failed> {
    let survey = look_and_lock(connection, &reserve.wanted).await?;
    let goods = plan(&reserve.wanted, &survey)?;
    let id = write(connection, reserve, &goods).await?;
    Ok(told::confirmed(id, reserve.expires_at, told::lines(&goods)))
}

/// Writes the reservation, its lines and its movements, and takes the goods off the shelves, which are ours. Gives its
/// id.
async fn write(connection: &mut PgConnection, reserve: &Reserve, goods: &[Taken]) -> Result<String, StoreError> {
    let skus = texts(goods.iter().map(|taken| &taken.sku));
    let warehouses = texts(goods.iter().map(|taken| &taken.warehouse));
    let units: Vec<_> = goods.iter().map(|taken| taken.units.cast_signed()).collect();
    let written = sqlx::query!(
        r#"with goods as (
               select * from unnest($1::text[], $2::text[], $3::integer[]) as g(sku, warehouse, units)
           ), reservation as (
               insert into reservations (id, order_id, generation, status, content, reserved_at, expires_at)
               values ('RSV-' || $4::integer || '-' || nextval('reservation_numbers'), $5, $6, 'live', $7, $8, $9)
               returning id
           ), lines as (
               insert into reservation_lines (reservation_id, sku, warehouse, units)
               select r.id, g.sku, g.warehouse, g.units from reservation r, goods g
           ), moved as (
               insert into movements (kind, sku, warehouse, units, order_id)
               select 'reserve', g.sku, g.warehouse, g.units, $5 from reservation, goods g
           ), taken as (
               update stock s set available = s.available - g.units from reservation, goods g
               where s.sku = g.sku and s.warehouse = g.warehouse and s.available >= g.units
               returning 1
           )
           select id as "id!", (select count(*) from taken) as "taken!" from reservation"#,
        &skus,
        &warehouses,
        &units,
        reserve.reserved_at.year(),
        reserve.order.as_str(),
        reserve.generation.0.cast_signed(),
        &reserve.wanted.content()[..],
        reserve.reserved_at,
        reserve.expires_at,
    );
    let written = written.fetch_one(connection).await.map_err(failed(RESERVING))?;
    // A shelf that is not as we saw it undoes everything.
    if usize::try_from(written.taken) != Ok(goods.len()) {
        return Err(StoreError::Raced(RESERVING));
    }
    Ok(written.id)
}
