//! A router on a port of its own, and calls to it.

use std::fmt::Write as _;
use std::time::Duration;

use adapter_http::server::{Callers, Listen, serve};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Longest wait for an answer; a test that needs longer hangs.
const ANSWER_SECONDS: u64 = 60;

/// The token of the caller `name` in the tables that [`callers`] makes.
#[must_use]
pub fn token(name: &str) -> String {
    format!("token-of-{name}")
}

/// A table of callers in which each of `names` shows its [`token`].
///
/// # Panics
///
/// When there are no names, or one that cannot stand in such a table.
#[must_use]
pub fn callers(names: &[&str]) -> Callers {
    let entry = |name: &&str| {
        let digest = Sha256::digest(token(name).as_bytes());
        digest.iter().fold(format!("{name}:"), |mut entry, byte| {
            let _ = write!(entry, "{byte:02x}");
            entry
        })
    };
    let table: Vec<_> = names.iter().map(entry).collect();
    table
        .join(",")
        .parse()
        .expect("names that can stand in a table of callers")
}

/// A router that is served until this value is dropped.
pub struct TestServer {
    /// Where it answers, without a slash at the end.
    pub url: String,
    client: Client,
    token: Option<String>,
    stopping: CancellationToken,
    _serving: JoinSet<anyhow::Result<()>>,
}

impl TestServer {
    /// Serves `router` on a free port of 127.0.0.1. Calls show the token of the caller `name`.
    ///
    /// # Panics
    ///
    /// When there is no free port.
    pub async fn start(router: axum::Router, name: &str) -> Self {
        let listen: Listen = "127.0.0.1:0".parse().expect("an address");
        let listener = listen.bind().await.expect("a free port");
        let url = format!(
            "http://{}",
            listener.local_addr().expect("a bound listener has an address")
        );
        let stopping = CancellationToken::new();
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, router, stopping.clone()));
        // A second install is refused, and then the first one serves.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(Duration::from_secs(ANSWER_SECONDS)).build();
        Self {
            url,
            client: client.expect("a client without special wishes"),
            token: Some(token(name)),
            stopping,
            _serving: serving,
        }
    }

    /// The same server, called with `token`, or without one.
    #[must_use]
    pub fn calling_with(mut self, token: Option<&str>) -> Self {
        self.token = token.map(str::to_owned);
        self
    }

    /// `GET path`.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, &[], None).await
    }

    /// `POST path` with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(Method::POST, path, &[], Some(body.to_string())).await
    }

    /// `POST path` with a JSON body, by a caller that hangs up as soon as it has asked.
    ///
    /// # Panics
    ///
    /// When there is no server.
    pub async fn post_and_leave(&self, path: &str, body: &str) {
        let at = self.url.trim_start_matches("http://");
        let token = self.token.as_deref().unwrap_or_default();
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(at).await.expect("the server takes the connection");
        stream.write_all(request.as_bytes()).await.expect("the server reads");
    }

    /// Any request. The body goes out as it is, as `application/json`.
    ///
    /// # Panics
    ///
    /// When there is no answer.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Option<String>) -> Reply {
        let kind = body.as_ref().map(|_| ("content-type", "application/json"));
        let headers: Vec<_> = headers.iter().copied().chain(kind).collect();
        self.send_bytes(method, path, &headers, body.unwrap_or_default().into())
            .await
    }

    /// Any request, with these headers and no others of its own but the token.
    ///
    /// # Panics
    ///
    /// When there is no answer.
    pub async fn send_bytes(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Reply {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !body.is_empty() {
            request = request.body(body);
        }
        let response = request.send().await.expect("the server answers");
        Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.expect("a body of text"),
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub text: String,
}

impl Reply {
    /// The body as any JSON.
    ///
    /// # Panics
    ///
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        self.read()
    }

    /// The body as a `T`.
    ///
    /// # Panics
    ///
    /// When it is none; the panic shows the body.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{}: {error}: {}", self.status, self.text))
    }

    /// The body as a `T`, after an answer of 200.
    ///
    /// # Panics
    ///
    /// When it is anything else; the panic shows the answer.
    #[must_use]
    #[track_caller]
    pub fn ok<T: DeserializeOwned>(&self) -> T {
        assert_eq!(self.status, 200, "{}", self.text);
        self.read()
    }

    /// The last part of the type of the problem that this is: `out-of-stock`. Empty for anything else.
    #[must_use]
    pub fn problem(&self) -> String {
        let body: Value = serde_json::from_str(&self.text).unwrap_or_default();
        let uri = body["type"].as_str().unwrap_or_default();
        uri.rsplit(':').next().unwrap_or_default().to_owned()
    }

    /// A header's text, where there is one.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}
