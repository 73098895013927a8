//! Ending what ran out, a batch in a transaction.

use adapter_http::server::StoreError;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{end, failed};
use crate::reservation::{Ending, KEEPER};

const EXPIRING: &str = "ending reservations that ran out";

pub(super) async fn expire(pool: &PgPool, now: OffsetDateTime, most: u32) -> Result<u32, StoreError> {
    let mut transaction = pool.begin().await.map_err(failed(EXPIRING))?;
    let ids = take_due(&mut transaction, now, most).await.map_err(failed(EXPIRING))?;
    if ids.is_empty() {
        transaction.rollback().await.map_err(failed(EXPIRING))?;
        return Ok(0);
    }
    end::end(&mut transaction, EXPIRING, (&ids, Ending::Expire), KEEPER, now).await?;
    transaction.commit().await.map_err(failed(EXPIRING))?;
    Ok(u32::try_from(ids.len()).unwrap_or(most))
}

/// Takes reservations that ran out, with their orders, and waits for nobody: who has an order may wait for a
/// reservation or a shelf that we have.
async fn take_due(connection: &mut PgConnection, now: OffsetDateTime, most: u32) -> Result<Vec<String>, sqlx::Error> {
    let ids = sqlx::query_scalar!(
        "with due as materialized (
             select id, order_id from reservations
             where status = 'live' and expires_at <= $1 order by expires_at limit $2
         ), ours as materialized (
             select id from due where try_take_order(order_id)
         )
         select r.id from reservations r
         where r.id in (select id from ours) and r.status = 'live' and r.expires_at <= $1
         order by r.id
         for update of r skip locked",
        now,
        i64::from(most),
    );
    ids.fetch_all(connection).await
}
