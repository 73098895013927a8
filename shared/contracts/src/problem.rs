//! Errors as RFC 9457 problems. Callers decide by [`Kind`], which is the problem's `type`, never by the status alone.

use serde::{Deserialize, Serialize};

/// Content type of a problem.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// What every `type` starts with.
const PREFIX: &str = "urn:acuse:problem:";

/// The problems that a service of this project reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Not JSON, or not of the right shape.
    Malformed,
    /// Larger than the limit.
    TooLarge,
    /// The right shape with a value that the rules refuse.
    Invalid,
    /// No token, or one that nobody holds.
    Unauthorized,
    /// Nothing of this name.
    NotFound,
    /// There is something of this name, and it does not take this method.
    WrongMethod,
    /// The order id is taken by an order with another key or other content.
    OrderConflict,
    /// The key is taken by another order.
    KeyTaken,
    /// The key was used for another request.
    KeyReused,
    /// A request with this key is being worked on; ask again after `Retry-After`.
    InProgress,
    /// Some lines are nowhere in stock.
    OutOfStock,
    /// A product that inventory never heard of.
    UnknownSku,
    /// A reservation that is not there, or not in a state to be committed.
    UnknownReservation,
    /// The reservation ran out before it was to become final; its goods are back in stock.
    ReservationExpired,
    /// The order already has a reservation, invoice or notice, by another key or with other content.
    AlreadyExists,
    /// This generation of the order, or a later one, was closed: nothing more is done for it.
    Superseded,
    /// Logistics has no carrier for this destination.
    UnknownDestination,
    /// The dead letter is closed, or its order does not wait for this.
    NotWaiting,
    /// More than can be worked off; ask again after `Retry-After`.
    Overloaded,
    /// A server behind this one does not answer; ask again.
    Unavailable,
    /// A bug in the server; whether it acted is unknown.
    Internal,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Malformed,
        Self::TooLarge,
        Self::Invalid,
        Self::Unauthorized,
        Self::NotFound,
        Self::WrongMethod,
        Self::OrderConflict,
        Self::KeyTaken,
        Self::KeyReused,
        Self::InProgress,
        Self::OutOfStock,
        Self::UnknownSku,
        Self::UnknownReservation,
        Self::ReservationExpired,
        Self::AlreadyExists,
        Self::Superseded,
        Self::UnknownDestination,
        Self::NotWaiting,
        Self::Overloaded,
        Self::Unavailable,
        Self::Internal,
    ];

    /// Status, last part of the type, title.
    fn facts(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Malformed => (400, "malformed", "The request cannot be read"),
            Self::TooLarge => (413, "too-large", "The request is too large"),
            Self::Invalid => (422, "invalid", "A value is not acceptable"),
            Self::Unauthorized => (401, "unauthorized", "A valid bearer token is needed"),
            Self::NotFound => (404, "not-found", "There is nothing of this name"),
            Self::WrongMethod => (405, "wrong-method", "The method is not taken here"),
            Self::OrderConflict => (409, "order-conflict", "The order id is taken by another order"),
            Self::KeyTaken => (422, "key-taken", "The idempotency key belongs to another order"),
            Self::KeyReused => (422, "key-reused", "The idempotency key was used for another request"),
            Self::InProgress => (409, "in-progress", "A request with this key is being worked on"),
            Self::OutOfStock => (409, "out-of-stock", "Not enough stock"),
            Self::UnknownSku => (404, "unknown-sku", "Unknown product"),
            Self::UnknownReservation => (404, "unknown-reservation", "No such reservation"),
            Self::ReservationExpired => (409, "reservation-expired", "The reservation ran out"),
            Self::Superseded => (409, "superseded", "This generation of the order is closed"),
            Self::AlreadyExists => (409, "already-exists", "The order already has one"),
            Self::UnknownDestination => (422, "unknown-destination", "No carrier goes there"),
            Self::NotWaiting => (409, "not-waiting", "It does not wait for this"),
            Self::Overloaded => (503, "overloaded", "Too much is waiting"),
            Self::Unavailable => (503, "unavailable", "A server behind this one does not answer"),
            Self::Internal => (500, "internal", "The server failed"),
        }
    }

    /// The HTTP status that goes with it.
    #[must_use]
    pub fn status(self) -> u16 {
        self.facts().0
    }

    /// The problem's `type`.
    #[must_use]
    pub fn uri(self) -> String {
        format!("{PREFIX}{}", self.facts().1)
    }

    /// The kind behind a problem's `type`.
    #[must_use]
    pub fn of_uri(uri: &str) -> Option<Self> {
        let name = uri.strip_prefix(PREFIX)?;
        Self::ALL.into_iter().find(|kind| kind.facts().1 == name)
    }

    /// Whether the same request may succeed later; everything else is a refusal.
    #[must_use]
    pub fn is_wait(self) -> bool {
        matches!(
            self,
            Self::InProgress | Self::Overloaded | Self::Unavailable | Self::Internal
        )
    }

    /// Whether it tells of the way to the server rather than of the request: asked rightly, it may be done.
    #[must_use]
    pub fn is_misrouted(self) -> bool {
        matches!(self, Self::Unauthorized | Self::NotFound | Self::WrongMethod)
    }

    /// A problem of this kind about one request.
    #[must_use]
    pub fn problem(self, detail: impl Into<String>) -> Problem {
        let (status, _, title) = self.facts();
        Problem {
            kind: self.uri(),
            title: title.to_owned(),
            status,
            detail: detail.into(),
            field: None,
            lines: vec![],
        }
    }
}

/// The body of an error answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// See [`Kind::uri`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind, in words.
    pub title: String,
    /// The HTTP status again.
    pub status: u16,
    /// This case, in words.
    #[serde(default)]
    pub detail: String,
    /// The field that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The order lines that are short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<ShortLine>,
}

impl Problem {
    /// The problem, about one field.
    #[must_use]
    pub fn about(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

/// A line that stock does not cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortLine {
    /// The product.
    pub sku: String,
    /// How many were wanted.
    pub wanted: u32,
    /// The most that any one warehouse of the country could give.
    pub available: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_again_by_its_uri() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_uri(&kind.uri()), Some(kind));
        }
    }
}
