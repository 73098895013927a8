//! Who calls. A server knows only the SHA-256 of each caller's token, so it has nothing to leak.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use contracts::problem::Kind;
use sha2::{Digest as _, Sha256};

use super::Failure;

/// A caller that showed a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller(pub Arc<str>);

/// The callers that a server knows. Clones share one table.
#[derive(Debug, Clone)]
pub struct Callers(Arc<BTreeMap<[u8; 32], Arc<str>>>);

/// Not `name:digest,name:digest`.
#[derive(Debug, thiserror::Error)]
#[error("must be name:digest,name:digest… with the SHA-256 of each caller's token as 64 hex digits")]
pub struct BadCallers;

impl FromStr for Callers {
    type Err = BadCallers;

    fn from_str(text: &str) -> Result<Self, BadCallers> {
        let caller = |entry: &str| {
            let (name, digest) = entry.trim().split_once(':')?;
            let name = Some(name).filter(|name| !name.is_empty())?;
            Some((unhex(digest)?, Arc::from(name)))
        };
        let callers: Option<BTreeMap<_, _>> = text.split(',').map(caller).collect();
        callers.map(|callers| Self(Arc::new(callers))).ok_or(BadCallers)
    }
}

impl Callers {
    /// Looks up by digest: how long that takes tells nothing of any token.
    fn find(&self, headers: &HeaderMap) -> Option<Caller> {
        let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = value.split_once(' ')?;
        let digest: [u8; 32] = Sha256::digest(token.trim().as_bytes()).into();
        let known = self.0.get(&digest).filter(|_| scheme.eq_ignore_ascii_case("bearer"))?;
        Some(Caller(Arc::clone(known)))
    }
}

/// Middleware: lets through who shows a known token, and says who it is.
pub async fn require_caller(State(callers): State<Callers>, mut request: Request, next: Next) -> Response {
    if let Some(caller) = callers.find(request.headers()) {
        request.extensions_mut().insert(caller);
        return next.run(request).await;
    }
    let told = "send Authorization: Bearer with a token that this server knows";
    let mut response = Failure::new(Kind::Unauthorized, told).into_response();
    response
        .headers_mut()
        .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Failure> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Failure::new(Kind::Unauthorized, "this route asks for a token"))
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SHA-256 of "abc", from FIPS 180-4.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_caller_is_known_by_its_token_alone() {
        let callers: Callers = format!("worker:{ABC}").parse().unwrap();
        let found = |value: &str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(value).unwrap())]);
            callers.find(&headers)
        };
        assert_eq!(found("Bearer abc"), Some(Caller("worker".into())));
        for wrong in ["Bearer abd", "Basic abc", "abc", "Bearer", &format!("Bearer {ABC}")] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
        assert_eq!(callers.find(&HeaderMap::new()), None);
    }

    #[test]
    fn a_table_that_cannot_be_read_is_refused() {
        for text in [
            "",
            "worker",
            "worker:12",
            &format!(":{ABC}"),
            &format!("worker:{}", "é".repeat(32)),
        ] {
            assert!(text.parse::<Callers>().is_err(), "{text}");
        }
    }
}
