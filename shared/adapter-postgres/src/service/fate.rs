//! What a failed statement means to whoever asked for it.

/// Codes of PostgreSQL that say that another transaction got in between, and that this one left nothing behind:
/// unique violation, serialization failure, deadlock, lock not available in time.
const RACES: [&str; 4] = ["23505", "40001", "40P01", "55P03"];

/// Whether another transaction got in between; asked again, the request is judged by what the other one left.
/// Everything else means that the database did not answer.
#[must_use]
pub fn is_race(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| RACES.contains(&&*code))
}
