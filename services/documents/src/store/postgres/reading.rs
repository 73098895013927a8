//! Documents, read back.

use adapter_http::server::StoreError;
use sqlx::PgPool;
use uuid::Uuid;

use super::{failed, unavailable};
use crate::address::Kind;
use crate::credit::void;

const READING: &str = "reading documents";

pub(super) async fn document(pool: &PgPool, kind: Kind, id: &str) -> Result<Option<String>, StoreError> {
    let found = match (kind, Uuid::try_parse(id)) {
        (Kind::Invoice | Kind::CreditNote, Err(_)) => return Ok(None),
        (Kind::Invoice, Ok(id)) => {
            let invoice = sqlx::query_scalar!("select document from invoices where cfdi_uuid = $1", id);
            invoice.fetch_optional(pool).await
        }
        (Kind::CreditNote, Ok(id)) => {
            let note = sqlx::query_scalar!("select document from credit_notes where credit_note_uuid = $1", id);
            note.fetch_optional(pool).await
        }
        (Kind::Label, _) => return label(pool, id).await,
    };
    found.map_err(|error| failed(READING, error))
}

/// The label that counts; where none does, the last one that did.
async fn label(pool: &PgPool, number: &str) -> Result<Option<String>, StoreError> {
    let found = sqlx::query!(
        r#"select document as "document!", voided_at from (
               select document, voided_at, at from labels where tracking_number = $1 and voided_at is null
               union all
               select document, voided_at, at from labels where tracking_number = $1 and voided_at is not null
           ) as label
           order by voided_at desc nulls first, at desc limit 1"#,
        number,
    );
    let found = found.fetch_optional(pool).await;
    let Some(found) = found.map_err(|error| failed(READING, error))? else {
        return Ok(None);
    };
    let read = match found.voided_at {
        Some(at) => void(&found.document, at),
        None => Ok(found.document),
    };
    read.map(Some).map_err(|error| unavailable(READING, error))
}
