//! Looking at the stock: for a check without locks, for a reserve with them.

use adapter_http::server::StoreError;
use pipeline::id::OrderId;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{failed, id, status, strange};
use crate::allocation::Shelf;
use crate::reservation::Status;
use crate::store::{Own, Survey};
use crate::wanted::Wanted;

const LOOKING: &str = "looking at the stock";

pub(super) async fn survey(
    pool: &PgPool,
    order: Option<&OrderId>,
    wanted: &Wanted,
    now: OffsetDateTime,
) -> Result<Survey, StoreError> {
    let mut connection = pool.acquire().await.map_err(failed(LOOKING))?;
    // The stock first: what the order reserves in between is then counted twice rather than not at all.
    let mut survey = look(&mut connection, wanted).await?;
    if let Some(order) = order {
        survey.own = own(&mut connection, order, now).await?;
    }
    Ok(survey)
}

/// A row of what is known of a product, once for each shelf that comes into question, or once without a shelf.
struct Row {
    sku: String,
    weight_grams: i32,
    warehouse: Option<String>,
    available: Option<i32>,
}

async fn look(connection: &mut PgConnection, wanted: &Wanted) -> Result<Survey, StoreError> {
    let (hinted, hints) = hints(wanted);
    let rows = sqlx::query_as!(
        Row,
        r#"select p.sku as "sku!", p.weight_grams as "weight_grams!", s.warehouse as "warehouse?", s.available as "available?"
           from products p
           left join stock s on s.sku = p.sku and s.available > 0
               and (s.country = $2 or (s.sku, s.warehouse) in (select * from unnest($3::text[], $4::text[])))
           where p.sku = any($1)"#,
        &wanted.skus(),
        wanted.country,
        &hinted,
        &hints,
    );
    read(rows.fetch_all(connection).await.map_err(failed(LOOKING))?)
}

/// As [`survey`], with the shelves locked until the transaction ends.
pub(super) async fn look_and_lock(connection: &mut PgConnection, wanted: &Wanted) -> Result<Survey, StoreError> {
    let (hinted, hints) = hints(wanted);
    let rows = sqlx::query_as!(
        Row,
        r#"with shelves as materialized (
               select s.sku, s.warehouse, s.available from stock s
               where s.sku = any($1) and s.available > 0
                   and (s.country = $2 or (s.sku, s.warehouse) in (select * from unnest($3::text[], $4::text[])))
               order by s.sku, s.warehouse
               for update
           )
           select p.sku as "sku!", p.weight_grams as "weight_grams!", s.warehouse as "warehouse?", s.available as "available?"
           from products p left join shelves s on s.sku = p.sku
           where p.sku = any($1)"#,
        &wanted.skus(),
        wanted.country,
        &hinted,
        &hints,
    );
    read(rows.fetch_all(connection).await.map_err(failed(LOOKING))?)
}

/// Products and the warehouses that are preferred for them.
fn hints(wanted: &Wanted) -> (Vec<String>, Vec<String>) {
    let hinted = wanted
        .demands
        .iter()
        .filter_map(|demand| Some((&demand.sku, demand.hint.as_ref()?)));
    hinted.map(|(sku, hint)| (sku.to_string(), hint.to_string())).unzip()
}

fn read(rows: Vec<Row>) -> Result<Survey, StoreError> {
    let mut survey = Survey {
        weights: [].into(),
        shelves: vec![],
        own: None,
    };
    for row in rows {
        let sku = id(LOOKING, &row.sku)?;
        if let (Some(warehouse), Some(available)) = (row.warehouse, row.available) {
            survey.shelves.push(shelf(&row.sku, &warehouse, available)?);
        }
        survey.weights.insert(sku, row.weight_grams.unsigned_abs());
    }
    Ok(survey)
}

/// What ran out counts as the order's own as well: a reserve for it puts that back first.
async fn own(connection: &mut PgConnection, order: &OrderId, now: OffsetDateTime) -> Result<Option<Own>, StoreError> {
    let rows = sqlx::query!(
        r#"select r.status as "status!", r.expires_at as "expires_at!",
               l.sku as "sku!", l.warehouse as "warehouse!", l.units as "units!"
           from reservations r join reservation_lines l on l.reservation_id = r.id
           where r.order_id = $1 and r.status in ('live', 'committed')"#,
        order.as_str(),
    );
    let rows = rows.fetch_all(connection).await.map_err(failed(LOOKING))?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let status = status(LOOKING, &first.status)?;
    let ends = status == Status::Live && !status.ran_out(first.expires_at, now);
    let goods = rows.iter().map(|row| shelf(&row.sku, &row.warehouse, row.units));
    Ok(Some(Own {
        ends: ends.then_some(first.expires_at),
        goods: goods.collect::<Result<_, _>>()?,
    }))
}

fn shelf(sku: &str, warehouse: &str, units: i32) -> Result<Shelf, StoreError> {
    Ok(Shelf {
        sku: id(LOOKING, sku)?,
        warehouse: id(LOOKING, warehouse)?,
        available: u32::try_from(units).map_err(|error| strange(LOOKING, error))?,
    })
}
