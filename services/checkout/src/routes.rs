//! What checkout answers.

use std::str::FromStr as _;
use std::sync::Arc;

use adapter_http::server::{
    Answer, Callers, Dials, Failure, KeyHeader, QueryOf, Routes, Surroundings, page_limit, page_start,
};
use adapter_postgres::ledger::PgLedger;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State as Shared};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use contracts::checkout::{OrderAccepted, OrderSummary, OrderView, OutboxDepth};
use contracts::effects::{Effect, Page, PageQuery};
use contracts::limits::BODY_BYTES_MAX;
use contracts::problem::Kind;
use pipeline::id::OrderId;
use pipeline::message::{Malformed, MalformedKind};
use pipeline::order::State;
use pipeline::ports::{Intake, Placement};
use platform::clock::Clock;
use platform::health::Readiness;
use platform::logging::chain;
use serde::Deserialize;

use crate::backlog::Backlog;

/// What the routes work on.
#[derive(Clone)]
pub struct Desk {
    /// Where promises go.
    pub intake: Arc<dyn Intake>,
    /// Where orders are read.
    pub ledger: PgLedger,
    /// How much is waiting.
    pub backlog: Backlog,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
}

/// Checkout's own routes; what stands around them is added by [`router`].
#[must_use]
pub fn own() -> Routes<Desk> {
    Routes::default()
        .post("/orders", place)
        .get("/orders", list)
        .get("/orders/{id}", show)
        .log("/outbox", outbox)
        .log("/effects", effects)
}

/// All routes. Every one but health and the OpenAPI document asks for a token.
pub fn router(desk: Desk, callers: Callers, readiness: Readiness) -> Router {
    let around = Surroundings {
        callers,
        dials: Dials::NONE,
        readiness,
        openapi: include_str!("../openapi.json"),
        body_bytes_max: BODY_BYTES_MAX,
        announced_bytes_max: BODY_BYTES_MAX,
    };
    own().finish(desk, around)
}

async fn place(Shared(desk): Shared<Desk>, header: KeyHeader, body: Result<Bytes, BytesRejection>) -> Answer<Response> {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let told = format!("at most {BODY_BYTES_MAX} bytes are accepted");
            Failure::from(Kind::TooLarge.problem(told).about("body"))
        }
        _ => Failure::new(Kind::Malformed, rejection.body_text()),
    })?;
    let order = contracts::order_message::accept(&body, header.0.as_ref(), desk.clock.now()).map_err(refused)?;
    if header.0.is_some_and(|key| key != order.content.key) {
        let told = "differs between the header and the body";
        return Err(Failure::from(Kind::Invalid.problem(told).about("idempotency_key")));
    }
    if let Some(waiting) = desk.backlog.full() {
        return Err(Failure::new(
            Kind::Overloaded,
            format!("{waiting} orders wait for a worker; come back later"),
        ));
    }
    let id = &order.content.order;
    let placed = desk.intake.place(&order).await;
    match placed.map_err(|error| Failure::unavailable("storing the order", chain(&error)))? {
        Placement::Accepted => Ok(accepted(id, "accepted", false)),
        Placement::Known(state) => Ok(accepted(id, state.name(), true)),
        Placement::OrderIdTaken => {
            let told = format!("order {id} was accepted with another key or other content");
            Err(Failure::from(Kind::OrderConflict.problem(told).about("order_id")))
        }
        Placement::KeyTaken(other) => {
            let told = format!("the key belongs to order {other}");
            Err(Failure::from(Kind::KeyTaken.problem(told).about("idempotency_key")))
        }
    }
}

fn accepted(id: &OrderId, state: &str, known: bool) -> Response {
    let status_url = format!("/orders/{id}");
    let answer = OrderAccepted {
        order_id: id.to_string(),
        state: state.to_owned(),
        status_url: status_url.clone(),
    };
    let replayed = HeaderName::from_static("idempotency-replayed");
    let mut response = (StatusCode::ACCEPTED, [("location", status_url)], Json(answer)).into_response();
    if known {
        response
            .headers_mut()
            .insert(replayed, axum::http::HeaderValue::from_static("true"));
    }
    response
}

fn refused(malformed: Malformed) -> Failure {
    let kind = match malformed.kind {
        MalformedKind::TooLarge => Kind::TooLarge,
        MalformedKind::Shape => Kind::Malformed,
        MalformedKind::Rule => Kind::Invalid,
    };
    kind.problem(malformed.to_string()).about(malformed.field).into()
}

async fn show(Shared(desk): Shared<Desk>, Path(id): Path<String>) -> Answer<Json<OrderView>> {
    let unknown = || Failure::new(Kind::NotFound, "no order of this id was ever accepted");
    let id = OrderId::parse(&id).map_err(|_| unknown())?;
    let found = desk.ledger.order(&id).await;
    let found = found.map_err(|error| Failure::unavailable("reading the order", chain(&error)))?;
    found.map(Json).ok_or_else(unknown)
}

#[derive(Debug, Deserialize)]
struct OrdersQuery {
    after: Option<String>,
    limit: Option<u32>,
    state: Option<String>,
}

async fn list(Shared(desk): Shared<Desk>, QueryOf(query): QueryOf<OrdersQuery>) -> Answer<Json<Page<OrderSummary>>> {
    let limit = page_limit(&PageQuery {
        after: None,
        limit: query.limit,
    });
    let wrong = |field: &str, told: String| Failure::from(Kind::Invalid.problem(told).about(field));
    let after = query.after.map(|after| OrderId::parse(&after)).transpose();
    let after = after.map_err(|error| wrong("after", error.to_string()))?;
    let after = after.map(|after| after.to_string()).unwrap_or_default();
    if let Some(Err(error)) = query.state.as_deref().map(State::from_str) {
        return Err(wrong("state", error.to_string()));
    }
    let page = desk.ledger.orders(&after, query.state.as_deref(), limit).await;
    page.map(Json)
        .map_err(|error| Failure::unavailable("listing orders", chain(&error)))
}

async fn outbox(Shared(desk): Shared<Desk>) -> Answer<Json<OutboxDepth>> {
    let depth = desk.ledger.outbox().await;
    depth
        .map(Json)
        .map_err(|error| Failure::unavailable("reading the outbox", chain(&error)))
}

async fn effects(Shared(desk): Shared<Desk>, QueryOf(query): QueryOf<PageQuery>) -> Answer<Json<Page<Effect>>> {
    let page = desk.ledger.refunds(page_start(&query)?, page_limit(&query)).await;
    page.map(Json)
        .map_err(|error| Failure::unavailable("reading the refunds", chain(&error)))
}
