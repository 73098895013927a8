//! What a request must be before any route sees it, and what a refusal looks like whoever gave it.

use axum::body::{HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use contracts::problem::Kind;

use super::Failure;

/// Longest path with its query, in bytes.
const ADDRESS_BYTES_MAX: usize = 8 * 1024;

/// Longest refusal of the router's own that is passed on, in bytes.
const QUOTED_BYTES_MAX: usize = 1_000;

/// Middleware: turns away what could not be read anyway, before any of its body is waited for. A body is plain JSON:
/// its content type says so or is absent, and it has no content encoding; `body_bytes_max` is what may be announced.
///
/// What the router refuses by itself, such as a path that is not UTF-8, is told as a problem like everything else.
pub async fn gate(State(body_bytes_max): State<usize>, request: Request, next: Next) -> Response {
    match unreadable(&request, body_bytes_max) {
        Some(failure) => failure.into_response(),
        None => as_problem(next.run(request).await).await,
    }
}

fn unreadable(request: &Request, body_bytes_max: usize) -> Option<Failure> {
    let address = request
        .uri()
        .path_and_query()
        .map_or(0, |address| address.as_str().len());
    if address > ADDRESS_BYTES_MAX {
        let told = format!("an address of {address} bytes; at most {ADDRESS_BYTES_MAX} are accepted");
        return Some(Failure::new(Kind::Malformed, told));
    }
    let announced = request.body().size_hint().lower();
    if usize::try_from(announced).map_or(true, |announced| announced > body_bytes_max) {
        let told = format!("{announced} bytes; at most {body_bytes_max} are accepted");
        return Some(Failure::from(Kind::TooLarge.problem(told).about("body")));
    }
    if !matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH) {
        return None;
    }
    let wrong =
        |header: &HeaderName, told: &str| Some(Failure::from(Kind::Malformed.problem(told).about(header.as_str())));
    if !all(request, &CONTENT_ENCODING, "identity") {
        return wrong(&CONTENT_ENCODING, "must be absent: bodies are plain");
    }
    if !all(request, &CONTENT_TYPE, "application/json") {
        return wrong(&CONTENT_TYPE, "must be application/json or absent");
    }
    None
}

/// Whether every header of this name has this value; parameters behind it do not count.
fn all(request: &Request, header: &HeaderName, value: &str) -> bool {
    let mut found = request.headers().get_all(header).iter();
    found.all(|found| {
        let plain = found.to_str().ok().and_then(|text| text.split(';').next());
        plain.is_some_and(|plain| plain.trim().eq_ignore_ascii_case(value))
    })
}

/// The router's own refusals are plain text.
async fn as_problem(response: Response) -> Response {
    let status = response.status();
    let plain = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !plain || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let kind = match status {
        StatusCode::PAYLOAD_TOO_LARGE => Kind::TooLarge,
        StatusCode::NOT_FOUND => Kind::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => Kind::WrongMethod,
        status if status.is_server_error() => Kind::Internal,
        _ => Kind::Malformed,
    };
    let told = to_bytes(response.into_body(), QUOTED_BYTES_MAX)
        .await
        .unwrap_or_default();
    Failure::new(kind, String::from_utf8_lossy(&told)).into_response()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Path;
    use axum::middleware::from_fn_with_state;
    use axum::routing::{get, post};
    use contracts::problem::Problem;
    use tower::ServiceExt as _;

    use super::*;

    async fn answer(request: Request) -> (StatusCode, Option<Problem>) {
        let routes = Router::new()
            .route("/", post(|| async { "taken" }))
            .route("/{id}", get(|Path(id): Path<String>| async { id }))
            .layer(from_fn_with_state(10, gate));
        let response = routes.oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), 10_000).await.unwrap();
        (status, serde_json::from_slice(&body).ok())
    }

    async fn with(header: &str, value: &str) -> (StatusCode, Option<String>) {
        let request = Request::post("/").header(header, value).body(Body::from("{}")).unwrap();
        let (status, problem) = answer(request).await;
        (status, problem.and_then(|problem| problem.field))
    }

    #[tokio::test]
    async fn a_body_is_plain_json() {
        for (header, value) in [
            ("content-type", "application/json"),
            ("content-type", "Application/JSON; charset=utf-8"),
            ("content-encoding", "identity"),
            ("accept", "text/html"),
        ] {
            assert_eq!(with(header, value).await, (StatusCode::OK, None), "{header}: {value}");
        }
        for (header, value) in [
            ("content-type", "text/plain"),
            ("content-type", ""),
            ("content-type", "application/jsonx"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("content-encoding", "gzip"),
            ("content-encoding", "identity, gzip"),
            ("content-encoding", "é"),
        ] {
            let refused = (StatusCode::BAD_REQUEST, Some(header.to_owned()));
            assert_eq!(with(header, value).await, refused, "{header}: {value}");
        }
    }

    #[tokio::test]
    async fn what_announces_too_much_is_turned_away_unread() {
        let request = Request::post("/").body(Body::from("x".repeat(11))).unwrap();
        let (status, problem) = answer(request).await;
        assert_eq!(
            (status, problem.unwrap().field.as_deref()),
            (StatusCode::PAYLOAD_TOO_LARGE, Some("body"))
        );
    }

    #[tokio::test]
    async fn what_the_router_refuses_is_a_problem() {
        let long = format!("/{}", "x".repeat(ADDRESS_BYTES_MAX));
        for address in ["/%ff", &long] {
            let (status, problem) = answer(Request::get(address).body(Body::empty()).unwrap()).await;
            let kind = problem.and_then(|problem| Kind::of_uri(&problem.kind));
            assert_eq!(
                (status, kind),
                (StatusCode::BAD_REQUEST, Some(Kind::Malformed)),
                "{address}"
            );
        }
    }
}
