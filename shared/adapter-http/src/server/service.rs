//! A service's own routes, and what stands around those of every service: tokens, the latency dial, bounds, health, the
//! OpenAPI document, and problems for whatever has no answer of its own.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post, put};
use contracts::problem::Kind;
use platform::health::Readiness;

use super::{Callers, Failure, Latency, health, require_caller};

/// What every service answers, beside its own routes.
const EVERYWHERE: [(Method, &str); 3] = [
    (Method::GET, "/health/live"),
    (Method::GET, "/health/ready"),
    (Method::GET, "/openapi.json"),
];

/// The routes of one service. It keeps a list of them, which a test holds against the OpenAPI document.
pub struct Routes<S> {
    dialled: Router<S>,
    logs: Router<S>,
    listed: Vec<(Method, &'static str)>,
}

/// What differs between the services around their routes.
pub struct Surroundings {
    /// Who may call.
    pub callers: Callers,
    /// How slow the routes are.
    pub latency: Latency,
    /// Told at `/health/ready`.
    pub readiness: Readiness,
    /// Served at `/openapi.json`.
    pub openapi: &'static str,
    /// Largest body that is read, in bytes.
    pub body_bytes_max: usize,
}

impl<S: Clone + Send + Sync + 'static> Default for Routes<S> {
    fn default() -> Self {
        Self {
            dialled: Router::new(),
            logs: Router::new(),
            listed: EVERYWHERE.to_vec(),
        }
    }
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// Adds `GET path`.
    #[must_use]
    pub fn get<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add(Method::GET, path, get(handler))
    }

    /// Adds `POST path`.
    #[must_use]
    pub fn post<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add(Method::POST, path, post(handler))
    }

    /// Adds `PUT path`.
    #[must_use]
    pub fn put<H: Handler<T, S>, T: 'static>(self, path: &'static str, handler: H) -> Self {
        self.add(Method::PUT, path, put(handler))
    }

    /// Adds `GET path` for a log that auditors read: the latency dial does not slow it.
    #[must_use]
    pub fn log<H: Handler<T, S>, T: 'static>(mut self, path: &'static str, handler: H) -> Self {
        self.logs = self.logs.route(path, get(handler));
        self.listed.push((Method::GET, path));
        self
    }

    /// Method and path of every route, those of every service included.
    #[must_use]
    pub fn listed(&self) -> &[(Method, &'static str)] {
        &self.listed
    }

    /// The finished router. All but health and the OpenAPI document ask for a token.
    pub fn finish(self, state: S, around: Surroundings) -> Router {
        let Surroundings {
            callers,
            latency,
            readiness,
            openapi,
            body_bytes_max,
        } = around;
        let document = move || async move { ([(CONTENT_TYPE, "application/json")], openapi) };
        self.dialled
            .route_layer(from_fn_with_state(latency, Latency::wait))
            .merge(self.logs)
            .route_layer(from_fn_with_state(callers, require_caller))
            .with_state(state)
            .merge(health(readiness))
            .route("/openapi.json", get(document))
            .fallback(|| async { Failure::new(Kind::NotFound, "no such route; /openapi.json lists them") })
            .method_not_allowed_fallback(|| async {
                Failure::new(Kind::WrongMethod, "the Allow header lists the methods of this route")
            })
            .layer(DefaultBodyLimit::max(body_bytes_max))
            .layer(from_fn(finish_what_is_begun))
    }

    fn add(mut self, method: Method, path: &'static str, route: MethodRouter<S>) -> Self {
        self.dialled = self.dialled.route(path, route);
        self.listed.push((method, path));
        self
    }
}

/// Middleware: a request that has begun is worked to its end, whether or not the caller still listens. Dropped half-way,
/// it could leave its database connection inside a transaction, and whoever got that connection next would write into
/// it, be answered, and lose everything.
///
/// A panic ends the request that met it, with a problem that says nothing of the cause, and nothing else.
async fn finish_what_is_begun(request: Request, next: Next) -> Response {
    #[expect(
        clippy::disallowed_methods,
        reason = "it has to outlive the caller; the listener bounds how many there are"
    )]
    let answered = tokio::spawn(next.run(request)).await;
    answered.unwrap_or_else(|_panic| {
        tracing::error!("a request panicked; the message above says where");
        Failure::new(Kind::Internal, "the request met a bug; whether it acted is unknown").into_response()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use tokio::sync::{Notify, mpsc};
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_problem_that_says_nothing_of_its_cause() {
        let routes: Routes<()> = Routes::default().get("/trap", || async {
            let digits = std::hint::black_box("a secret");
            digits.parse::<u8>().expect("a secret").to_string()
        });
        let response = routes.finish((), around()).oneshot(request("/trap")).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(
            body.contains(&Kind::Internal.uri()) && !body.contains("secret"),
            "{body}"
        );
    }

    #[tokio::test]
    async fn a_request_that_has_begun_is_finished_though_its_caller_hangs_up() {
        let (begun, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (finished, mut told) = mpsc::channel(1);
        let (at_work, pass) = (Arc::clone(&begun), Arc::clone(&gate));
        let routes: Routes<()> = Routes::default().get("/slow", || async move {
            at_work.notify_one();
            pass.notified().await;
            let _told = finished.send(()).await;
        });
        let mut answering = Box::pin(routes.finish((), around()).oneshot(request("/slow")));
        tokio::select! {
            _ = &mut answering => panic!("it was answered before it was done"),
            () = begun.notified() => {}
        }
        drop(answering);
        gate.notify_one();
        assert_eq!(told.recv().await, Some(()), "it was dropped half-way");
    }

    fn around() -> Surroundings {
        let token = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // of "abc"
        Surroundings {
            callers: format!("worker:{token}").parse().unwrap(),
            latency: Latency::NONE,
            readiness: Readiness::starting(),
            openapi: "{}",
            body_bytes_max: 10,
        }
    }

    fn request(path: &str) -> Request<Body> {
        let request = Request::get(path).header("authorization", "Bearer abc");
        request.body(Body::empty()).unwrap()
    }
}
