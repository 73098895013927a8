//! Closing generations.

use adapter_http::server::StoreError;
use adapter_postgres::service;
use pipeline::id::{Generation, OrderId};
use sqlx::PgPool;

use super::failed;

const CLOSING: &str = "closing a generation";

pub(super) async fn close(pool: &PgPool, order: &OrderId, generation: Generation) -> Result<Vec<String>, StoreError> {
    let mut transaction = pool.begin().await.map_err(closing)?;
    // First of all: from here on, no notice of these generations that goes forward can come up.
    service::close(&mut transaction, order.as_str(), generation.0.cast_signed())
        .await
        .map_err(closing)?;
    let sent = sqlx::query_scalar!(
        "select template from notices where order_id = $1 order by template",
        order.as_str()
    );
    let sent = sent.fetch_all(&mut *transaction).await.map_err(closing)?;
    transaction.commit().await.map_err(closing)?;
    Ok(sent)
}

fn closing(error: sqlx::Error) -> StoreError {
    failed(CLOSING, error)
}
