//! Closed generations: a tombstone refuses forward effects, whoever asks for them and however late.

use sqlx::PgConnection;

use super::{Scope, Taken};

/// Closes `generation` of an order and all lower ones, for ever. Forward effects that are being had are waited for; later
/// ones wait until the transaction has ended.
///
/// # Errors
///
/// The database's.
pub async fn close(connection: &mut PgConnection, order_id: &str, generation: i32) -> Result<(), sqlx::Error> {
    let closed = sqlx::query!("select close_generation($1, $2)", order_id, generation);
    closed.fetch_one(connection).await.map(|_nothing| ())
}

/// Takes a key as [`super::take`] does, for a forward effect of `generation` of an order, which cannot be closed until
/// the transaction ends. `None` when it is closed already: whatever answer the key has stored counts no more.
///
/// # Errors
///
/// The database's.
pub async fn take_unless_closed(
    connection: &mut PgConnection,
    scope: Scope<'_>,
    order_id: &str,
    generation: i32,
) -> Result<Option<Taken>, sqlx::Error> {
    let found = sqlx::query!(
        r#"select closed as "closed!", locked as "locked!", fingerprint, answer
           from take_key_of_order($1, $2, $3, $4, $5)"#,
        order_id,
        generation,
        scope.caller,
        scope.operation,
        scope.key,
    );
    let found = found.fetch_one(connection).await?;
    Ok((!found.closed).then(|| Taken::of(scope, found.locked, found.fingerprint, found.answer)))
}

/// As [`take_unless_closed`], with the order held alone: whatever else is asked for it waits until the transaction ends.
/// For a service whose forward effects of one order depend on each other.
///
/// # Errors
///
/// The database's.
pub async fn take_alone_unless_closed(
    connection: &mut PgConnection,
    scope: Scope<'_>,
    order_id: &str,
    generation: i32,
) -> Result<Option<Taken>, sqlx::Error> {
    let found = sqlx::query!(
        r#"select closed as "closed!", locked as "locked!", fingerprint, answer
           from take_key_of_order_alone($1, $2, $3, $4, $5)"#,
        order_id,
        generation,
        scope.caller,
        scope.operation,
        scope.key,
    );
    let found = found.fetch_one(connection).await?;
    Ok((!found.closed).then(|| Taken::of(scope, found.locked, found.fingerprint, found.answer)))
}
