//! JSON with one spelling: keys sorted, no blanks, strings escaped one way, numbers as written. Two documents with the
//! same canonical text say the same. Duplicate keys are refused, since readers disagree on which of them counts.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::limits::DEPTH_MAX;

/// The members of one JSON object, as they were written. Reading it refuses a key that comes twice.
#[derive(Debug, Default)]
pub struct Members<'a>(pub BTreeMap<String, &'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Unique;

        impl<'de> Visitor<'de> for Unique {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if members.contains_key(&key) {
                        let shown: String = key.chars().take(64).flat_map(char::escape_default).collect();
                        return Err(A::Error::custom(format!("key \"{shown}\" comes twice")));
                    }
                    members.insert(key, value);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Unique)
    }
}

/// The canonical text of a JSON document.
///
/// # Errors
///
/// When it is not JSON, a key comes twice in one object, or it is nested deeper than [`DEPTH_MAX`].
pub fn canonical(text: &str) -> Result<String, serde_json::Error> {
    let document: &RawValue = serde_json::from_str(text)?;
    let mut out = String::with_capacity(text.len());
    write(document, DEPTH_MAX, &mut out)?;
    Ok(out)
}

/// SHA-256 of a canonical text.
#[must_use]
pub fn fingerprint(canonical: &str) -> [u8; 32] {
    Sha256::digest(canonical.as_bytes()).into()
}

fn write(value: &RawValue, depth: usize, out: &mut String) -> Result<(), serde_json::Error> {
    let text = value.get();
    let too_deep = || serde_json::Error::custom(format!("nested deeper than {DEPTH_MAX}"));
    match text.as_bytes().first() {
        Some(b'{') => {
            let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
            let members: Members<'_> = serde_json::from_str(text)?;
            out.push('{');
            for (position, (key, value)) in members.0.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                out.push_str(&serde_json::to_string(key)?);
                out.push(':');
                write(value, depth, out)?;
            }
            out.push('}');
        }
        Some(b'[') => {
            let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
            let elements: Vec<&RawValue> = serde_json::from_str(text)?;
            out.push('[');
            for (position, value) in elements.into_iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write(value, depth, out)?;
            }
            out.push(']');
        }
        Some(b'"') => {
            let string: String = serde_json::from_str(text)?;
            out.push_str(&serde_json::to_string(&string)?);
        }
        _number_or_word => out.push_str(text),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_keys_blanks_and_escapes_do_not_matter_but_digits_do() {
        let one = canonical(r#"{"b": [1, 2.50], "a": "\u00e1\/"}"#).unwrap();
        assert_eq!(one, r#"{"a":"á/","b":[1,2.50]}"#);
        assert_eq!(one, canonical("{ \"a\":\"á/\",\n\"b\":[1,2.50] }").unwrap());
        assert_ne!(one, canonical(r#"{"a":"á/","b":[1,2.5]}"#).unwrap());
    }

    #[test]
    fn a_key_that_comes_twice_is_refused_at_any_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"x":[{"a":1,"\u0061":2}]}"#] {
            let error = canonical(text).unwrap_err().to_string();
            assert!(error.contains("key \"a\" comes twice"), "{error}");
        }
    }

    #[test]
    fn depth_is_bounded_and_halves_of_characters_are_refused() {
        assert!(canonical(&("[".repeat(16) + &"]".repeat(16))).is_ok());
        assert!(canonical(&("[".repeat(17) + &"]".repeat(17))).is_err());
        assert!(canonical(&"[".repeat(20_000)).is_err());
        assert!(canonical(r#"{"note":"\ud83d"}"#).is_err());
    }
}
