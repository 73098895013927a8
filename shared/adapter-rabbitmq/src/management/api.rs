//! Asking the management API: one request, one bounded answer, the broker's own words when it refuses.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pipeline::ports::Source;
use platform::config::Secret;
use reqwest::{Client, Method, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answers::Refusal;
use crate::failure::one_line;
use crate::link::install_crypto;

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

/// The API, and who asks.
#[derive(Debug, Clone)]
pub(super) struct Api {
    client: Client,
    base: ManagementUrl,
    user: String,
    password: Secret,
}

impl Api {
    pub(super) fn new(base: ManagementUrl, user: &str, password: Secret) -> Result<Self, ManagementError> {
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
        })
    }

    /// What is under `path`.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        doing: &str,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, ManagementError> {
        let body = self.ask(Method::GET, path, query, None).await;
        body.and_then(|body| serde_json::from_slice(&body).map_err(Source::from))
            .map_err(|source| self.failed(doing, source))
    }

    /// Sends `body` to `path`.
    pub(super) async fn send(
        &self,
        doing: &str,
        method: Method,
        path: &[&str],
        body: &Value,
    ) -> Result<(), ManagementError> {
        let answer = self.ask(method, path, &[], Some(body)).await;
        answer.map(drop).map_err(|source| self.failed(doing, source))
    }

    async fn ask(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Vec<u8>, Source> {
        let mut url = self.base.0.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("api").extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let password = Some(self.password.expose());
        let mut request = self.client.request(method, url).basic_auth(&self.user, password);
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

    fn failed(&self, doing: &str, source: Source) -> ManagementError {
        ManagementError {
            at: self.base.to_string(),
            doing: doing.to_owned(),
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
    let said: Refusal = serde_json::from_slice(body).unwrap_or_default();
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
        let body = br#"{"error":"bad_request","reason":"inequivalent\n\u001b[31m arg"}"#;
        let told = refusal(StatusCode::BAD_REQUEST, body);
        assert_eq!(told, "400 Bad Request, inequivalent  [31m arg");
        let told = refusal(StatusCode::NOT_FOUND, b"<html>");
        assert_eq!(told, "404 Not Found, no reason given (is the virtual host there?)");
    }
}
