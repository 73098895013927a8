//! The service's routes.

use std::sync::Arc;

use adapter_http::server::{
    Answer, BodyJson, Caller, Failure, KeyHeader, QueryOf, RequestKey, Routes, Stored, Surroundings, field, page_limit,
    page_start,
};
use adapter_postgres::service::Scope;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Json, Router};
use contracts::close::CloseRequest;
use contracts::effects::{Effect, Page, PageQuery};
use contracts::limits::BODY_BYTES_MAX;
use contracts::notifications::{CloseAnswer, CustomerEntry, OutboxQuery, SendRequest, StoredMessage};
use contracts::problem::Kind;
use pipeline::id::CustomerId;
use platform::clock::Clock;
use platform::health::Readiness;

use crate::Config;
use crate::customer::Customer;
use crate::notice::messages;
use crate::openapi;
use crate::request::{customer, notice};
use crate::store::Store;

/// What the routes work with.
#[derive(Clone)]
pub struct App {
    /// Where notices and customers are kept.
    pub store: Arc<dyn Store>,
    /// Tells the year that notices are numbered in.
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
        .post("/notifications/send", send)
        .post("/notifications/close", close)
        .get("/notifications/customers/{id}", read_customer)
        .put("/notifications/customers/{id}", enter_customer)
        .log("/notifications/outbox", outbox)
        .log("/effects", effects)
}

async fn send(
    State(app): State<App>,
    Caller(caller): Caller,
    header: KeyHeader,
    body: BodyJson<SendRequest>,
) -> Answer<Stored> {
    let notice = notice(&body.value)?;
    let RequestKey { key, fingerprint } = RequestKey::of(header, body.value.idempotency_key.as_deref(), &body.text)?;
    let known = app.store.customer(&notice.customer).await?;
    let scope = Scope {
        caller: &caller,
        operation: "send",
        key: key.as_str(),
        fingerprint,
    };
    let messages = messages(&notice, known.as_ref());
    app.store
        .queue(scope, &notice, &messages, app.clock.now().year())
        .await?
        .told()
}

async fn close(State(app): State<App>, body: BodyJson<CloseRequest>) -> Answer<Json<CloseAnswer>> {
    let order = field::id("order_id", &body.value.order_id)?;
    let generation = field::generation("generation", body.value.generation)?;
    let sent = app.store.close(&order, generation).await?;
    Ok(Json(CloseAnswer {
        order_id: order.to_string(),
        generation: generation.0,
        sent,
    }))
}

async fn read_customer(State(app): State<App>, id: Result<Path<String>, PathRejection>) -> Answer<Json<CustomerEntry>> {
    let known = app.store.customer(&customer_id(id)?).await?;
    let known = known.ok_or_else(|| Failure::new(Kind::NotFound, "the directory has no such customer"))?;
    Ok(Json(entry(&known)))
}

async fn enter_customer(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    body: BodyJson<CustomerEntry>,
) -> Answer<Json<CustomerEntry>> {
    let customer = customer(&body.value)?;
    app.store.enter(&customer_id(id)?, &customer).await?;
    Ok(Json(entry(&customer)))
}

async fn outbox(State(app): State<App>, QueryOf(query): QueryOf<OutboxQuery>) -> Answer<Json<Page<StoredMessage>>> {
    let order = query
        .order_id
        .as_deref()
        .map(|id| field::id("order_id", id))
        .transpose()?;
    let query = PageQuery {
        after: query.after,
        limit: query.limit,
    };
    let page = app
        .store
        .outbox(order.as_ref(), page_start(&query)?, page_limit(&query))
        .await?;
    Ok(Json(page))
}

async fn effects(State(app): State<App>, QueryOf(query): QueryOf<PageQuery>) -> Answer<Json<Page<Effect>>> {
    let page = app.store.effects(page_start(&query)?, page_limit(&query)).await?;
    Ok(Json(page))
}

fn customer_id(path: Result<Path<String>, PathRejection>) -> Answer<CustomerId> {
    let text = path.map(|Path(text)| text).unwrap_or_default();
    field::id("id", &text)
}

fn entry(customer: &Customer) -> CustomerEntry {
    CustomerEntry {
        email: customer.email.as_ref().map(|email| email.as_str().to_owned()),
        language: customer.language.code().to_owned(),
    }
}
