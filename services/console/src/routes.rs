//! What the console answers.

mod acts;
mod lists;

use std::sync::Arc;

use adapter_http::server::{Callers, Dials, Routes, Surroundings};
use adapter_postgres::dead_letters::PgDeadLetterBooks;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use axum::Router;
use contracts::limits::BODY_BYTES_MAX;
use pipeline::dead_letters::DeadLetters;
use pipeline::ports::OrderStore;
use platform::health::Readiness;

/// Bytes of a request: a document, and a reason around it.
const REQUEST_BYTES_MAX: usize = BODY_BYTES_MAX + 4 * 1024;

/// What the routes work on.
#[derive(Clone)]
pub struct Desk {
    /// Where orders live.
    pub orders: Arc<dyn OrderStore>,
    /// Where dead letters are read.
    pub books: PgDeadLetterBooks,
    /// Where they are acted on.
    pub store: Arc<dyn DeadLetters>,
    /// The way back to the queue for messages that belong to no order.
    pub publisher: Arc<ConfirmPublisher>,
}

/// The console's own routes; what stands around them is added by [`router`].
#[must_use]
pub fn own() -> Routes<Desk> {
    Routes::default()
        .get("/dead-letters", lists::list)
        .get("/dead-letters/groups", lists::groups)
        .get("/dead-letters/{id}", lists::show)
        .post("/dead-letters/{id}/replay", acts::replay)
        .post("/dead-letters/{id}/abandon", acts::abandon)
        .post("/dead-letters/{id}/discard", acts::discard)
        .post("/orders/{id}/redo", acts::redo)
}

/// All routes. Every one but health and the OpenAPI document asks for a token.
pub fn router(desk: Desk, callers: Callers, readiness: Readiness) -> Router {
    let around = Surroundings {
        callers,
        dials: Dials::NONE,
        readiness,
        openapi: include_str!("../openapi.json"),
        body_bytes_max: REQUEST_BYTES_MAX,
        announced_bytes_max: REQUEST_BYTES_MAX,
    };
    own().finish(desk, around)
}
