//! Committing: live to committed, once.

use adapter_http::server::{Outcome, Stored};
use adapter_postgres::service::{NewEffect, Scope, Taken as Key, keep, take};
use contracts::effects::RESERVATION_COMMITTED;
use contracts::inventory::CommitAnswer;
use sqlx::{PgConnection, PgPool};

use super::{failed, strange};
use crate::store::{Commit, Failed, Refusal};

const COMMITTING: &str = "committing a reservation";

pub(super) async fn commit(pool: &PgPool, scope: Scope<'_>, commit: &Commit) -> Result<Outcome, Failed> {
    let mut transaction = pool.begin().await.map_err(failed(COMMITTING))?;
    let outcome = match take(&mut transaction, scope).await.map_err(failed(COMMITTING))? {
        Key::Fresh => {
            let stored = Stored::fresh(&answer(commit)).map_err(|error| strange(COMMITTING, error))?;
            let moved = write(&mut transaction, commit).await.map_err(failed(COMMITTING))?;
            if !moved.is_empty() {
                let effects = [committed(commit, moved)];
                keep(transaction, scope, &stored.body, &effects)
                    .await
                    .map_err(failed(COMMITTING))?;
                return Ok(Outcome::Done(stored));
            }
            let committed = is_committed(&mut transaction, commit)
                .await
                .map_err(failed(COMMITTING))?;
            let known = committed.then_some(Outcome::Done(stored));
            known.ok_or_else(|| Refusal::UnknownReservation.into())
        }
        Key::Repeat(body) => Ok(Outcome::Done(Stored { body, replayed: true })),
        Key::Reused => Ok(Outcome::KeyReused),
        Key::InProgress => Ok(Outcome::InProgress),
    };
    // Awaited, so that the key is free before its holder hears of it.
    transaction.rollback().await.map_err(failed(COMMITTING))?;
    outcome
}

/// Commits a live reservation and writes its movements; gives what left the house, as `sku:warehouse:units`. Nothing
/// where there is no such live reservation. Waits for another transaction that is committing it.
async fn write(connection: &mut PgConnection, commit: &Commit) -> Result<Vec<String>, sqlx::Error> {
    let moved = sqlx::query_scalar!(
        r#"with committed as (
               update reservations set status = 'committed', committed_at = $4
               where id = $1 and order_id = $2 and generation = $3 and status = 'live'
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

async fn is_committed(connection: &mut PgConnection, commit: &Commit) -> Result<bool, sqlx::Error> {
    let found = sqlx::query_scalar!(
        r#"select exists (
               select from reservations
               where id = $1 and order_id = $2 and generation = $3 and status = 'committed'
           ) as "found!""#,
        commit.reservation.as_str(),
        commit.order.as_str(),
        commit.generation.0.cast_signed(),
    );
    found.fetch_one(connection).await
}

fn answer(commit: &Commit) -> CommitAnswer {
    CommitAnswer {
        reservation_id: commit.reservation.to_string(),
        status: "committed".to_owned(),
    }
}

fn committed(commit: &Commit, parts: Vec<String>) -> NewEffect<'_> {
    NewEffect {
        kind: RESERVATION_COMMITTED,
        order_id: commit.order.as_str(),
        generation: commit.generation.0.cast_signed(),
        subject: commit.reservation.to_string(),
        parts,
    }
}
