//! Names of things. Each is a type of its own, so that an order id cannot be passed where a SKU is wanted.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// What a kind of id is called and how long it may be.
pub trait Kind: Copy + Ord + Hash + fmt::Debug + Send + Sync + 'static {
    /// As a person would say it in an error message.
    const NAME: &'static str;
    /// Longest accepted text, in characters.
    const LENGTH_MAX: usize = 64;
}

/// The kinds of [`Id`].
pub mod kind {
    use super::Kind;

    /// See [`super::OrderId`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Order {}
    /// See [`super::CustomerId`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Customer {}
    /// See [`super::PaymentId`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Payment {}
    /// See [`super::Sku`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Sku {}
    /// See [`super::WarehouseId`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Warehouse {}
    /// See [`super::ReservationId`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Reservation {}
    /// See [`super::IdempotencyKey`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Idempotency {}

    impl Kind for Order {
        const NAME: &'static str = "order id";
    }
    impl Kind for Customer {
        const NAME: &'static str = "customer id";
    }
    impl Kind for Payment {
        const NAME: &'static str = "payment id";
    }
    impl Kind for Sku {
        const NAME: &'static str = "SKU";
    }
    impl Kind for Warehouse {
        const NAME: &'static str = "warehouse id";
    }
    impl Kind for Reservation {
        const NAME: &'static str = "reservation id";
    }
    impl Kind for Idempotency {
        const NAME: &'static str = "idempotency key";
        /// Room for an order id of full length and a suffix.
        const LENGTH_MAX: usize = 128;
    }
}

/// An order, as the shop names it.
pub type OrderId = Id<kind::Order>;
/// Who ordered.
pub type CustomerId = Id<kind::Customer>;
/// The payment that was confirmed.
pub type PaymentId = Id<kind::Payment>;
/// A product.
pub type Sku = Id<kind::Sku>;
/// Where goods lie, e.g. `WH-MX-CDMX`; its second segment is the country.
pub type WarehouseId = Id<kind::Warehouse>;
/// Inventory's own name for a reservation.
pub type ReservationId = Id<kind::Reservation>;
/// Names one intended effect; the same key never has that effect twice.
pub type IdempotencyKey = Id<kind::Idempotency>;

/// A name of kind `K`: 1 to [`Kind::LENGTH_MAX`] characters out of `A-Z a-z 0-9 . _ -`, and not dots alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id<K> {
    text: Box<str>,
    kind: PhantomData<K>,
}

/// A text that is no id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be 1 to {length_max} characters out of A-Z a-z 0-9 . _ - and not dots alone")]
pub struct InvalidId {
    what: &'static str,
    length_max: usize,
}

impl<K: Kind> Id<K> {
    /// Takes `text` as it is; nothing is trimmed or folded.
    ///
    /// # Errors
    ///
    /// [`InvalidId`] when it is empty, too long, or has any other character.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        // Only dots would be a step up in a path: `/orders/..` is another page.
        let dots = text.bytes().all(|byte| byte == b'.');
        if dots || text.len() > K::LENGTH_MAX || !text.bytes().all(allowed) {
            return Err(InvalidId {
                what: K::NAME,
                length_max: K::LENGTH_MAX,
            });
        }
        Ok(Self {
            text: text.into(),
            kind: PhantomData,
        })
    }

    /// The id's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl WarehouseId {
    /// The country that the warehouse stands in: the second segment of its name, `MX` in `WH-MX-CDMX`.
    #[must_use]
    pub fn country(&self) -> Option<&str> {
        self.text.split('-').nth(1).filter(|segment| segment.len() == 2)
    }
}

impl IdempotencyKey {
    /// The key of one effect of one generation of an order: a UUID v5 over all three, so that whoever asks for the
    /// same effect, at whatever time, uses the same key.
    #[must_use]
    pub fn derive(order: &OrderId, generation: Generation, effect: &str) -> Self {
        Self {
            text: derive(order, generation, effect).to_string().into(),
            kind: PhantomData,
        }
    }

    /// The key under which checkout files an order that came without one: `<order_id>-v<generation>`.
    #[must_use]
    pub fn of_order(order: &OrderId, generation: Generation) -> Self {
        Self {
            text: format!("{order}-v{}", generation.0).into(),
            kind: PhantomData,
        }
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<K> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Which life of an order: 1 at first, one more after each edited replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Generation(pub u32);

impl Generation {
    /// How every order starts.
    pub const FIRST: Self = Self(1);

    /// The life after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The life before this one; `None` for the first.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        (self > Self::FIRST).then(|| Self(self.0 - 1))
    }
}

/// Counts the changes of an order's row; every write names the version that it expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(pub i64);

impl Version {
    /// The version after one more change.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Names a message, derived from what it says: a repeat carries the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub Uuid);

impl MessageId {
    /// The id of the message of `kind` about one generation of an order.
    #[must_use]
    pub fn derive(order: &OrderId, generation: Generation, kind: &str) -> Self {
        Self(derive(order, generation, kind))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Fixed for ever: another value would make every effect in flight look new.
const NAMESPACE: Uuid = Uuid::from_u128(0x6f2c_44aa_93a8_4b0c_9f0e_7d1b_5a53_e001);

fn derive(order: &OrderId, generation: Generation, what: &str) -> Uuid {
    // An id has no '/', so no two triples give one text.
    Uuid::new_v5(&NAMESPACE, format!("{order}/{}/{what}", generation.0).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_1_to_64_plain_characters() {
        assert!(OrderId::parse("ORD-2026.a_b").is_ok());
        assert!(OrderId::parse(&"x".repeat(64)).is_ok());
        for bad in ["", ".", "..", &"x".repeat(65), "a b", "ñ", "a/b", "a\n"] {
            assert!(OrderId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn keys_differ_by_order_generation_and_effect_and_repeat_otherwise() {
        let order = OrderId::parse("ORD-1").unwrap();
        let key = |g, effect| IdempotencyKey::derive(&order, Generation(g), effect);
        assert_eq!(key(1, "reserve"), key(1, "reserve"));
        assert_ne!(key(1, "reserve"), key(2, "reserve"));
        assert_ne!(key(1, "reserve"), key(1, "commit"));
    }

    #[test]
    fn the_second_segment_of_a_warehouse_is_its_country() {
        assert_eq!(WarehouseId::parse("WH-MX-CDMX").unwrap().country(), Some("MX"));
        assert_eq!(WarehouseId::parse("WHMX").unwrap().country(), None);
    }
}
