//! Reserving: look, decide and write in one transaction that holds the shelves.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{NewEffect, Scope, Taken as Key, keep, take};
use contracts::effects::RESERVATION_CONFIRMED;
use contracts::inventory::{ReserveAnswer, ReservedLine, kilograms};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::survey::look_and_lock;
use super::{failed, strange, texts};
use crate::plan::{Taken, plan};
use crate::store::{Failed, Refusal, Reserve};

const RESERVING: &str = "reserving";

pub(super) async fn reserve(pool: &PgPool, scope: Scope<'_>, reserve: &Reserve) -> Result<Outcome, Failed> {
    let mut transaction = pool.begin().await.map_err(failed(RESERVING))?;
    let told = match take(&mut transaction, scope).await.map_err(failed(RESERVING))? {
        Key::Fresh => match attempt(&mut transaction, reserve).await {
            Ok(Some(answer)) => {
                let stored = Stored::fresh(&answer).map_err(|error| strange(RESERVING, error))?;
                let effects = [confirmed(reserve, answer)];
                keep(transaction, scope, &stored.body, &effects)
                    .await
                    .map_err(failed(RESERVING))?;
                return Ok(Outcome::Done(stored));
            }
            Ok(None) => held(&mut transaction, reserve).await.map_err(Failed::from),
            Err(error) => Err(error),
        },
        Key::Repeat(body) => Ok(Outcome::Done(Stored { body, replayed: true })),
        Key::Reused => Ok(Outcome::KeyReused),
        Key::InProgress => Ok(Outcome::InProgress),
    };
    // Awaited, so that key and shelves are free before anybody hears of it.
    transaction.rollback().await.map_err(failed(RESERVING))?;
    told
}

/// Takes the goods; `None` where the order holds a reservation, and then nothing was taken.
async fn attempt(connection: &mut PgConnection, reserve: &Reserve) -> Result<Option<ReserveAnswer>, Failed> {
    let survey = look_and_lock(connection, &reserve.wanted).await?;
    match plan(&reserve.wanted, &survey) {
        Ok(goods) => {
            let id = write(connection, reserve, &goods).await?;
            Ok(id.map(|id| answer(id, reserve.expires_at, &goods)))
        }
        // They may have gone to this same order, under another key.
        Err(Refusal::OutOfStock(_)) if holds(connection, reserve).await? => Ok(None),
        Err(refusal) => Err(refusal.into()),
    }
}

async fn holds(connection: &mut PgConnection, reserve: &Reserve) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar!(
        r#"select exists (
               select from reservations where order_id = $1 and status in ('live', 'committed')
           ) as "found!""#,
        reserve.order.as_str(),
    );
    found.fetch_one(connection).await.map_err(failed(RESERVING))
}

/// What is to be said where the order holds a reservation.
async fn held(connection: &mut PgConnection, reserve: &Reserve) -> Result<Outcome, StoreError> {
    let found = sqlx::query!(
        "select id, generation, content, expires_at from reservations
         where order_id = $1 and status in ('live', 'committed')",
        reserve.order.as_str(),
    );
    let found = found
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed(RESERVING))?;
    let found = found.ok_or(StoreError::Raced(RESERVING))?;
    let order = &reserve.order;
    if found.generation.unsigned_abs() != reserve.generation.0 {
        let (id, generation) = (found.id, found.generation);
        return Ok(Outcome::Exists(format!(
            "{order} holds {id} of generation {generation}"
        )));
    }
    if found.content != reserve.wanted.content() {
        return Ok(Outcome::Exists(format!("{order} holds {} for other goods", found.id)));
    }
    let lines = sqlx::query!(
        r#"select l.sku as "sku!", l.warehouse as "warehouse!", l.units as "units!", p.weight_grams as "weight_grams!"
           from reservation_lines l join products p on p.sku = l.sku
           where l.reservation_id = $1 order by l.sku, l.warehouse"#,
        found.id,
    );
    let lines = lines.fetch_all(connection).await.map_err(failed(RESERVING))?;
    let lines = lines.into_iter().map(|line| ReservedLine {
        sku: line.sku,
        qty: line.units.unsigned_abs(),
        warehouse: line.warehouse,
        weight_kg: kilograms(line.weight_grams.unsigned_abs()),
    });
    let answer = said(found.id, found.expires_at, lines.collect());
    let stored = Stored::fresh(&answer).map_err(|error| strange(RESERVING, error))?;
    Ok(Outcome::Done(stored))
}

/// Writes the reservation, its lines and its movements, and takes the goods off the shelves, which are ours. Gives its
/// id; `None`, with nothing written, where the order holds one. Waits for a transaction that is writing one.
async fn write(
    connection: &mut PgConnection,
    reserve: &Reserve,
    goods: &[Taken],
) -> Result<Option<String>, StoreError> {
    let skus = texts(goods.iter().map(|taken| &taken.sku));
    let warehouses = texts(goods.iter().map(|taken| &taken.warehouse));
    let units: Vec<_> = goods.iter().map(|taken| taken.units.cast_signed()).collect();
    let written = sqlx::query!(
        r#"with goods as (
               select * from unnest($1::text[], $2::text[], $3::integer[]) as g(sku, warehouse, units)
           ), reservation as (
               insert into reservations (id, order_id, generation, status, content, reserved_at, expires_at)
               values ('RSV-' || $4::integer || '-' || nextval('reservation_numbers'), $5, $6, 'live', $7, $8, $9)
               on conflict (order_id) where status in ('live', 'committed') do nothing
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
    let written = written.fetch_optional(connection).await.map_err(failed(RESERVING))?;
    let Some(written) = written else { return Ok(None) };
    // A shelf that is not as we saw it undoes everything.
    if usize::try_from(written.taken) != Ok(goods.len()) {
        return Err(StoreError::Raced(RESERVING));
    }
    Ok(Some(written.id))
}

fn answer(id: String, expires_at: OffsetDateTime, goods: &[Taken]) -> ReserveAnswer {
    let line = |taken: &Taken| ReservedLine {
        sku: taken.sku.to_string(),
        qty: taken.units,
        warehouse: taken.warehouse.to_string(),
        weight_kg: kilograms(taken.weight_grams),
    };
    said(id, expires_at, goods.iter().map(line).collect())
}

/// A reservation that is committed by now is told as it was when it was confirmed.
fn said(id: String, expires_at: OffsetDateTime, lines: Vec<ReservedLine>) -> ReserveAnswer {
    ReserveAnswer {
        reservation_id: id,
        status: "confirmed".to_owned(),
        expires_at,
        lines,
    }
}

fn confirmed(reserve: &Reserve, answer: ReserveAnswer) -> NewEffect<'_> {
    let part = |line: &ReservedLine| format!("{}:{}:{}", line.sku, line.warehouse, line.qty);
    NewEffect {
        kind: RESERVATION_CONFIRMED,
        order_id: reserve.order.as_str(),
        generation: reserve.generation.0.cast_signed(),
        parts: answer.lines.iter().map(part).collect(),
        subject: answer.reservation_id,
    }
}
