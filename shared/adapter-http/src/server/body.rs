//! Bodies and queries in; what cannot be read is answered with a problem that names the field.

use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use contracts::problem::Kind;
use serde::de::DeserializeOwned;

use super::Failure;

/// Longest description of what is wrong with a body, in characters; it may quote the body.
const DETAIL_LENGTH_MAX: usize = 300;

/// A JSON body, and its bytes as they came.
pub struct BodyJson<T> {
    /// What it says.
    pub value: T,
    /// What was sent; a key's fingerprint is taken of it.
    pub text: String,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for BodyJson<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let text = String::from_request(request, state).await.map_err(|rejection| {
            let kind = match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => Kind::TooLarge,
                _ => Kind::Malformed,
            };
            Failure::new(kind, rejection.body_text())
        })?;
        let mut json = serde_json::Deserializer::from_str(&text);
        let value = serde_path_to_error::deserialize(&mut json);
        let value = value.map_err(|error| {
            let path = error.path().to_string();
            let field = if path == "." { "body".to_owned() } else { path };
            let detail: String = error.inner().to_string().chars().take(DETAIL_LENGTH_MAX).collect();
            Failure::from(Kind::Malformed.problem(detail).about(field))
        })?;
        // Rubbish behind the value is no part of it.
        json.end()
            .map_err(|error| Failure::from(Kind::Malformed.problem(error.to_string()).about("body")))?;
        Ok(Self { value, text })
    }
}

/// A query string.
pub struct QueryOf<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryOf<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        let Query(value) = query.map_err(|rejection| Failure::new(Kind::Malformed, rejection.body_text()))?;
        Ok(Self(value))
    }
}
