//! Documents in PostgreSQL.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{NewEffect, Scope, Taken, effects_page, is_race, keep, take};
use async_trait::async_trait;
use contracts::effects::{Effect, INVOICE_ISSUED, LABEL_ISSUED, Page};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::Store;
use crate::address::Kind;
use crate::document::Papers;
use crate::sale::Sale;

const ISSUING: &str = "issuing documents";
const READING: &str = "reading documents";

/// [`Store`] in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PgStore(pub PgPool);

#[async_trait]
impl Store for PgStore {
    async fn issue(&self, scope: Scope<'_>, sale: &Sale, papers: &Papers) -> Result<Outcome, StoreError> {
        let mut transaction = self.0.begin().await.map_err(issuing)?;
        let outcome = match take(&mut transaction, scope).await.map_err(issuing)? {
            Taken::Fresh => {
                let inserted = insert(&mut transaction, scope, sale, papers).await.map_err(issuing)?;
                match (inserted.invoices, inserted.labels) {
                    (1, labels) if labels == sale.parcels.len() => {
                        keep(transaction, scope, &papers.answer, &effects(sale, papers))
                            .await
                            .map_err(issuing)?;
                        return Ok(Outcome::Done(stored(papers, false)));
                    }
                    (1, _) => labelled_before(&mut transaction, sale, papers).await.map_err(issuing)?,
                    _ => invoiced_before(&mut transaction, scope, sale, papers)
                        .await
                        .map_err(issuing)?,
                }
            }
            Taken::Repeat(body) => Outcome::Done(Stored { body, replayed: true }),
            Taken::Reused => Outcome::KeyReused,
            Taken::InProgress => Outcome::InProgress,
        };
        // Awaited, so that the key is free before its holder hears of it.
        transaction.rollback().await.map_err(issuing)?;
        Ok(outcome)
    }

    async fn document(&self, kind: Kind, id: &str) -> Result<Option<String>, StoreError> {
        let found = match (kind, Uuid::try_parse(id)) {
            (Kind::Invoice, Err(_)) => return Ok(None),
            (Kind::Invoice, Ok(id)) => {
                let invoice = sqlx::query_scalar!("select document from invoices where cfdi_uuid = $1", id);
                invoice.fetch_optional(&self.0).await
            }
            (Kind::Label, _) => {
                let label = sqlx::query_scalar!("select document from labels where tracking_number = $1", id);
                label.fetch_optional(&self.0).await
            }
        };
        found.map_err(|error| failed(READING, error))
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        effects_page(&self.0, after, limit)
            .await
            .map_err(|error| failed(READING, error))
    }
}

fn stored(papers: &Papers, replayed: bool) -> Stored {
    Stored {
        body: papers.answer.clone(),
        replayed,
    }
}

fn effects<'a>(sale: &'a Sale, papers: &Papers) -> Vec<NewEffect<'a>> {
    let effect = |kind, subject: String| NewEffect {
        kind,
        order_id: sale.order.as_str(),
        generation: sale.generation.0.cast_signed(),
        subject,
        parts: vec![],
    };
    let labels = sale
        .parcels
        .iter()
        .map(|parcel| effect(LABEL_ISSUED, parcel.number.to_string()));
    std::iter::once(effect(INVOICE_ISSUED, papers.fiscal_id.to_string()))
        .chain(labels)
        .collect()
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
async fn labelled_before(connection: &mut PgConnection, sale: &Sale, papers: &Papers) -> Result<Outcome, sqlx::Error> {
    let numbers: Vec<_> = sale.parcels.iter().map(|parcel| parcel.number.to_string()).collect();
    let found = sqlx::query_scalar!(
        "select tracking_number from labels where tracking_number = any($1) and cfdi_uuid <> $2 limit 1",
        &numbers,
        papers.fiscal_id,
    );
    let number = found.fetch_optional(connection).await?.unwrap_or_default();
    Ok(Outcome::Exists(format!(
        "shipment {number} has a label already, with another invoice"
    )))
}

/// What is to be said when there is an invoice already.
async fn invoiced_before(
    connection: &mut PgConnection,
    scope: Scope<'_>,
    sale: &Sale,
    papers: &Papers,
) -> Result<Outcome, sqlx::Error> {
    let found = sqlx::query!(
        "select cfdi_uuid, generation, content from invoices where order_id = $1 and status <> 'credited'",
        sale.order.as_str(),
    );
    let order = &sale.order;
    Ok(match found.fetch_optional(connection).await? {
        Some(found) if found.content == scope.fingerprint => Outcome::Done(stored(papers, true)),
        Some(found) => Outcome::Exists(format!(
            "{order} has invoice {} of generation {}, asked for with other content",
            found.cfdi_uuid, found.generation,
        )),
        None => Outcome::Exists(format!(
            "the invoice of generation {} of {order} was credited",
            sale.generation.0
        )),
    })
}

fn issuing(error: sqlx::Error) -> StoreError {
    failed(ISSUING, error)
}

fn failed(doing: &'static str, error: sqlx::Error) -> StoreError {
    if is_race(&error) {
        return StoreError::Raced(doing);
    }
    StoreError::Unavailable {
        doing,
        source: error.into(),
    }
}
