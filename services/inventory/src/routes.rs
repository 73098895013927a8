//! The routes.

mod failure;
mod pages;
mod requests;

use std::sync::Arc;

use adapter_http::server::{
    Answer, BodyJson, Caller, Failure, KeyHeader, QueryOf, RequestKey, Routes, Stored, Surroundings, field,
};
use adapter_postgres::service::Scope;

use axum::extract::{DefaultBodyLimit, State};
use axum::handler::Handler as _;
use axum::{Json, Router};
use contracts::close::CloseRequest;
use contracts::inventory::{
    CheckAnswer, CheckRequest, CheckedLine, CloseAnswer, CommitRequest, DeliveryAnswer, ReserveRequest, StockDelivery,
};
use contracts::limits::{BODY_BYTES_MAX, STOCK_BYTES_MAX};
use contracts::problem::Kind;
use pipeline::id::OrderId;
use platform::clock::Clock;
use platform::health::Readiness;

use crate::config::Config;
use crate::delivery::Delivery;
use crate::openapi;
use crate::plan;
use crate::store::{Books, Failed, Goods};
use crate::wanted::Wanted;
use requests::OneLine;

/// What the routes work with.
#[derive(Clone)]
pub struct Inventory {
    /// The goods.
    pub goods: Arc<dyn Goods>,
    /// What can be read back.
    pub books: Arc<dyn Books>,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
}

/// The service's router.
pub fn router(inventory: Inventory, config: &Config, readiness: Readiness) -> Router {
    let around = Surroundings {
        callers: config.callers.clone(),
        dials: config.dials.clone(),
        readiness,
        openapi: openapi::DOCUMENT,
        body_bytes_max: BODY_BYTES_MAX,
        announced_bytes_max: STOCK_BYTES_MAX,
    };
    routes().finish(inventory, around)
}

pub(crate) fn routes() -> Routes<Inventory> {
    Routes::default()
        .post("/inventory/check", check)
        .get("/inventory/check", check_one)
        .post("/inventory/reserve", reserve)
        .post("/inventory/commit", commit)
        .post("/inventory/close", close)
        .put(
            "/inventory/stock",
            receive.layer(DefaultBodyLimit::max(STOCK_BYTES_MAX)),
        )
        .log("/inventory/stock", pages::stock)
        .log("/inventory/movements", pages::movements)
        .log("/effects", pages::effects)
}

async fn check(State(inventory): State<Inventory>, body: BodyJson<CheckRequest>) -> Answer<Json<CheckAnswer>> {
    let request = body.value;
    let order: Option<OrderId> = request
        .order_id
        .as_deref()
        .map(|order| field::id("order_id", order))
        .transpose()?;
    let wanted = Wanted::parse(&request.country, &request.items)?;
    let survey = inventory
        .goods
        .survey(order.as_ref(), &wanted, inventory.clock.now())
        .await?;
    Ok(Json(plan::check(&wanted, &survey).map_err(Failed::from)?))
}

async fn check_one(State(inventory): State<Inventory>, query: QueryOf<OneLine>) -> Answer<Json<CheckedLine>> {
    let wanted = query.0.wanted()?;
    let survey = inventory.goods.survey(None, &wanted, inventory.clock.now()).await?;
    let answer = plan::check(&wanted, &survey).map_err(Failed::from)?;
    let line = answer.lines.into_iter().next();
    // One line was asked for.
    line.map(Json)
        .ok_or_else(|| Failure::new(Kind::Internal, "the check has no line"))
}

async fn reserve(
    State(inventory): State<Inventory>,
    Caller(caller): Caller,
    header: KeyHeader,
    body: BodyJson<ReserveRequest>,
) -> Answer<Stored> {
    let reserve = requests::reserve(&body.value, inventory.clock.now())?;
    let RequestKey { key, fingerprint } = RequestKey::of(header, body.value.idempotency_key.as_deref(), &body.text)?;
    let scope = Scope {
        caller: &caller,
        operation: "reserve",
        key: key.as_str(),
        fingerprint,
    };
    inventory.goods.reserve(scope, &reserve).await?.told()
}

async fn commit(
    State(inventory): State<Inventory>,
    Caller(caller): Caller,
    header: KeyHeader,
    body: BodyJson<CommitRequest>,
) -> Answer<Stored> {
    let commit = requests::commit(&body.value, inventory.clock.now())?;
    let RequestKey { key, fingerprint } = RequestKey::of(header, body.value.idempotency_key.as_deref(), &body.text)?;
    let scope = Scope {
        caller: &caller,
        operation: "commit",
        key: key.as_str(),
        fingerprint,
    };
    inventory.goods.commit(scope, &commit).await?.told()
}

async fn close(
    State(inventory): State<Inventory>,
    Caller(caller): Caller,
    body: BodyJson<CloseRequest>,
) -> Answer<Json<CloseAnswer>> {
    let close = requests::close(&body.value, inventory.clock.now())?;
    Ok(Json(inventory.goods.close(&caller, &close).await?))
}

async fn receive(
    State(inventory): State<Inventory>,
    Caller(caller): Caller,
    body: BodyJson<StockDelivery>,
) -> Answer<Json<DeliveryAnswer>> {
    let delivery = Delivery::parse(&body.value)?;
    drop(body); // as large as the delivery, twice
    Ok(Json(inventory.goods.receive(&caller, &delivery).await?))
}
