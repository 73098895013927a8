//! The service's routes.

use std::sync::Arc;

use adapter_http::server::{
    Answer, BodyJson, Caller, Failure, KeyHeader, QueryOf, RequestKey, Routes, Stored, Surroundings, page_limit,
    page_start,
};
use adapter_postgres::service::Scope;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::{Json, Router};
use contracts::close::CloseRequest;
use contracts::documents::{CloseAnswer, CreditNoteRef, GenerateRequest};
use contracts::effects::{Effect, Page, PageQuery};
use contracts::limits::BODY_BYTES_MAX;
use contracts::problem;
use platform::clock::Clock;
use platform::health::Readiness;
use time::OffsetDateTime;

use crate::Config;
use crate::address::{Kind, PublicUrl};
use crate::credit::{Closing, Credit};
use crate::document::papers;
use crate::openapi;
use crate::request::{closing, sale};
use crate::sale::TrackingNumber;
use crate::store::Store;

/// What the routes work with.
#[derive(Clone)]
pub struct App {
    /// Where documents are kept.
    pub store: Arc<dyn Store>,
    /// Tells the time of issue.
    pub clock: Arc<dyn Clock>,
    /// Where documents are reached.
    pub public_url: Arc<PublicUrl>,
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
        .post("/documents/generate", generate)
        .post("/documents/close", close)
        .get("/documents/{kind}/{id}", document)
        .log("/effects", effects)
}

async fn generate(
    State(app): State<App>,
    Caller(caller): Caller,
    header: KeyHeader,
    body: BodyJson<GenerateRequest>,
) -> Answer<Stored> {
    let sale = sale(&body.value)?;
    let RequestKey { key, fingerprint } = RequestKey::of(header, body.value.idempotency_key.as_deref(), &body.text)?;
    let papers = papers(&sale, whole_seconds(app.clock.now()), &app.public_url);
    let papers = papers.map_err(|error| Failure::new(problem::Kind::Internal, error.to_string()))?;
    let scope = Scope {
        caller: &caller,
        operation: "generate",
        key: key.as_str(),
        fingerprint,
    };
    app.store.issue(scope, &sale, &papers).await?.told()
}

async fn close(
    State(app): State<App>,
    Caller(caller): Caller,
    body: BodyJson<CloseRequest>,
) -> Answer<Json<CloseAnswer>> {
    let closing = closing(&body.value, whole_seconds(app.clock.now()))?;
    let credits = app.store.close(&caller, &closing).await?;
    let note = |credit: Credit| CreditNoteRef {
        credit_note_uuid: credit.note.to_string(),
        cfdi_uuid: credit.invoice.to_string(),
        credit_note_url: app.public_url.of(Kind::CreditNote, credit.note),
    };
    let Closing { order, generation, .. } = closing;
    Ok(Json(CloseAnswer {
        order_id: order.to_string(),
        generation: generation.0,
        credit_notes: credits.into_iter().map(note).collect(),
    }))
}

async fn document(State(app): State<App>, path: Result<Path<(String, String)>, PathRejection>) -> Answer<Stored> {
    let nothing = || Failure::new(problem::Kind::NotFound, "no such document");
    let Path((kind, id)) = path.map_err(|_not_text| nothing())?;
    // The ids of all kinds are made of the same characters; with others in it, there is no need to look.
    let kind = Kind::parse(&kind)
        .filter(|_| TrackingNumber::parse(&id).is_ok())
        .ok_or_else(nothing)?;
    let body = app.store.document(kind, &id).await?.ok_or_else(nothing)?;
    Ok(Stored { body, replayed: false })
}

async fn effects(State(app): State<App>, QueryOf(query): QueryOf<PageQuery>) -> Answer<Json<Page<Effect>>> {
    let page = app.store.effects(page_start(&query)?, page_limit(&query)).await?;
    Ok(Json(page))
}

/// As much of the time as a document shows.
fn whole_seconds(time: OffsetDateTime) -> OffsetDateTime {
    time.replace_nanosecond(0).unwrap_or(time)
}
