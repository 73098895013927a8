//! The service's routes.

use std::sync::Arc;

use adapter_http::server::{
    Answer, BodyJson, Caller, Failure, KeyHeader, QueryOf, RequestKey, Routes, Stored, Surroundings, page_limit,
    page_start,
};
use adapter_postgres::service::Scope;
use axum::extract::State;
use axum::{Json, Router};
use contracts::effects::{Effect, Page, PageQuery};
use contracts::limits::BODY_BYTES_MAX;
use contracts::logistics::CalculateRequest;
use contracts::problem::Kind;
use platform::clock::Clock;
use platform::health::Readiness;

use crate::Config;
use crate::openapi;
use crate::quote::{NoQuote, quote};
use crate::request::parcel;
use crate::store::Store;

/// What the routes work with.
#[derive(Clone)]
pub struct App {
    /// Where shipments are filed.
    pub store: Arc<dyn Store>,
    /// Tells the day of hand-over.
    pub clock: Arc<dyn Clock>,
}

/// The service's router.
pub fn router(app: App, config: &Config, readiness: Readiness) -> Router {
    let around = Surroundings {
        callers: config.callers.clone(),
        dials: config.dials.clone(),
        readiness,
        openapi: openapi::DOCUMENT,
        body_bytes_max: BODY_BYTES_MAX,
        announced_bytes_max: BODY_BYTES_MAX,
    };
    routes().finish(app, around)
}

pub(crate) fn routes() -> Routes<App> {
    Routes::default()
        .post("/logistics/calculate", calculate)
        .log("/effects", effects)
}

async fn calculate(
    State(app): State<App>,
    Caller(caller): Caller,
    header: KeyHeader,
    body: BodyJson<CalculateRequest>,
) -> Answer<Stored> {
    let parcel = parcel(&body.value)?;
    let RequestKey { key, fingerprint } = RequestKey::of(header, body.value.idempotency_key.as_deref(), &body.text)?;
    let quote = quote(&parcel, app.clock.now()).map_err(|reason| match reason {
        NoQuote::NoCarrier => {
            let detail = format!("no carrier goes to {}", parcel.country);
            Failure::from(Kind::UnknownDestination.problem(detail).about("destination.country"))
        }
        NoQuote::TooHeavy => Failure::from(Kind::Invalid.problem("the parcel is too heavy").about("items")),
    })?;
    let scope = Scope {
        caller: &caller,
        operation: "calculate",
        key: key.as_str(),
        fingerprint,
    };
    app.store.file(scope, &parcel, &quote).await?.told()
}

async fn effects(State(app): State<App>, QueryOf(query): QueryOf<PageQuery>) -> Answer<Json<Page<Effect>>> {
    let page = app.store.effects(page_start(&query)?, page_limit(&query)).await?;
    Ok(Json(page))
}
