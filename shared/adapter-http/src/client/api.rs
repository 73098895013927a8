//! Calls to one service: JSON in, JSON or a problem out, every wait and every size bounded.

use std::time::Duration;

use contracts::problem::{self, Problem};
use pipeline::happened::Short;
use pipeline::ports::{CallError, Refusal, RefusalKind, Source};
use platform::config::Secret;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tower::{Service, ServiceBuilder, ServiceExt as _};

/// Time to set up a connection.
const CONNECT_MS: u64 = 2_000;

/// An idle connection is closed after this, so that a server that closes them after a minute is not raced.
const IDLE_MS: u64 = 20_000;

/// Largest answer that is read, in bytes (4 MiB: a page of a thousand rows).
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Longest piece of an answer that is quoted in an error, in characters.
const QUOTE_LENGTH_MAX: usize = 200;

/// How much of a service one process asks for.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Calls under way at once; further ones wait.
    pub in_flight_max: usize,
    /// From the start of a call to the end of its answer.
    pub call_ms: u64,
}

/// No usable base URL.
#[derive(Debug, thiserror::Error)]
#[error("the way to {service} cannot be used: {reason}")]
pub struct BadUrl {
    service: &'static str,
    reason: String,
}

/// Why there is no good answer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The server decided against it, and says why.
    #[error("{service} answered {}: {}", .problem.status, .problem.detail)]
    Refused {
        /// Which service.
        service: &'static str,
        /// What it said.
        problem: Box<Problem>,
    },
    /// The server cannot now; it may later. Seconds that it asked to wait, where it did.
    #[error("{service} is busy: {}", .problem.detail)]
    Busy {
        /// Which service.
        service: &'static str,
        /// What it said.
        problem: Box<Problem>,
        /// `Retry-After`.
        retry_after_s: Option<u32>,
    },
    /// No answer, or none that can be understood: it may or may not have acted.
    #[error("{service} did not answer")]
    Unknown {
        /// Which service.
        service: &'static str,
        /// Why.
        #[source]
        source: Source,
    },
}

impl From<ApiError> for CallError {
    fn from(error: ApiError) -> Self {
        match error {
            // Not a word about the order: the way to the service is set up wrongly, and a person will mend that.
            ApiError::Refused { service, ref problem } if misrouted(problem) => Self::Unknown {
                service,
                source: error.into(),
            },
            ApiError::Refused { service, problem } => Self::Refused(Refusal {
                service,
                kind: meaning(&problem),
                problem: problem.kind,
                detail: problem.detail,
            }),
            ApiError::Busy { service, problem, .. } if is(&problem, problem::Kind::InProgress) => {
                Self::Busy { service }
            }
            ApiError::Busy { service, .. } | ApiError::Unknown { service, .. } => Self::Unknown {
                service,
                source: error.into(),
            },
        }
    }
}

fn misrouted(problem: &Problem) -> bool {
    problem::Kind::of_uri(&problem.kind).is_some_and(problem::Kind::is_misrouted)
}

fn is(problem: &Problem, kind: problem::Kind) -> bool {
    problem::Kind::of_uri(&problem.kind) == Some(kind)
}

/// What a refusal means to an order: its type says so, never its status.
fn meaning(problem: &Problem) -> RefusalKind {
    let short = |line: &problem::ShortLine| Short {
        sku: line.sku.clone(),
        wanted: line.wanted,
        available: line.available,
    };
    match problem::Kind::of_uri(&problem.kind) {
        Some(problem::Kind::OutOfStock) => RefusalKind::OutOfStock(problem.lines.iter().map(short).collect()),
        Some(problem::Kind::ReservationExpired) => RefusalKind::ReservationExpired,
        Some(problem::Kind::Superseded) => RefusalKind::Superseded,
        _ => RefusalKind::Other,
    }
}

/// One service as seen by one caller. Clones share its connections and bounds.
#[derive(Clone)]
pub struct Api {
    service: &'static str,
    base: Url,
    authorization: HeaderValue,
    stack: Stack,
}

type Stack = tower::limit::ConcurrencyLimit<tower::timeout::Timeout<reqwest::Client>>;

impl Api {
    /// A way to `service` at `base_url`, with `token` on every call.
    ///
    /// # Errors
    ///
    /// [`BadUrl`]; nothing is connected yet.
    pub fn new(service: &'static str, base_url: &str, token: &Secret, bounds: Bounds) -> Result<Self, BadUrl> {
        // The URL itself is not shown: it may hold a password.
        let bad = |reason: String| BadUrl { service, reason };
        let base = Url::parse(base_url).map_err(|error| bad(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.cannot_be_a_base() {
            return Err(bad("the scheme must be http or https".to_owned()));
        }
        let mut authorization = HeaderValue::try_from(format!("Bearer {}", token.expose()))
            .map_err(|_| bad("the token has characters that no header can hold".to_owned()))?;
        authorization.set_sensitive(true);
        // A second install is refused, and then the first one serves.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_millis(CONNECT_MS))
            .pool_idle_timeout(Duration::from_millis(IDLE_MS))
            .pool_max_idle_per_host(bounds.in_flight_max)
            // A redirect would carry key and token to another host.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| bad(error.to_string()))?;
        let stack = ServiceBuilder::new()
            // Bounds what one process asks of a service that has become slow.
            .concurrency_limit(bounds.in_flight_max)
            // Until the head of the answer; the body is bounded on its own.
            .timeout(Duration::from_millis(bounds.call_ms))
            .service(client);
        Ok(Self {
            service,
            base,
            authorization,
            stack,
        })
    }

    /// `GET path`.
    ///
    /// # Errors
    ///
    /// See [`ApiError`].
    pub async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<T, ApiError> {
        let request = self.request(Method::GET, path)?;
        self.send(request).await
    }

    /// `POST path` with `body`; `key` goes into the `Idempotency-Key` header.
    ///
    /// # Errors
    ///
    /// See [`ApiError`].
    pub async fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        key: Option<&str>,
        body: &(impl Serialize + Sync),
    ) -> Result<T, ApiError> {
        let body = serde_json::to_vec(body).map_err(|error| self.unknown(error))?;
        self.send_body(Method::POST, path, key, body).await
    }

    /// `PUT path` with `body`.
    ///
    /// # Errors
    ///
    /// See [`ApiError`].
    pub async fn put_json<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &(impl Serialize + Sync),
    ) -> Result<T, ApiError> {
        let body = serde_json::to_vec(body).map_err(|error| self.unknown(error))?;
        self.send_body(Method::PUT, path, None, body).await
    }

    /// `POST path` with a JSON document as it is.
    ///
    /// # Errors
    ///
    /// See [`ApiError`].
    pub async fn post_document<T: DeserializeOwned>(
        &self,
        path: &str,
        key: Option<&str>,
        document: String,
    ) -> Result<T, ApiError> {
        self.send_body(Method::POST, path, key, document.into_bytes()).await
    }

    /// `Ok` when `GET /health/ready` says that the service can work.
    ///
    /// # Errors
    ///
    /// See [`ApiError`].
    pub async fn ready(&self) -> Result<(), ApiError> {
        let _told: serde_json::Value = self.get_json("/health/ready").await?;
        Ok(())
    }

    async fn send_body<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Vec<u8>,
    ) -> Result<T, ApiError> {
        let mut request = self.request(method, path)?;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = key {
            let key = HeaderValue::try_from(format!("\"{key}\"")).map_err(|error| self.unknown(error))?;
            headers.insert("idempotency-key", key);
        }
        *request.body_mut() = Some(body.into());
        self.send(request).await
    }

    fn request(&self, method: Method, path: &str) -> Result<Request, ApiError> {
        let url = self.base.join(path).map_err(|error| self.unknown(error))?;
        let mut request = Request::new(method, url);
        request.headers_mut().insert(AUTHORIZATION, self.authorization.clone());
        Ok(request)
    }

    async fn send<T: DeserializeOwned>(&self, request: Request) -> Result<T, ApiError> {
        let mut stack = self.stack.clone();
        let ready = stack.ready().await.map_err(|source| self.unknown(source))?;
        let response = ready.call(request).await.map_err(|source| self.unknown(source))?;
        let status = response.status();
        let retry_after_s = response.headers().get("retry-after");
        let retry_after_s = retry_after_s.and_then(|value| value.to_str().ok()?.parse().ok());
        let body = tokio::time::timeout(Duration::from_millis(BODY_MS), read(response));
        let body = body
            .await
            .map_err(|source| self.unknown(source))?
            .map_err(|source| self.unknown(source))?;
        if status.is_success() {
            return serde_json::from_slice(&body).map_err(|error| {
                let told = format!("{status} with an answer that cannot be read: {error}: {}", quote(&body));
                self.unknown(told)
            });
        }
        Err(self.failure(status, retry_after_s, &body))
    }

    /// A refusal is one only when the service itself says so in a problem of a kind that we know.
    fn failure(&self, status: StatusCode, retry_after_s: Option<u32>, body: &[u8]) -> ApiError {
        let service = self.service;
        let problem = serde_json::from_slice::<Problem>(body).ok();
        let kind = problem
            .as_ref()
            .and_then(|problem| problem::Kind::of_uri(&problem.kind));
        match (problem.map(Box::new), kind) {
            (Some(problem), Some(kind)) if kind.is_wait() => ApiError::Busy {
                service,
                problem,
                retry_after_s,
            },
            (Some(problem), Some(_refusal)) => ApiError::Refused { service, problem },
            _ => self.unknown(format!("{status}: {}", quote(body))),
        }
    }

    fn unknown(&self, source: impl Into<Source>) -> ApiError {
        ApiError::Unknown {
            service: self.service,
            source: source.into(),
        }
    }
}

/// From the head of an answer to its end.
const BODY_MS: u64 = 10_000;

async fn read(mut response: reqwest::Response) -> Result<Vec<u8>, Source> {
    let mut body = vec![];
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(format!("the answer is larger than {ANSWER_BYTES_MAX} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn quote(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    text.chars()
        .take(QUOTE_LENGTH_MAX)
        .flat_map(char::escape_debug)
        .collect()
}
