//! Answers: stored ones, and failures as problems.

use std::fmt::Display;

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use contracts::problem::{self, Kind, Problem};
use serde::Serialize;

/// Seconds that a caller is asked to wait before it tries again.
const RETRY_AFTER_S: u32 = 1;

/// What a handler gives.
pub type Answer<T> = Result<T, Failure>;

/// A request that was not done. Boxed, so that the answers that are the rule stay small.
#[derive(Debug)]
pub struct Failure(pub Box<Problem>);

impl Failure {
    /// A problem of `kind`, described by `detail`.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self::from(kind.problem(detail))
    }

    /// A server behind this one did not answer. The cause goes to the log, not to the caller.
    pub fn unavailable(doing: &'static str, cause: impl Display) -> Self {
        tracing::warn!("{doing}: {cause}");
        Self::new(
            Kind::Unavailable,
            format!("{doing}: the database does not answer; ask again"),
        )
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let waits = Kind::of_uri(&self.0.kind).is_some_and(Kind::is_wait);
        let body = serde_json::to_string(&self.0).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(problem::CONTENT_TYPE));
        if waits {
            headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
        }
        response
    }
}

/// The answer to a request with a key, as it is stored beside its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// JSON.
    pub body: String,
    /// Whether it had been stored before this request.
    pub replayed: bool,
}

impl Stored {
    /// The answer of an effect that was had just now.
    ///
    /// # Errors
    ///
    /// When `answer` cannot be written as JSON, which is a bug.
    pub fn fresh(answer: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self {
            body: serde_json::to_string(answer)?,
            replayed: false,
        })
    }
}

impl IntoResponse for Stored {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.replayed {
            headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
        }
        response
    }
}
