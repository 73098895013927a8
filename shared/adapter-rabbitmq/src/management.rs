//! The broker's management HTTP API, as far as it is needed.

mod answers;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pipeline::ports::Source;
use platform::config::Secret;
use reqwest::{Client, Method, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::json;

pub(crate) use answers::{BindingSeen, ExchangeSeen, PolicySeen, QueueSeen, Unknown};
pub use answers::{Counts, Depth, Version};

use crate::failure::one_line;
use crate::link::install_crypto;
use crate::topology::{Binding, Exchange, Policy, Queue};

const CONNECT_MAX: Duration = Duration::from_secs(3);
/// From the request to the end of the answer; a busy broker collects its figures for seconds.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Tens of thousands of queues fit.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Where the management API is, such as `http://127.0.0.1:15672`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagementUrl(Url);

/// Why a text is no [`ManagementUrl`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an http or https URL without user, password, query or fragment, such as http://127.0.0.1:15672")]
pub struct InvalidManagementUrl;

impl FromStr for ManagementUrl {
    type Err = InvalidManagementUrl;

    fn from_str(text: &str) -> Result<Self, InvalidManagementUrl> {
        let url = Url::parse(text).map_err(|_| InvalidManagementUrl)?;
        let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !matches!(url.scheme(), "http" | "https") || !bare || url.fragment().is_some() {
            return Err(InvalidManagementUrl);
        }
        Ok(Self(url))
    }
}

impl fmt::Display for ManagementUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The management API did not do what it was asked; or did, and the answer was lost.
#[derive(Debug, thiserror::Error)]
#[error("the broker's management API at {at} failed while {doing}")]
pub struct ManagementError {
    at: String,
    doing: String,
    #[source]
    source: Source,
}

/// One virtual host as the management API shows it.
#[derive(Debug, Clone)]
pub struct Management {
    client: Client,
    base: ManagementUrl,
    user: String,
    password: Secret,
    vhost: String,
}

impl Management {
    /// Looks at `vhost` as `user`, who needs the tag `administrator`, or `policymaker` to see and set policies, or
    /// `monitoring` to read depths alone. Asks nothing yet.
    ///
    /// # Errors
    ///
    /// [`ManagementError`] when the HTTP client cannot be built.
    pub fn new(base: ManagementUrl, user: &str, password: Secret, vhost: &str) -> Result<Self, ManagementError> {
        install_crypto();
        // No proxy from the environment and no redirects: the password goes to `base` and nowhere else.
        let client = Client::builder()
            .connect_timeout(CONNECT_MAX)
            .timeout(ANSWER_MAX)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build();
        let client = client.map_err(|error| ManagementError {
            at: base.to_string(),
            doing: "building the HTTP client".to_owned(),
            source: error.into(),
        })?;
        Ok(Self {
            client,
            base,
            user: user.to_owned(),
            password,
            vhost: vhost.to_owned(),
        })
    }

    /// The broker's version.
    ///
    /// # Errors
    ///
    /// [`ManagementError`] when it cannot be had.
    pub async fn version(&self) -> Result<Version, ManagementError> {
        let overview: answers::Overview = self.get("reading the version", &["overview"], &[]).await?;
        Ok(overview.version())
    }

    /// What waits in each queue of the virtual host, by name. The broker's figures lag by about 5 s, and a new queue
    /// has none for its first 10 s or so.
    ///
    /// # Errors
    ///
    /// [`ManagementError`] when they cannot be had.
    pub async fn depths(&self) -> Result<Vec<Depth>, ManagementError> {
        let mut depths: Vec<Depth> = self.queues().await?.into_iter().map(Depth::from).collect();
        depths.sort_by(|one, other| one.queue.cmp(&other.queue));
        Ok(depths)
    }

    pub(crate) async fn exchanges(&self) -> Result<Vec<ExchangeSeen>, ManagementError> {
        self.get("listing exchanges", &["exchanges", &self.vhost], &[]).await
    }

    pub(crate) async fn queues(&self) -> Result<Vec<QueueSeen>, ManagementError> {
        let columns = [("columns", answers::QUEUE_COLUMNS)];
        self.get("listing queues", &["queues", &self.vhost], &columns).await
    }

    pub(crate) async fn bindings(&self) -> Result<Vec<BindingSeen>, ManagementError> {
        self.get("listing bindings", &["bindings", &self.vhost], &[]).await
    }

    pub(crate) async fn policies(&self) -> Result<Vec<PolicySeen>, ManagementError> {
        self.get("listing policies", &["policies", &self.vhost], &[]).await
    }

    pub(crate) async fn put_exchange(&self, exchange: &Exchange) -> Result<(), ManagementError> {
        let body = json!({
            "type": exchange.routing.name(), "durable": true, "auto_delete": false, "internal": false, "arguments": {},
        });
        let doing = format!("creating exchange {}", exchange.name);
        self.put(doing, Method::PUT, &["exchanges", &self.vhost, exchange.name], &body)
            .await
    }

    pub(crate) async fn put_queue(&self, queue: &Queue) -> Result<(), ManagementError> {
        let body = json!({ "durable": true, "auto_delete": false, "arguments": { "x-queue-type": "quorum" } });
        let doing = format!("creating queue {}", queue.name);
        self.put(doing, Method::PUT, &["queues", &self.vhost, queue.name], &body)
            .await
    }

    pub(crate) async fn put_binding(&self, binding: &Binding) -> Result<(), ManagementError> {
        let body = json!({ "routing_key": binding.routing_key, "arguments": {} });
        let doing = format!("binding {} to {}", binding.queue, binding.exchange);
        let path = ["bindings", &self.vhost, "e", binding.exchange, "q", binding.queue];
        self.put(doing, Method::POST, &path, &body).await
    }

    pub(crate) async fn put_policy(&self, policy: &Policy, apply_to: &str) -> Result<(), ManagementError> {
        let definition: serde_json::Map<_, _> = policy
            .definition
            .iter()
            .map(|&(key, value)| (key.to_owned(), value.into()))
            .collect();
        let body = json!({
            "pattern": policy.pattern, "priority": policy.priority, "apply-to": apply_to, "definition": definition,
        });
        let doing = format!("setting policy {}", policy.name);
        self.put(doing, Method::PUT, &["policies", &self.vhost, policy.name], &body)
            .await
    }

    async fn get<T: DeserializeOwned>(
        &self,
        doing: &str,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, ManagementError> {
        let body = self.ask(Method::GET, path, query, None).await;
        body.and_then(|body| serde_json::from_slice(&body).map_err(Source::from))
            .map_err(|source| self.failed(doing.to_owned(), source))
    }

    async fn put(
        &self,
        doing: String,
        method: Method,
        path: &[&str],
        body: &serde_json::Value,
    ) -> Result<(), ManagementError> {
        match self.ask(method, path, &[], Some(body)).await {
            Ok(_) => Ok(()),
            Err(source) => Err(self.failed(doing, source)),
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<&serde_json::Value>,
    ) -> Result<Vec<u8>, Source> {
        let mut url = self.base.0.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("api").extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self
            .client
            .request(method, url)
            .basic_auth(&self.user, Some(self.password.expose()));
        if let Some(body) = body {
            request = request.json(body);
        }
        let mut response = request.send().await.map_err(reqwest::Error::without_url)?;
        let answer = read(&mut response).await?;
        if response.status().is_success() {
            Ok(answer)
        } else {
            Err(refusal(response.status(), &answer).into())
        }
    }

    fn failed(&self, doing: String, source: Source) -> ManagementError {
        ManagementError {
            at: self.base.to_string(),
            doing,
            source,
        }
    }
}

async fn read(response: &mut Response) -> Result<Vec<u8>, Source> {
    let mut body = vec![];
    while let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)? {
        if body.len() + chunk.len() > BODY_BYTES_MAX {
            return Err(format!("the answer has more than {BODY_BYTES_MAX} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What the broker said, and what to do about it.
fn refusal(status: StatusCode, body: &[u8]) -> String {
    let said: answers::Refusal = serde_json::from_slice(body).unwrap_or_default();
    let advice = match status {
        StatusCode::UNAUTHORIZED => " (check user, password, tags and permissions)",
        StatusCode::NOT_FOUND => " (is the virtual host there?)",
        _ => "",
    };
    format!("{status}, {}{advice}", one_line(&said.reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_management_url_holds_no_secret() {
        assert!("http://127.0.0.1:15672".parse::<ManagementUrl>().is_ok());
        assert!(
            "https://rabbit.example/behind/a/prefix/"
                .parse::<ManagementUrl>()
                .is_ok()
        );
        for bad in [
            "127.0.0.1:15672",
            "amqp://h",
            "http://u:p@h",
            "http://h?x=1",
            "http://h#x",
            "",
        ] {
            assert_eq!(bad.parse::<ManagementUrl>(), Err(InvalidManagementUrl), "{bad}");
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_brokers_words_and_on_one_line() {
        let told = refusal(
            StatusCode::BAD_REQUEST,
            br#"{"error":"bad_request","reason":"inequivalent\n\u001b[31m arg"}"#,
        );
        assert_eq!(told, "400 Bad Request, inequivalent  [31m arg");
        assert_eq!(
            refusal(StatusCode::NOT_FOUND, b"<html>"),
            "404 Not Found, no reason given (is the virtual host there?)"
        );
    }
}
