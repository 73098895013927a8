//! Closing generations: the tombstone, and documents taken back.

use adapter_http::server::StoreError;
use adapter_postgres::service::{self, log};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{failed, unavailable};
use crate::credit::{Closing, Credit};
use crate::store::effects;

const CLOSING: &str = "closing a generation";

pub(super) async fn close(pool: &PgPool, caller: &str, closing: &Closing) -> Result<Vec<Credit>, StoreError> {
    let mut transaction = pool.begin().await.map_err(failed_closing)?;
    // First of all: from here on, no invoice of these generations can come up.
    service::close(
        &mut transaction,
        closing.order.as_str(),
        closing.generation.0.cast_signed(),
    )
    .await
    .map_err(failed_closing)?;
    if let Some(invoice) = uncredited(&mut transaction, closing).await.map_err(failed_closing)? {
        take_back(&mut transaction, caller, closing, &invoice).await?;
    }
    let credits = credits(&mut transaction, closing).await.map_err(failed_closing)?;
    transaction.commit().await.map_err(failed_closing)?;
    Ok(credits)
}

struct Uncredited {
    cfdi_uuid: Uuid,
    generation: i32,
    document: String,
}

/// There is at most one of an order.
async fn uncredited(connection: &mut PgConnection, closing: &Closing) -> Result<Option<Uncredited>, sqlx::Error> {
    let found = sqlx::query_as!(
        Uncredited,
        "select cfdi_uuid, generation, document from invoices
         where order_id = $1 and status <> 'credited' and generation <= $2",
        closing.order.as_str(),
        closing.generation.0.cast_signed(),
    );
    found.fetch_optional(connection).await
}

async fn take_back(
    connection: &mut PgConnection,
    caller: &str,
    closing: &Closing,
    invoice: &Uncredited,
) -> Result<(), StoreError> {
    let credit = Credit::of(invoice.cfdi_uuid);
    let note = credit
        .document(&invoice.document, closing)
        .map_err(|error| unavailable(CLOSING, error))?;
    let credited = credit_invoice(connection, closing, invoice, credit, &note).await;
    if credited.map_err(failed_closing)? != 1 {
        return Err(StoreError::Raced(CLOSING));
    }
    let voided = void_labels(connection, closing, credit).await.map_err(failed_closing)?;
    let effects = effects::taken_back(closing, invoice.generation, credit, voided);
    log(connection, caller, &effects).await.map_err(failed_closing)
}

/// How many invoices were credited.
async fn credit_invoice(
    connection: &mut PgConnection,
    closing: &Closing,
    invoice: &Uncredited,
    credit: Credit,
    note: &str,
) -> Result<u64, sqlx::Error> {
    let credited = sqlx::query!(
        "with credited as (
             update invoices set status = 'credited' where cfdi_uuid = $1 and status = 'issued' returning cfdi_uuid
         )
         insert into credit_notes (credit_note_uuid, cfdi_uuid, order_id, generation, document)
         select $2, credited.cfdi_uuid, $3, $4, $5 from credited",
        credit.invoice,
        credit.note,
        closing.order.as_str(),
        invoice.generation,
        note,
    );
    credited.execute(connection).await.map(|done| done.rows_affected())
}

/// The numbers of the labels that became void, in the order of the sale.
async fn void_labels(
    connection: &mut PgConnection,
    closing: &Closing,
    credit: Credit,
) -> Result<Vec<String>, sqlx::Error> {
    let voided = sqlx::query_scalar!(
        "with voided as (
             update labels set voided_at = $2 where cfdi_uuid = $1 and voided_at is null
             returning tracking_number, place
         )
         select tracking_number from voided order by place",
        credit.invoice,
        closing.at,
    );
    voided.fetch_all(connection).await
}

/// The credits of these generations, oldest first: no generation gets an invoice after a higher one.
async fn credits(connection: &mut PgConnection, closing: &Closing) -> Result<Vec<Credit>, sqlx::Error> {
    let credits = sqlx::query_as!(
        Credit,
        "select cfdi_uuid as invoice, credit_note_uuid as note from credit_notes
         where order_id = $1 and generation <= $2 order by generation",
        closing.order.as_str(),
        closing.generation.0.cast_signed(),
    );
    credits.fetch_all(connection).await
}

fn failed_closing(error: sqlx::Error) -> StoreError {
    failed(CLOSING, error)
}
