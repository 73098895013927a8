//! Properties as JSON, for people to read and to be read back without loss.

use lapin::BasicProperties;
use lapin::types::{AMQPValue, ByteArray, DecimalValue, FieldArray, FieldTable, ShortString};
use serde_json::{Map, Value, json};

/// Tables inside each other; what lies deeper is left out, and said to be.
const DEPTH_MAX: usize = 16;

/// Headers that the broker sets on a single delivery, so that the same message has others when it comes again.
const OF_DELIVERY: [&str; 2] = ["x-delivery-count", "x-acquired-count"];

/// All properties that are set; the same for each delivery of the same message.
pub(crate) fn write(properties: &BasicProperties) -> Value {
    let mut all = Map::new();
    let texts = [
        ("content_type", properties.content_type()),
        ("content_encoding", properties.content_encoding()),
        ("correlation_id", properties.correlation_id()),
        ("reply_to", properties.reply_to()),
        ("expiration", properties.expiration()),
        ("message_id", properties.message_id()),
        ("type", properties.kind()),
        ("user_id", properties.user_id()),
        ("app_id", properties.app_id()),
        ("cluster_id", properties.cluster_id()),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            all.insert(name.to_owned(), visible(value.as_str()).into());
        }
    }
    let numbers = [
        ("delivery_mode", properties.delivery_mode().map(u64::from)),
        ("priority", properties.priority().map(u64::from)),
        ("timestamp", *properties.timestamp()),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            all.insert(name.to_owned(), value.into());
        }
    }
    if let Some(headers) = properties.headers() {
        let mut headers = table(headers, 0);
        headers.retain(|name, _| !OF_DELIVERY.contains(&name.as_str()));
        if !headers.is_empty() {
            all.insert("headers".to_owned(), headers.into());
        }
    }
    Value::Object(all)
}

/// A table as an object; each value stands with its type, so that it can be read back.
fn table(headers: &FieldTable, depth: usize) -> Map<String, Value> {
    let entry = |(name, value): (&ShortString, &AMQPValue)| (visible(name.as_str()), one(value, depth));
    headers.inner().iter().map(entry).collect()
}

fn one(value: &AMQPValue, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return json!({ "left_out": "nested too deep" });
    }
    match value {
        AMQPValue::Boolean(value) => json!({ "bool": value }),
        AMQPValue::ShortShortInt(value) => json!({ "i8": value }),
        AMQPValue::ShortShortUInt(value) => json!({ "u8": value }),
        AMQPValue::ShortInt(value) => json!({ "i16": value }),
        AMQPValue::ShortUInt(value) => json!({ "u16": value }),
        AMQPValue::LongInt(value) => json!({ "i32": value }),
        AMQPValue::LongUInt(value) => json!({ "u32": value }),
        AMQPValue::LongLongInt(value) => json!({ "i64": value }),
        AMQPValue::Float(value) => json!({ "f32": value.to_bits() }),
        AMQPValue::Double(value) => json!({ "f64": value.to_bits() }),
        AMQPValue::DecimalValue(value) => json!({ "decimal": [value.scale, value.value] }),
        AMQPValue::ShortString(text) => json!({ "short": visible(text.as_str()) }),
        AMQPValue::LongString(text) => match std::str::from_utf8(text.as_bytes()) {
            // JSON in a database holds no NUL.
            Ok(text) if !text.contains('\0') => json!({ "text": text }),
            Ok(_) | Err(_) => json!({ "text_hex": hex(text.as_bytes()) }),
        },
        AMQPValue::FieldArray(values) => {
            json!({ "array": values.as_slice().iter().map(|value| one(value, depth + 1)).collect::<Vec<_>>() })
        }
        AMQPValue::Timestamp(value) => json!({ "timestamp": value }),
        AMQPValue::FieldTable(value) => json!({ "table": table(value, depth + 1) }),
        AMQPValue::ByteArray(bytes) => json!({ "bytes_hex": hex(bytes.as_slice()) }),
        AMQPValue::Void => json!({ "void": null }),
    }
}

/// What [`write()`] wrote; whatever cannot be read is left out.
pub(crate) fn read(properties: &Value) -> BasicProperties {
    let mut read = BasicProperties::default();
    let texts = [
        ("content_type", BasicProperties::with_content_type as fn(_, _) -> _),
        ("content_encoding", BasicProperties::with_content_encoding),
        ("correlation_id", BasicProperties::with_correlation_id),
        ("reply_to", BasicProperties::with_reply_to),
        ("expiration", BasicProperties::with_expiration),
        ("message_id", BasicProperties::with_message_id),
        ("type", BasicProperties::with_type),
        ("app_id", BasicProperties::with_app_id),
    ];
    for (name, with) in texts {
        let text = properties[name]
            .as_str()
            .and_then(|text| ShortString::try_new(text).ok());
        if let Some(text) = text {
            read = with(read, text);
        }
    }
    if let Some(timestamp) = properties["timestamp"].as_u64() {
        read = read.with_timestamp(timestamp);
    }
    if let Some(priority) = properties["priority"]
        .as_u64()
        .and_then(|number| u8::try_from(number).ok())
    {
        read = read.with_priority(priority);
    }
    match &properties["headers"] {
        Value::Object(headers) => read.with_headers(table_back(headers)),
        _ => read,
    }
}

fn table_back(headers: &Map<String, Value>) -> FieldTable {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        if let (Ok(name), Some(value)) = (ShortString::try_new(name.as_str()), one_back(value)) {
            table.insert(name, value);
        }
    }
    table
}

fn one_back(value: &Value) -> Option<AMQPValue> {
    let (kind, value) = value.as_object()?.iter().next()?;
    let number = || value.as_i64();
    Some(match kind.as_str() {
        "bool" => AMQPValue::Boolean(value.as_bool()?),
        "i8" => AMQPValue::ShortShortInt(number()?.try_into().ok()?),
        "u8" => AMQPValue::ShortShortUInt(number()?.try_into().ok()?),
        "i16" => AMQPValue::ShortInt(number()?.try_into().ok()?),
        "u16" => AMQPValue::ShortUInt(number()?.try_into().ok()?),
        "i32" => AMQPValue::LongInt(number()?.try_into().ok()?),
        "u32" => AMQPValue::LongUInt(number()?.try_into().ok()?),
        "i64" => AMQPValue::LongLongInt(number()?),
        "f32" => AMQPValue::Float(f32::from_bits(value.as_u64()?.try_into().ok()?)),
        "f64" => AMQPValue::Double(f64::from_bits(value.as_u64()?)),
        "decimal" => AMQPValue::DecimalValue(DecimalValue {
            scale: value[0].as_u64()?.try_into().ok()?,
            value: value[1].as_u64()?.try_into().ok()?,
        }),
        "short" => AMQPValue::ShortString(ShortString::try_new(value.as_str()?).ok()?),
        "text" => AMQPValue::LongString(value.as_str()?.into()),
        "text_hex" => AMQPValue::LongString(unhex(value.as_str()?)?.into()),
        "array" => AMQPValue::FieldArray(FieldArray::from(
            value.as_array()?.iter().filter_map(one_back).collect::<Vec<_>>(),
        )),
        "timestamp" => AMQPValue::Timestamp(value.as_u64()?),
        "table" => AMQPValue::FieldTable(table_back(value.as_object()?)),
        "bytes_hex" => AMQPValue::ByteArray(ByteArray::from(unhex(value.as_str()?)?)),
        "void" => AMQPValue::Void,
        _ => return None,
    })
}

/// JSON in a database holds no NUL.
fn visible(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests;
