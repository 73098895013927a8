//! The directory of customers.

use adapter_http::server::StoreError;
use pipeline::id::CustomerId;
use sqlx::PgPool;

use super::{failed, unavailable};
use crate::customer::{Customer, Email};
use crate::language::Language;

const FINDING: &str = "finding a customer";

pub(super) async fn find(pool: &PgPool, id: &CustomerId) -> Result<Option<Customer>, StoreError> {
    let found = sqlx::query!(
        "select email, language from customers where customer_id = $1",
        id.as_str()
    );
    let Some(found) = found
        .fetch_optional(pool)
        .await
        .map_err(|error| failed(FINDING, error))?
    else {
        return Ok(None);
    };
    let email = found.email.as_deref().map(Email::parse).transpose();
    let language = Language::parse(&found.language);
    Ok(Some(Customer {
        email: email.map_err(|error| unavailable(FINDING, error))?,
        language: language.ok_or_else(|| unavailable(FINDING, "an unknown language"))?,
    }))
}

pub(super) async fn enter(pool: &PgPool, id: &CustomerId, customer: &Customer) -> Result<(), sqlx::Error> {
    let entered = sqlx::query!(
        "insert into customers (customer_id, email, language) values ($1, $2, $3)
         on conflict (customer_id) do update set email = excluded.email, language = excluded.language, at = now()",
        id.as_str(),
        customer.email.as_ref().map(Email::as_str),
        customer.language.code(),
    );
    entered.execute(pool).await.map(|_one_row| ())
}
