//! Closing generations: the tombstone, and goods that come back.

use adapter_http::server::StoreError;
use adapter_postgres::service;
use contracts::inventory::CloseAnswer;
use sqlx::{PgConnection, PgPool};

use super::held::held;
use super::{end, failed, status, texts};
use crate::reservation::{Held, Status};
use crate::store::{Close, told};

const CLOSING: &str = "closing a generation";

pub(super) async fn close(pool: &PgPool, caller: &str, close: &Close) -> Result<CloseAnswer, StoreError> {
    let mut transaction = pool.begin().await.map_err(failed(CLOSING))?;
    let generation = close.generation.0.cast_signed();
    // First of all: what else is asked for the order comes before this and is undone here, or after it and is refused.
    service::close(&mut transaction, close.order.as_str(), generation)
        .await
        .map_err(failed(CLOSING))?;
    let held = held(&mut transaction, CLOSING, &close.order).await?;
    if let Some(held) = held.filter(|held| held.generation <= close.generation) {
        take_back(&mut transaction, caller, close, &held).await?;
    }
    let reservations = reservations(&mut transaction, close).await?;
    transaction.commit().await.map_err(failed(CLOSING))?;
    Ok(told::closed(close, reservations.into_iter()))
}

async fn take_back(connection: &mut PgConnection, caller: &str, close: &Close, held: &Held) -> Result<(), StoreError> {
    let Some(ending) = held.status.closing(held.expires_at, close.closed_at) else {
        return Ok(());
    };
    let ids = texts(std::iter::once(&held.id));
    end::end(connection, CLOSING, (&ids, ending), caller, close.closed_at).await
}

/// Every reservation that these generations ever had. Two of one generation are a lifetime apart, of a minute at least.
async fn reservations(connection: &mut PgConnection, close: &Close) -> Result<Vec<(String, Status)>, StoreError> {
    let rows = sqlx::query!(
        "select id, status from reservations where order_id = $1 and generation <= $2
         order by generation, reserved_at, id",
        close.order.as_str(),
        close.generation.0.cast_signed(),
    );
    let rows = rows.fetch_all(connection).await.map_err(failed(CLOSING))?;
    rows.into_iter()
        .map(|row| Ok((row.id, status(CLOSING, &row.status)?)))
        .collect()
}
