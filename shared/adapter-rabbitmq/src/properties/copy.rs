//! What stands on a copy of a message that moves on: all that was on the original, but for what belongs to its last
//! place.

use contracts::amqp;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};
use pipeline::failure::Failed;

/// Changes to the headers of a copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) attempt: Option<u32>,
    pub(crate) deferrals: Option<u32>,
    pub(crate) last_error: Option<String>,
    pub(crate) failed: Option<Failed>,
}

/// The properties of a copy. The broker's own headers stay behind: they tell of a place where the copy is not. So does
/// an expiration, which would end the message in its next place.
pub(crate) fn of(original: &BasicProperties, changes: &Changes) -> BasicProperties {
    let mut headers = own(original);
    let mut number = |name: &str, value: u32| {
        headers.insert(name.into(), AMQPValue::LongLongInt(value.into()));
    };
    if let Some(attempt) = changes.attempt {
        number(amqp::HEADER_ATTEMPT, attempt);
    }
    if let Some(deferrals) = changes.deferrals {
        number(amqp::HEADER_DEFERRALS, deferrals);
    }
    if let Some(why) = &changes.last_error {
        headers.insert(
            amqp::HEADER_LAST_ERROR.into(),
            AMQPValue::LongString(why.as_str().into()),
        );
    }
    if let Some(failed) = &changes.failed {
        set_failure(&mut headers, failed);
    }
    moved(original, headers)
}

/// The properties of a message that a person sends again: as it was first, but for the mark that says so.
pub(crate) fn again(original: &BasicProperties, replay: &str) -> BasicProperties {
    let left = [
        amqp::HEADER_ATTEMPT,
        amqp::HEADER_DEFERRALS,
        amqp::HEADER_LAST_ERROR,
        amqp::HEADER_FAILURE_CLASS,
        amqp::HEADER_FAILURE_STEP,
        amqp::HEADER_ORDER_VERSION,
    ];
    let mut headers = FieldTable::default();
    for (name, value) in own(original).inner() {
        if !left.contains(&name.as_str()) {
            headers.insert(name.clone(), value.clone());
        }
    }
    headers.insert(amqp::HEADER_REPLAY.into(), AMQPValue::LongString(replay.into()));
    moved(original, headers)
}

/// Says on a dead letter why it is one.
pub(crate) fn set_failure(headers: &mut FieldTable, failed: &Failed) {
    let mut text = |name: &str, value: &str| {
        headers.insert(name.into(), AMQPValue::LongString(value.into()));
    };
    text(amqp::HEADER_FAILURE_CLASS, failed.class.name());
    text(amqp::HEADER_LAST_ERROR, &failed.reason);
    if let Some(step) = &failed.step {
        text(amqp::HEADER_FAILURE_STEP, step);
    }
}

/// Headers by which a sender has the broker deliver a message to further queues. On a copy they would multiply it, with
/// each move once more.
const FURTHER_QUEUES: [&str; 2] = ["CC", "BCC"];

/// Bytes of headers that a copy takes over. All properties must fit one frame of the protocol (128 KiB), with what we and
/// the broker add to them: whoever gets a larger one has to break the connection, and so does whoever sends it.
const HEADERS_BYTES_MAX: usize = 64 * 1024;

/// The headers that a copy takes over. What does not fit stays behind, the largest first.
fn own(original: &BasicProperties) -> FieldTable {
    let all = original.headers().iter().flat_map(FieldTable::inner);
    let ours = all.filter(|(name, _)| !name.as_str().starts_with("x-") && !FURTHER_QUEUES.contains(&name.as_str()));
    let mut sized: Vec<_> = ours
        .map(|(name, value)| (entry_bytes(name, value), name, value))
        .collect();
    sized.sort_by_key(|(bytes, ..)| *bytes);
    let mut headers = FieldTable::default();
    let mut left = HEADERS_BYTES_MAX;
    for (bytes, name, value) in sized {
        let Some(rest) = left.checked_sub(bytes) else { break };
        left = rest;
        headers.insert(name.clone(), value.clone());
    }
    headers
}

fn entry_bytes(name: &ShortString, value: &AMQPValue) -> usize {
    1 + name.as_str().len() + value_bytes(value)
}

/// Bytes of a value and its type as they are sent.
fn value_bytes(value: &AMQPValue) -> usize {
    1 + match value {
        AMQPValue::Void => 0,
        AMQPValue::Boolean(_) | AMQPValue::ShortShortInt(_) | AMQPValue::ShortShortUInt(_) => 1,
        AMQPValue::ShortInt(_) | AMQPValue::ShortUInt(_) => 2,
        AMQPValue::LongInt(_) | AMQPValue::LongUInt(_) | AMQPValue::Float(_) => 4,
        AMQPValue::DecimalValue(_) => 5,
        AMQPValue::LongLongInt(_) | AMQPValue::Double(_) | AMQPValue::Timestamp(_) => 8,
        AMQPValue::ShortString(text) => 1 + text.as_str().len(),
        AMQPValue::LongString(text) => 4 + text.as_bytes().len(),
        AMQPValue::ByteArray(bytes) => 4 + bytes.as_slice().len(),
        AMQPValue::FieldArray(values) => 4 + values.as_slice().iter().map(value_bytes).sum::<usize>(),
        AMQPValue::FieldTable(table) => {
            let entries = table.inner().iter();
            4 + entries.map(|(name, value)| entry_bytes(name, value)).sum::<usize>()
        }
    }
}

fn moved(original: &BasicProperties, headers: FieldTable) -> BasicProperties {
    let mut properties = BasicProperties::default()
        .with_delivery_mode(super::PERSISTENT)
        .with_headers(headers);
    let texts = [
        (
            original.content_type(),
            BasicProperties::with_content_type as fn(_, _) -> _,
        ),
        (original.content_encoding(), BasicProperties::with_content_encoding),
        (original.correlation_id(), BasicProperties::with_correlation_id),
        (original.reply_to(), BasicProperties::with_reply_to),
        (original.message_id(), BasicProperties::with_message_id),
        (original.kind(), BasicProperties::with_type),
        (original.app_id(), BasicProperties::with_app_id),
    ];
    for (value, with) in texts {
        if let Some(value) = value {
            properties = with(properties, value.clone());
        }
    }
    if let Some(timestamp) = original.timestamp() {
        properties = properties.with_timestamp(*timestamp);
    }
    if let Some(priority) = original.priority() {
        properties = properties.with_priority(*priority);
    }
    // The user id stays behind: the broker refuses a copy under another user's name.
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    fn original() -> BasicProperties {
        let mut headers = FieldTable::default();
        for (name, value) in [
            ("attempt", AMQPValue::LongInt(2)),
            ("traceparent", AMQPValue::LongString("00-1-2-01".into())),
            ("shop", AMQPValue::Boolean(true)),
            ("x-delivery-count", AMQPValue::LongInt(1)),
            ("x-death", AMQPValue::Void),
            ("CC", AMQPValue::Void),
            ("BCC", AMQPValue::Void),
        ] {
            headers.insert(name.into(), value);
        }
        BasicProperties::default()
            .with_message_id("m-1".into())
            .with_correlation_id("ORD-1".into())
            .with_content_type("application/json".into())
            .with_type("order.process".into())
            .with_app_id("acuse".into())
            .with_timestamp(7)
            .with_priority(3)
            .with_expiration("5000".into())
            .with_headers(headers)
    }

    fn header(properties: &BasicProperties, name: &str) -> Option<AMQPValue> {
        properties.headers().as_ref()?.inner().get(name).cloned()
    }

    #[test]
    fn a_copy_keeps_everything_but_what_belongs_to_its_last_place() {
        let changes = Changes {
            attempt: Some(3),
            last_error: Some("down".to_owned()),
            ..Changes::default()
        };
        let copy = of(&original(), &changes);
        assert_eq!(header(&copy, "attempt"), Some(AMQPValue::LongLongInt(3)));
        assert_eq!(header(&copy, "last-error"), Some(AMQPValue::LongString("down".into())));
        assert_eq!(header(&copy, "traceparent"), header(&original(), "traceparent"));
        assert_eq!(header(&copy, "shop"), Some(AMQPValue::Boolean(true)));
        for left in ["x-delivery-count", "x-death", "CC", "BCC"] {
            assert_eq!(header(&copy, left), None);
        }
        assert_eq!(copy.expiration(), &None);
        assert_eq!(copy.delivery_mode(), &Some(2));
        assert_eq!(copy.message_id(), original().message_id());
        assert_eq!(copy.correlation_id(), original().correlation_id());
        assert_eq!(copy.kind(), original().kind());
        assert_eq!((copy.timestamp(), copy.priority()), (&Some(7), &Some(3)));
    }

    #[test]
    fn what_is_sent_again_starts_afresh_and_says_so() {
        let again = again(&original(), "entry-1");
        assert_eq!(header(&again, "attempt"), None);
        assert_eq!(header(&again, "replay"), Some(AMQPValue::LongString("entry-1".into())));
        assert_eq!(header(&again, "shop"), Some(AMQPValue::Boolean(true)));
        assert_eq!(again.message_id(), original().message_id());
    }

    #[test]
    fn of_headers_that_no_frame_would_hold_the_largest_stay_behind() {
        let with = |length: usize| {
            let mut headers = original().headers().clone().unwrap();
            headers.insert("large".into(), AMQPValue::LongString(vec![0; length].into()));
            original().with_headers(headers)
        };
        let rest = original();
        let kept = own(&rest).inner().len();
        for (length, large) in [(60_000, 1), (65_000, 1), (66_000, 0), (131_000, 0)] {
            assert_eq!(own(&with(length)).inner().len(), kept + large, "{length}");
        }
        assert_eq!(
            header(&of(&with(131_000), &Changes::default()), "shop"),
            Some(AMQPValue::Boolean(true))
        );
    }
}
