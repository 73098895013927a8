//! The idempotency key of a request: header and body field mean the same.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use contracts::canonical::{Members, canonical, fingerprint};
use contracts::problem::Kind;
use pipeline::id::IdempotencyKey;

use super::Failure;

/// The `Idempotency-Key` header, where there is one. Taken quoted, as the draft standard has it, or bare.
pub struct KeyHeader(pub Option<IdempotencyKey>);

impl<S: Send + Sync> FromRequestParts<S> for KeyHeader {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Failure> {
        let mut values = parts.headers.get_all("idempotency-key").iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        let text = value.to_str().unwrap_or_default().trim();
        let bare = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .unwrap_or(text);
        match (IdempotencyKey::parse(bare), values.next()) {
            (Ok(key), None) => Ok(Self(Some(key))),
            (Ok(_), Some(_)) => Err(wrong("is given more than once".to_owned())),
            (Err(error), _) => Err(wrong(error.to_string())),
        }
    }
}

/// What tells a repeat from another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// The key.
    pub key: IdempotencyKey,
    /// SHA-256 of the canonical body without its key: the same for the same request, however it is spelled.
    pub fingerprint: [u8; 32],
}

impl RequestKey {
    /// The key of a request with this header and body.
    ///
    /// # Errors
    ///
    /// A problem when there is no key at all, header and body name two, or the body has a key twice.
    pub fn of(header: KeyHeader, in_body: Option<&str>, body: &str) -> Result<Self, Failure> {
        let in_body = in_body
            .map(IdempotencyKey::parse)
            .transpose()
            .map_err(|error| wrong(error.to_string()))?;
        let key = match (header.0, in_body) {
            (Some(header), Some(body)) if header != body => {
                return Err(wrong("differs between the header and the body".to_owned()));
            }
            (Some(key), _) | (None, Some(key)) => key,
            (None, None) => {
                let told = "send an Idempotency-Key header or an idempotency_key field";
                return Err(Failure::from(Kind::Malformed.problem(told).about("idempotency_key")));
            }
        };
        let content = without_key(body).map_err(|error| Failure::new(Kind::Malformed, error.to_string()))?;
        Ok(Self {
            key,
            fingerprint: fingerprint(&content),
        })
    }
}

fn without_key(body: &str) -> Result<String, serde_json::Error> {
    let mut members: Members<'_> = serde_json::from_str(body)?;
    members.0.remove("idempotency_key");
    canonical(&serde_json::to_string(&members.0)?)
}

fn wrong(detail: String) -> Failure {
    Failure::from(Kind::Invalid.problem(detail).about("idempotency_key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey::parse(text).unwrap()
    }

    #[test]
    fn header_and_body_mean_the_same_and_may_not_differ() {
        let body = r#"{"idempotency_key":"K","a":1}"#;
        let both = RequestKey::of(KeyHeader(Some(key("K"))), Some("K"), body).unwrap();
        let header = RequestKey::of(KeyHeader(Some(key("K"))), None, r#"{ "a" : 1 }"#).unwrap();
        assert_eq!(both, header);
        assert_eq!(
            RequestKey::of(KeyHeader(Some(key("L"))), Some("K"), body)
                .unwrap_err()
                .0
                .status,
            422
        );
        assert_eq!(RequestKey::of(KeyHeader(None), None, "{}").unwrap_err().0.status, 400);
    }
}
