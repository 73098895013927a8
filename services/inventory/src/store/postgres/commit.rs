//! Committing: live to committed, once.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{Scope, Taken as Key, keep, take_alone_unless_closed};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{end, failed, status, strange, texts};
use crate::judgement::{Verdict, of_commit};
use crate::reservation::{Ending, KEEPER, Status};
use crate::store::{Commit, Failed, Refusal, told};

const COMMITTING: &str = "committing a reservation";

pub(super) async fn commit(pool: &PgPool, scope: Scope<'_>, commit: &Commit) -> Result<Outcome, Failed> {
    let mut transaction = pool.begin().await.map_err(failed(COMMITTING))?;
    let (order, generation) = (commit.order.as_str(), commit.generation.0.cast_signed());
    let key = take_alone_unless_closed(&mut transaction, scope, order, generation).await;
    let outcome = match key.map_err(failed(COMMITTING))? {
        Some(Key::Fresh) => {
            let stored = Stored::fresh(&told::committed(commit)).map_err(|error| strange(COMMITTING, error))?;
            let moved = write(&mut transaction, commit).await.map_err(failed(COMMITTING))?;
            if !moved.is_empty() {
                let effects = [told::commitment(commit, moved)];
                keep(transaction, scope, &stored.body, &effects)
                    .await
                    .map_err(failed(COMMITTING))?;
                return Ok(Outcome::Done(stored));
            }
            match of_commit(found(&mut transaction, commit).await?, commit.committed_at) {
                // It was not to be committed a moment ago, and the order is ours.
                Verdict::Commit => Err(StoreError::Raced(COMMITTING).into()),
                Verdict::Committed => Ok(Outcome::Done(stored)),
                Verdict::Expire => {
                    expire(&mut transaction, commit).await?;
                    transaction.commit().await.map_err(failed(COMMITTING))?;
                    return Err(Refusal::ReservationExpired.into());
                }
                Verdict::Refuse(refusal) => Err(refusal.into()),
            }
        }
        Some(Key::Repeat(body)) => Ok(Outcome::Done(Stored { body, replayed: true })),
        Some(Key::Reused) => Ok(Outcome::KeyReused),
        Some(Key::InProgress) => Ok(Outcome::InProgress),
        None => Ok(Outcome::Superseded),
    };
    // Awaited, so that the key is free before its holder hears of it.
    transaction.rollback().await.map_err(failed(COMMITTING))?;
    outcome
}

/// Commits a live reservation within its time and writes its movements; gives what left the house, as
/// `sku:warehouse:units`. Nothing where there is no such reservation.
async fn write(connection: &mut PgConnection, commit: &Commit) -> Result<Vec<String>, sqlx::Error> {
    let moved = sqlx::query_scalar!(
        r#"with committed as (
               update reservations set status = 'committed', committed_at = $4
               where id = $1 and order_id = $2 and generation = $3 and status = 'live' and expires_at > $4
               returning id
           ), moved as (
               insert into movements (kind, sku, warehouse, units, order_id)
               select 'commit', l.sku, l.warehouse, l.units, $2
               from reservation_lines l join committed c on c.id = l.reservation_id
               order by l.sku, l.warehouse
               returning sku, warehouse, units
           )
           select sku || ':' || warehouse || ':' || units as "moved!" from moved"#,
        commit.reservation.as_str(),
        commit.order.as_str(),
        commit.generation.0.cast_signed(),
        commit.committed_at,
    );
    moved.fetch_all(connection).await
}

/// Where the reservation of this order and generation is in its life, and when it ends.
async fn found(connection: &mut PgConnection, commit: &Commit) -> Result<Option<(Status, OffsetDateTime)>, StoreError> {
    let found = sqlx::query!(
        "select status, expires_at from reservations where id = $1 and order_id = $2 and generation = $3",
        commit.reservation.as_str(),
        commit.order.as_str(),
        commit.generation.0.cast_signed(),
    );
    let found = found.fetch_optional(connection).await.map_err(failed(COMMITTING))?;
    found
        .map(|found| Ok((status(COMMITTING, &found.status)?, found.expires_at)))
        .transpose()
}

async fn expire(connection: &mut PgConnection, commit: &Commit) -> Result<(), StoreError> {
    let ids = texts(std::iter::once(&commit.reservation));
    end::end(
        connection,
        COMMITTING,
        (&ids, Ending::Expire),
        KEEPER,
        commit.committed_at,
    )
    .await
}
