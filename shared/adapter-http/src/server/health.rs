//! Whether a process lives and can work.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use platform::health::Readiness;

/// `GET /health/live` answers 200 while the process can answer at all; `GET /health/ready` answers 200 or 503 with the
/// reason. Neither asks for a token.
pub fn health(readiness: Readiness) -> Router {
    let ready = move || {
        let reason = readiness.reason();
        async move {
            match reason {
                None => told(StatusCode::OK, "ready", None),
                Some(reason) => told(StatusCode::SERVICE_UNAVAILABLE, "not ready", Some(&reason)),
            }
        }
    };
    Router::new()
        .route("/health/live", get(|| async { told(StatusCode::OK, "live", None) }))
        .route("/health/ready", get(ready))
}

fn told(code: StatusCode, status: &str, reason: Option<&str>) -> impl IntoResponse + use<> {
    let body = serde_json::json!({ "status": status, "reason": reason });
    (code, [(CONTENT_TYPE, "application/json")], body.to_string())
}
