//! Shipments in PostgreSQL.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{Scope, Taken, effects_page, is_race, keep, take};
use async_trait::async_trait;
use contracts::effects::{Effect, Page};
use contracts::logistics::CalculateAnswer;
use contracts::money::WireMoney;
use pipeline::money::{Currency, Money};
use sqlx::{PgConnection, PgPool};

use super::Store;
use super::told::{self, FILING};
use crate::quote::{Parcel, Quote};

const READING: &str = "reading the effects";

/// [`Store`] in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PgStore(pub PgPool);

#[async_trait]
impl Store for PgStore {
    async fn file(&self, scope: Scope<'_>, parcel: &Parcel, quote: &Quote) -> Result<Outcome, StoreError> {
        let mut transaction = self.0.begin().await.map_err(filing)?;
        let outcome = match take(&mut transaction, scope).await.map_err(filing)? {
            Taken::Fresh => match insert(&mut transaction, scope, parcel, quote).await.map_err(filing)? {
                Some(number) => {
                    let stored = told::filed(quote, &number)?;
                    let effects = [told::calculated(parcel, number)];
                    keep(transaction, scope, &stored.body, &effects).await.map_err(filing)?;
                    return Ok(Outcome::Done(stored));
                }
                None => existing(&mut transaction, scope, parcel).await?,
            },
            Taken::Repeat(body) => Outcome::Done(Stored { body, replayed: true }),
            Taken::Reused => Outcome::KeyReused,
            Taken::InProgress => Outcome::InProgress,
        };
        // Awaited, so that the key is free before its holder hears of it.
        transaction.rollback().await.map_err(filing)?;
        Ok(outcome)
    }

    async fn effects(&self, after: i64, limit: i64) -> Result<Page<Effect>, StoreError> {
        effects_page(&self.0, after, limit)
            .await
            .map_err(|error| failed(READING, error))
    }
}

/// The number of the new shipment; `None` when there is one already. Waits for a transaction that is inserting one.
async fn insert(
    connection: &mut PgConnection,
    scope: Scope<'_>,
    parcel: &Parcel,
    quote: &Quote,
) -> Result<Option<String>, sqlx::Error> {
    let inserted = sqlx::query_scalar!(
        "insert into shipments (tracking_number, tracking_prefix, order_id, generation, origin, country, carrier,
             service, estimated_delivery, weight_grams, cost_minor, currency, content)
         values ($1::text || nextval('tracking_numbers')::text, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         on conflict (order_id, generation, origin, content) do nothing
         returning tracking_number",
        quote.tracking_prefix,
        parcel.order.as_str(),
        parcel.generation.0.cast_signed(),
        parcel.origin.as_str(),
        parcel.country,
        quote.carrier,
        quote.service,
        quote.estimated_delivery,
        parcel.weight_grams.cast_signed(),
        quote.cost.minor(),
        quote.cost.currency().code(),
        &scope.fingerprint[..],
    );
    inserted.fetch_optional(connection).await
}

/// What is to be said of the shipment that is there already.
async fn existing(connection: &mut PgConnection, scope: Scope<'_>, parcel: &Parcel) -> Result<Outcome, StoreError> {
    let found = sqlx::query!(
        "select tracking_number, tracking_prefix, carrier, service, estimated_delivery, cost_minor, currency
         from shipments where order_id = $1 and generation = $2 and origin = $3 and content = $4",
        parcel.order.as_str(),
        parcel.generation.0.cast_signed(),
        parcel.origin.as_str(),
        &scope.fingerprint[..],
    );
    let found = found.fetch_optional(connection).await.map_err(filing)?;
    let found = found.ok_or(StoreError::Raced(FILING))?;
    let currency = Currency::parse(&found.currency).map_err(unreadable)?;
    let cost = Money::from_minor(found.cost_minor, currency).ok_or_else(|| unreadable("a cost below zero"))?;
    let answer = CalculateAnswer {
        carrier: found.carrier,
        service: found.service,
        estimated_delivery: found.estimated_delivery.to_string(),
        tracking_prefix: found.tracking_prefix,
        tracking_number: found.tracking_number,
        shipping_cost: WireMoney(cost),
    };
    let mut stored = Stored::fresh(&answer).map_err(unreadable)?;
    stored.replayed = true;
    Ok(Outcome::Done(stored))
}

fn filing(error: sqlx::Error) -> StoreError {
    failed(FILING, error)
}

fn failed(doing: &'static str, error: sqlx::Error) -> StoreError {
    if is_race(&error) {
        return StoreError::Raced(doing);
    }
    unavailable(doing, error)
}

fn unreadable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    unavailable(FILING, error)
}

fn unavailable(doing: &'static str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable {
        doing,
        source: error.into(),
    }
}
