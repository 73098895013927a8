//! Counting a delivery: all of it in one transaction, in pieces that fit into a statement.

use adapter_http::server::StoreError;
use contracts::inventory::DeliveryAnswer;
use pipeline::id::WarehouseId;
use sqlx::{PgConnection, PgPool};

use super::{failed, id, texts};
use crate::delivery::{Delivery, DeliveryId, Row};
use crate::store::{Failed, Refusal};

const RECEIVING: &str = "counting a delivery";

/// Rows in one statement.
const PIECE_ROWS_MAX: usize = 5_000;

/// PostgreSQL's code of a number that does not fit its column.
const OUT_OF_RANGE: &str = "22003";

pub(super) async fn receive(pool: &PgPool, caller: &str, delivery: &Delivery) -> Result<DeliveryAnswer, Failed> {
    let mut transaction = pool.begin().await.map_err(failed(RECEIVING))?;
    let fresh = file(&mut transaction, caller, delivery).await?;
    if fresh {
        // All products before any shelf: deliveries side by side then wait for each other, never in a circle.
        for rows in delivery.rows.chunks(PIECE_ROWS_MAX) {
            know(&mut transaction, rows).await?;
        }
        let filled: Vec<_> = delivery.rows.iter().filter(|row| row.units > 0).collect();
        for rows in filled.chunks(PIECE_ROWS_MAX) {
            shelve(&mut transaction, &delivery.id, rows).await?;
        }
        transaction.commit().await.map_err(failed(RECEIVING))?;
    }
    Ok(DeliveryAnswer {
        delivery_id: delivery.id.to_string(),
        rows: delivery.rows_sent,
        units: delivery.units,
        already_counted: !fresh,
    })
}

/// Files the delivery; `false` when one of this name and content was counted before. Waits for a transaction that is
/// counting it.
async fn file(connection: &mut PgConnection, caller: &str, delivery: &Delivery) -> Result<bool, Failed> {
    let inserted = sqlx::query!(
        "insert into deliveries (id, content, caller, rows, units) values ($1, $2, $3, $4, $5) on conflict do nothing",
        delivery.id.as_str(),
        &delivery.content[..],
        caller,
        delivery.rows_sent.cast_signed(),
        delivery.units.cast_signed(),
    );
    let inserted = inserted.execute(&mut *connection).await.map_err(failed(RECEIVING))?;
    if inserted.rows_affected() == 1 {
        return Ok(true);
    }
    let content = sqlx::query_scalar!("select content from deliveries where id = $1", delivery.id.as_str());
    let content = content.fetch_one(connection).await.map_err(failed(RECEIVING))?;
    if content != delivery.content {
        return Err(Refusal::AlreadyDelivered.into());
    }
    Ok(false)
}

/// Makes the products known; refuses another weight than the known one.
async fn know(connection: &mut PgConnection, rows: &[Row]) -> Result<(), Failed> {
    let mut products: Vec<_> = rows
        .iter()
        .map(|row| (row.sku.to_string(), row.weight_grams.cast_signed()))
        .collect();
    products.dedup(); // sorted, and of one weight each
    let (skus, weights): (Vec<_>, Vec<_>) = products.into_iter().unzip();
    let inserted = sqlx::query!(
        r#"insert into products (sku, weight_grams)
           select sku, weight from unnest($1::text[], $2::integer[]) as r(sku, weight) order by sku collate "C"
           on conflict do nothing"#,
        &skus,
        &weights,
    );
    inserted.execute(&mut *connection).await.map_err(failed(RECEIVING))?;
    let other = sqlx::query!(
        r#"select p.sku as "sku!", p.weight_grams as "weight_grams!" from products p
           join unnest($1::text[], $2::integer[]) as r(sku, weight) on r.sku = p.sku
           where p.weight_grams <> r.weight
           order by p.sku limit 1"#,
        &skus,
        &weights,
    );
    match other.fetch_optional(connection).await.map_err(failed(RECEIVING))? {
        None => Ok(()),
        Some(other) => {
            let sku = id(RECEIVING, &other.sku)?;
            Err(Refusal::OtherWeight(sku, other.weight_grams.unsigned_abs()).into())
        }
    }
}

/// Puts units on their shelves, in the order in which everybody locks them.
async fn shelve(connection: &mut PgConnection, delivery: &DeliveryId, rows: &[&Row]) -> Result<(), Failed> {
    let skus = texts(rows.iter().map(|row| &row.sku));
    let warehouses = texts(rows.iter().map(|row| &row.warehouse));
    let country = |row: &&Row| WarehouseId::country(&row.warehouse).map(str::to_owned);
    let countries: Vec<_> = rows.iter().map(country).collect();
    let units: Vec<_> = rows.iter().map(|row| row.units.cast_signed()).collect();
    let shelved = sqlx::query!(
        r#"with came as (
               select * from unnest($1::text[], $2::text[], $3::text[], $4::integer[])
                   as c(sku, warehouse, country, units)
           ), moved as (
               insert into movements (kind, sku, warehouse, units, delivery_id)
               select 'delivery', sku, warehouse, units, $5 from came
           )
           insert into stock as s (sku, warehouse, country, available, delivered)
           select sku, warehouse, country, units, units from came order by sku collate "C", warehouse collate "C"
           on conflict (sku, warehouse) do update
           set available = s.available + excluded.available, delivered = s.delivered + excluded.delivered"#,
        &skus,
        &warehouses,
        &countries as &[Option<String>],
        &units,
        delivery.as_str(),
    );
    let shelved = shelved.execute(connection).await;
    match shelved {
        Ok(_) => Ok(()),
        Err(error) if is_out_of_range(&error) => Err(Refusal::TooMany.into()),
        Err(error) => Err(StoreError::into(failed(RECEIVING)(error))),
    }
}

fn is_out_of_range(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == OUT_OF_RANGE)
}
