//! A service's own routes, and what stands around those of every service: tokens, the dials, bounds, health, the
//! OpenAPI document, and problems for whatever has no answer of its own.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post, put};
use contracts::problem::Kind;
use platform::health::Readiness;

use super::dials::withhold;
use super::gate::gate;
use super::{Callers, Dials, Failure, health, require_caller};

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
    /// How slow and how unsure the routes are.
    pub dials: Dials,
    /// Told at `/health/ready`.
    pub readiness: Readiness,
    /// Served at `/openapi.json`.
    pub openapi: &'static str,
    /// Largest body that is read, in bytes, unless its route says otherwise.
    pub body_bytes_max: usize,
    /// Largest body that any route reads, in bytes: one that is announced as larger is turned away at once.
    pub announced_bytes_max: usize,
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

    /// Adds `GET path` for a log that auditors read: no dial touches it.
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
            dials,
            readiness,
            openapi,
            body_bytes_max,
            announced_bytes_max,
        } = around;
        let document = move || async move { ([(CONTENT_TYPE, "application/json")], openapi) };
        self.dialled
            .route_layer(from_fn_with_state(dials, Dials::turn))
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
            // Outside of the task that finishes the work: it ends with its caller.
            .layer(map_response(withhold))
            .layer(from_fn_with_state(announced_bytes_max, gate))
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
mod tests;
