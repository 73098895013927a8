//! A message's properties and headers, a line each.

use serde_json::Value;

use crate::terminal::escape;

/// The property that holds the headers.
const HEADERS: &str = "headers";

/// Name and value of every property, then of every header. A value stands as it is where it is text or a whole number of
/// the usual kind, else with its type.
pub(super) fn lines(properties: &Value) -> Vec<(String, String)> {
    let all = properties.as_object().into_iter().flatten();
    let own = all.filter(|(name, _)| *name != HEADERS);
    let own = own.map(|(name, value)| (escape(name), plain(value)));
    let headers = properties[HEADERS].as_object().into_iter().flatten();
    let headers = headers.map(|(name, value)| (format!("header {}", escape(name)), typed(value)));
    own.chain(headers).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => escape(text),
        other => escape(&other.to_string()),
    }
}

/// A header's value stands under the name of its type.
fn typed(value: &Value) -> String {
    let pair = value.as_object().filter(|members| members.len() == 1);
    let Some((kind, value)) = pair.and_then(|members| members.iter().next()) else {
        return plain(value);
    };
    match (kind.as_str(), value) {
        ("text" | "short" | "i32" | "i64" | "bool", value) => plain(value),
        // Kept as its bits, so that nothing is lost of it.
        ("f64", value) if value.is_u64() => told(f64::from_bits(value.as_u64().unwrap_or_default()), kind),
        ("f32", value) if value.is_u64() => {
            let bits = u32::try_from(value.as_u64().unwrap_or_default()).unwrap_or_default();
            told(f32::from_bits(bits), kind)
        }
        ("void", _) => "nothing".to_owned(),
        (kind, value) => told(plain(value), &escape(kind)),
    }
}

fn told(value: impl std::fmt::Display, kind: &str) -> String {
    format!("{value} ({kind})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_value_can_be_read_and_none_plays_with_the_terminal() {
        let headers = json!({
            "attempt": {"i64": 2}, "blob": {"bytes_hex": "ff00"}, "ratio": {"f64": 0.5_f64.to_bits()},
            "half": {"f32": 0.5_f32.to_bits()}, "why\u{7}": {"text": "a\u{1b}[2Jb"}, "none": {"void": null},
            "list": {"array": [{"i32": 1}]}, "strange": [1], "odd": {"a": 1, "b": 2},
        });
        let told = lines(&json!({"type": "order.process", "priority": 3, "headers": headers}));
        let told: Vec<_> = told.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut expected = vec![
            "priority=3",
            "type=order.process",
            "header attempt=2",
            "header blob=ff00 (bytes_hex)",
            "header half=0.5 (f32)",
            "header list=[{\"i32\":1}] (array)",
            "header none=nothing",
            "header odd={\"a\":1,\"b\":2}",
            "header ratio=0.5 (f64)",
            "header strange=[1]",
            "header why\\u{7}=a\\u{1b}[2Jb",
        ];
        expected.sort_unstable();
        let mut sorted = told.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
        assert_eq!(lines(&json!("nonsense")), []);
    }
}
