//! A key, its answer and its effect are one transaction.

use sqlx::{PgConnection, Postgres, Transaction};

use super::NewEffect;

/// Whose key it is, for what: a key is unique in its scope.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The caller behind the token.
    pub caller: &'a str,
    /// The operation, e.g. `reserve`.
    pub operation: &'static str,
    /// The key.
    pub key: &'a str,
    /// What tells a repeat from another request.
    pub fingerprint: [u8; 32],
}

/// What a key turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Taken {
    /// Never used, and ours until the transaction ends.
    Fresh,
    /// Used for the same request; the stored answer.
    Repeat(String),
    /// Used for another request.
    Reused,
    /// Another transaction is working on it.
    InProgress,
}

/// Takes a key for the length of the transaction, so that a crash frees it at once, and looks it up.
///
/// # Errors
///
/// The database's.
pub async fn take(connection: &mut PgConnection, scope: Scope<'_>) -> Result<Taken, sqlx::Error> {
    let found = sqlx::query!(
        r#"select locked as "locked!", fingerprint, answer from take_key($1, $2, $3)"#,
        scope.caller,
        scope.operation,
        scope.key,
    );
    let found = found.fetch_one(connection).await?;
    Ok(Taken::of(scope, found.locked, found.fingerprint, found.answer))
}

impl Taken {
    pub(super) fn of(scope: Scope<'_>, locked: bool, fingerprint: Option<Vec<u8>>, answer: Option<String>) -> Self {
        match (locked, fingerprint, answer) {
            (false, _, _) => Self::InProgress,
            (true, Some(fingerprint), Some(answer)) if fingerprint == scope.fingerprint => Self::Repeat(answer),
            (true, Some(_), _) => Self::Reused,
            (true, None, _) => Self::Fresh,
        }
    }
}

/// Forgets the stored answer of a key that is taken, because it counts no more; the key is judged anew and can be kept
/// again in the same transaction.
///
/// # Errors
///
/// The database's; [`sqlx::Error::RowNotFound`] when there is no such answer.
pub async fn forget(connection: &mut PgConnection, scope: Scope<'_>) -> Result<(), sqlx::Error> {
    let forgotten = sqlx::query!(
        "delete from idempotency_keys where caller = $1 and operation = $2 and key = $3 and fingerprint = $4",
        scope.caller,
        scope.operation,
        scope.key,
        &scope.fingerprint[..],
    );
    match forgotten.execute(connection).await?.rows_affected() {
        1 => Ok(()),
        _ => Err(sqlx::Error::RowNotFound),
    }
}

/// Stores the key with its answer, and the effects, then commits everything that the transaction did.
///
/// # Errors
///
/// The database's; nothing is stored then, or the commit's outcome is unknown and the key tells.
pub async fn keep(
    mut transaction: Transaction<'_, Postgres>,
    scope: Scope<'_>,
    answer: &str,
    effects: &[NewEffect<'_>],
) -> Result<(), sqlx::Error> {
    let kinds: Vec<_> = effects.iter().map(|effect| effect.kind.to_owned()).collect();
    let orders: Vec<_> = effects.iter().map(|effect| effect.order_id.to_owned()).collect();
    let generations: Vec<_> = effects.iter().map(|effect| effect.generation).collect();
    let subjects: Vec<_> = effects.iter().map(|effect| effect.subject.clone()).collect();
    let parts: Vec<_> = effects.iter().map(|effect| effect.parts.join(",")).collect();
    sqlx::query!(
        r#"with kept as (
               insert into idempotency_keys (caller, operation, key, fingerprint, answer) values ($1, $2, $3, $4, $5)
           )
           insert into effects (caller, kind, order_id, generation, subject, parts)
           select $1, e.kind, e.order_id, e.generation, e.subject, string_to_array(e.parts, ',')
           from unnest($6::text[], $7::text[], $8::integer[], $9::text[], $10::text[])
               as e(kind, order_id, generation, subject, parts)"#,
        scope.caller,
        scope.operation,
        scope.key,
        &scope.fingerprint[..],
        answer,
        &kinds,
        &orders,
        &generations,
        &subjects,
        &parts,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}
