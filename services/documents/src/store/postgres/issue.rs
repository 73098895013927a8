//! Documents into the database, once.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{Scope, Taken, keep, take_unless_closed};
use sqlx::{PgConnection, PgPool};

use super::failed;
use crate::document::Papers;
use crate::sale::Sale;
use crate::store::{already, effects};

const ISSUING: &str = "issuing documents";

pub(super) async fn issue(
    pool: &PgPool,
    scope: Scope<'_>,
    sale: &Sale,
    papers: &Papers,
) -> Result<Outcome, StoreError> {
    let mut transaction = pool.begin().await.map_err(issuing)?;
    let (order, generation) = (sale.order.as_str(), sale.generation.0.cast_signed());
    let taken = take_unless_closed(&mut transaction, scope, order, generation);
    let outcome = match taken.await.map_err(issuing)? {
        None => Outcome::Superseded,
        Some(Taken::Fresh) => {
            let inserted = insert(&mut transaction, scope, sale, papers).await.map_err(issuing)?;
            match (inserted.invoices, inserted.labels) {
                (1, labels) if labels == sale.parcels.len() => {
                    keep(transaction, scope, &papers.answer, &effects::issued(sale, papers))
                        .await
                        .map_err(issuing)?;
                    return Ok(Outcome::Done(papers.stored(false)));
                }
                (1, _) => labelled_before(&mut transaction, sale, papers).await?,
                _ => invoiced_before(&mut transaction, scope, sale, papers).await?,
            }
        }
        Some(Taken::Repeat(body)) => Outcome::Done(Stored { body, replayed: true }),
        Some(Taken::Reused) => Outcome::KeyReused,
        Some(Taken::InProgress) => Outcome::InProgress,
    };
    // Awaited, so that the key is free before its holder hears of it.
    transaction.rollback().await.map_err(issuing)?;
    Ok(outcome)
}

/// How many rows were new.
struct Inserted {
    invoices: usize,
    labels: usize,
}

/// Inserts what is not there yet. Waits for transactions that are inserting the same.
async fn insert(
    connection: &mut PgConnection,
    scope: Scope<'_>,
    sale: &Sale,
    papers: &Papers,
) -> Result<Inserted, sqlx::Error> {
    let numbers: Vec<_> = sale.parcels.iter().map(|parcel| parcel.number.to_string()).collect();
    let carriers: Vec<_> = sale.parcels.iter().map(|parcel| parcel.carrier.clone()).collect();
    let inserted = sqlx::query!(
        r#"with invoice as (
               insert into invoices (cfdi_uuid, order_id, generation, customer_id, reservation_id, document, content)
               values ($1, $2, $3, $4, $5, $6, $7)
               on conflict do nothing
               returning cfdi_uuid
           ), label as (
               insert into labels (tracking_number, cfdi_uuid, place, carrier, document)
               select l.tracking_number, invoice.cfdi_uuid, l.place, l.carrier, l.document
               from invoice, unnest($8::text[], $9::text[], $10::text[]) with ordinality
                   as l(tracking_number, carrier, document, place)
               order by l.tracking_number
               on conflict do nothing
               returning 1
           )
           select (select count(*) from invoice) as "invoices!", (select count(*) from label) as "labels!""#,
        papers.fiscal_id,
        sale.order.as_str(),
        sale.generation.0.cast_signed(),
        sale.customer.as_str(),
        sale.reservation.as_str(),
        papers.invoice,
        &scope.fingerprint[..],
        &numbers,
        &carriers,
        &papers.labels,
    );
    let inserted = inserted.fetch_one(connection).await?;
    let count = |rows: i64| usize::try_from(rows).unwrap_or_default();
    Ok(Inserted {
        invoices: count(inserted.invoices),
        labels: count(inserted.labels),
    })
}

/// What is to be said when the invoice is new and a label is not.
async fn labelled_before(connection: &mut PgConnection, sale: &Sale, papers: &Papers) -> Result<Outcome, StoreError> {
    let numbers: Vec<_> = sale.parcels.iter().map(|parcel| parcel.number.to_string()).collect();
    let found = sqlx::query_scalar!(
        "select tracking_number from labels
         where tracking_number = any($1) and voided_at is null and cfdi_uuid <> $2
         order by tracking_number limit 1",
        &numbers,
        papers.fiscal_id,
    );
    let number = found.fetch_optional(connection).await.map_err(issuing)?;
    Ok(already::labelled(&number.ok_or(StoreError::Raced(ISSUING))?))
}

/// What is to be said when there is an invoice already.
async fn invoiced_before(
    connection: &mut PgConnection,
    scope: Scope<'_>,
    sale: &Sale,
    papers: &Papers,
) -> Result<Outcome, StoreError> {
    let found = sqlx::query!(
        "select cfdi_uuid, generation, content from invoices where order_id = $1 and status <> 'credited'",
        sale.order.as_str(),
    );
    let found = found.fetch_optional(connection).await.map_err(issuing)?;
    let found = found.ok_or(StoreError::Raced(ISSUING))?;
    Ok(if found.content == scope.fingerprint {
        Outcome::Done(papers.stored(true))
    } else {
        already::invoiced(&sale.order, found.cfdi_uuid, found.generation)
    })
}

fn issuing(error: sqlx::Error) -> StoreError {
    failed(ISSUING, error)
}
