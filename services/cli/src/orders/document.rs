//! One order document, and copies of it that differ in nothing but their names.

use contracts::canonical::Members;
use contracts::limits::BODY_BYTES_MAX;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use serde_json::value::RawValue;

use crate::terminal::escape;

/// An order as it is sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Document {
    /// Its id.
    pub order: OrderId,
    /// Names the order in the `Idempotency-Key` header, the same at every try.
    pub key: IdempotencyKey,
    /// JSON.
    pub body: String,
}

impl Document {
    /// The `copy`th copy of the document in `line`, from 1. The first is the line as it is; a further one has `-c2` and so
    /// on behind order id and key, and every other value as it was written.
    ///
    /// # Errors
    ///
    /// Why the line cannot be sent, in words. Whether it is a good order is for checkout to say.
    pub fn of(line: &str, copy: u32) -> Result<Self, String> {
        if line.len() > BODY_BYTES_MAX {
            return Err(format!("{} bytes; at most {BODY_BYTES_MAX} are accepted", line.len()));
        }
        let mut members: Members<'_> = serde_json::from_str(line).map_err(|error| escape(&error.to_string()))?;
        let order = text(&members, "order_id")?.ok_or("order_id: required")?;
        let key = text(&members, "idempotency_key")?;
        let suffix = if copy > 1 { format!("-c{copy}") } else { String::new() };
        let order = OrderId::parse(&format!("{order}{suffix}")).map_err(|error| format!("order_id: {error}"))?;
        let own_key = key.map(|key| IdempotencyKey::parse(&format!("{key}{suffix}")));
        let own_key = own_key
            .transpose()
            .map_err(|error| format!("idempotency_key: {error}"))?;
        let body = if copy > 1 {
            let renamed = [
                ("order_id", Some(order.as_str())),
                ("idempotency_key", own_key.as_ref().map(IdempotencyKey::as_str)),
            ];
            // Ids hold nothing that JSON would escape.
            let renamed =
                renamed.map(|(name, value)| (name, value.map(|value| RawValue::from_string(format!("\"{value}\"")))));
            for (name, value) in &renamed {
                if let Some(Ok(value)) = value {
                    members.0.insert((*name).to_owned(), value);
                }
            }
            serde_json::to_string(&members.0).map_err(|error| escape(&error.to_string()))?
        } else {
            line.to_owned()
        };
        Ok(Self {
            key: own_key.unwrap_or_else(|| IdempotencyKey::of_order(&order, Generation::FIRST)),
            order,
            body,
        })
    }
}

/// A member that is a text; `None` where it is not there.
fn text(members: &Members<'_>, name: &str) -> Result<Option<String>, String> {
    let value = members.0.get(name).filter(|value| value.get() != "null");
    let value = value.map(|value| serde_json::from_str(value.get()));
    value.transpose().map_err(|_| format!("{name}: must be a text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"{"total_amount": {"value": 28500.00,"currency":"MXN"}, "order_id":"O-1","idempotency_key":"K-1"}"#;

    #[test]
    fn the_first_copy_is_the_line_as_it_is() {
        let document = Document::of(LINE, 1).unwrap();
        assert_eq!(
            (document.order.as_str(), document.key.as_str(), &*document.body),
            ("O-1", "K-1", LINE)
        );
    }

    #[test]
    fn a_further_copy_differs_in_id_and_key_alone() {
        let document = Document::of(LINE, 12).unwrap();
        assert_eq!((document.order.as_str(), document.key.as_str()), ("O-1-c12", "K-1-c12"));
        let body =
            r#"{"idempotency_key":"K-1-c12","order_id":"O-1-c12","total_amount":{"value": 28500.00,"currency":"MXN"}}"#;
        assert_eq!(document.body, body);
    }

    #[test]
    fn an_order_without_a_key_goes_by_the_key_that_checkout_derives() {
        let document = Document::of(r#"{"order_id":"O-1"}"#, 2).unwrap();
        assert_eq!(
            (document.key.as_str(), &*document.body),
            ("O-1-c2-v1", r#"{"order_id":"O-1-c2"}"#)
        );
    }

    #[test]
    fn a_line_that_cannot_be_sent_says_why() {
        let long = format!(r#"{{"order_id":"{}"}}"#, "x".repeat(63));
        let lines = [
            ("", 1, "EOF"),
            ("[]", 1, "a JSON object"),
            (r#"{"a":1,"a":2}"#, 1, "comes twice"),
            ("{}", 1, "order_id: required"),
            (r#"{"order_id":7}"#, 1, "order_id: must be a text"),
            (r#"{"order_id":"a b"}"#, 1, "order_id: order id must be"),
            (&long, 2, "order_id: order id must be"),
        ];
        for (line, copy, why) in lines {
            let told = Document::of(line, copy).unwrap_err();
            assert!(told.contains(why), "{line}: {told}");
        }
    }
}
