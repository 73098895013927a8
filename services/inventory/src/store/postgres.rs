//! The goods in PostgreSQL. Locks are taken in one order by everybody: the order of the shop, then rows of stock by
//! product and warehouse. Who ends what ran out has several orders, and waits for none of them.

mod books;
mod close;
mod commit;
mod end;
mod expire;
mod held;
mod receive;
mod reserve;
mod survey;

use adapter_http::server::{Outcome, StoreError};
use adapter_postgres::service::{Scope, is_race};
use async_trait::async_trait;
use contracts::inventory::{CloseAnswer, DeliveryAnswer};
use pipeline::id::{Id, Kind, OrderId};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::{Close, Commit, Failed, Goods, Reserve, Survey, Upkeep};
use crate::delivery::Delivery;
use crate::reservation::Status;
use crate::wanted::Wanted;

/// [`Goods`] and [`super::Books`] in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PgStore(pub PgPool);

#[async_trait]
impl Goods for PgStore {
    async fn survey(
        &self,
        order: Option<&OrderId>,
        wanted: &Wanted,
        now: OffsetDateTime,
    ) -> Result<Survey, StoreError> {
        survey::survey(&self.0, order, wanted, now).await
    }

    async fn reserve(&self, scope: Scope<'_>, reserve: &Reserve) -> Result<Outcome, Failed> {
        reserve::reserve(&self.0, scope, reserve).await
    }

    async fn commit(&self, scope: Scope<'_>, commit: &Commit) -> Result<Outcome, Failed> {
        commit::commit(&self.0, scope, commit).await
    }

    async fn close(&self, caller: &str, close: &Close) -> Result<CloseAnswer, StoreError> {
        close::close(&self.0, caller, close).await
    }

    async fn receive(&self, caller: &str, delivery: &Delivery) -> Result<DeliveryAnswer, Failed> {
        receive::receive(&self.0, caller, delivery).await
    }
}

#[async_trait]
impl Upkeep for PgStore {
    async fn expire(&self, now: OffsetDateTime, most: u32) -> Result<u32, StoreError> {
        expire::expire(&self.0, now, most).await
    }
}

/// What a failed statement means, by what it was part of.
fn failed(doing: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| {
        if is_race(&error) {
            return StoreError::Raced(doing);
        }
        StoreError::Unavailable {
            doing,
            source: error.into(),
        }
    }
}

/// What the store holds and this program cannot read: written by another version, or by hand.
fn strange(doing: &'static str, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable {
        doing,
        source: cause.into(),
    }
}

fn id<K: Kind>(doing: &'static str, text: &str) -> Result<Id<K>, StoreError> {
    Id::parse(text).map_err(|error| strange(doing, error))
}

fn status(doing: &'static str, name: &str) -> Result<Status, StoreError> {
    Status::parse(name).ok_or_else(|| strange(doing, format!("a reservation that is {name}")))
}

fn texts<'a, K: Kind>(ids: impl Iterator<Item = &'a Id<K>>) -> Vec<String> {
    ids.map(ToString::to_string).collect()
}
