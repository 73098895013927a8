//! Money on the wire: `{"value": 28500.00, "currency": "MXN"}`. The digits are read and written as text, never through
//! a binary number.

use pipeline::money::{Currency, InvalidMoney, Money};
use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// [`Money`] as the wire has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireMoney(pub Money);

/// The two fields as written.
#[derive(Debug, Deserialize)]
pub(crate) struct Written {
    value: Box<RawValue>,
    currency: String,
}

impl Written {
    /// The amount; the error comes with the name of the field that it is about.
    pub(crate) fn money(&self) -> Result<Money, (&'static str, InvalidMoney)> {
        let currency = Currency::parse(&self.currency).map_err(|error| ("currency", error))?;
        Money::parse(self.value.get(), currency).map_err(|error| ("value", error))
    }
}

impl Serialize for WireMoney {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = RawValue::from_string(self.0.digits()).map_err(serde::ser::Error::custom)?;
        let mut fields = serializer.serialize_struct("Money", 2)?;
        fields.serialize_field("value", &digits)?;
        fields.serialize_field("currency", self.0.currency().code())?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for WireMoney {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        let money = written.money();
        money
            .map(Self)
            .map_err(|(field, error)| D::Error::custom(format!("{field}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_survive_the_wire() {
        for text in [
            r#"{"value":28500.00,"currency":"MXN"}"#,
            r#"{"value":12990,"currency":"CLP"}"#,
        ] {
            let money: WireMoney = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&money).unwrap(), text);
        }
    }
}
