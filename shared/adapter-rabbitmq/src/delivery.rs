//! A delivery as the pipeline wants it. Everything on it comes from outside and may be anything.

use contracts::{amqp, order_message};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::message::Delivery;
use uuid::Uuid;

const ATTEMPT_MAX: u32 = 1000;

/// Decodes body and headers; what is no sensible header counts as absent.
pub(crate) fn decode(body: &[u8], properties: &BasicProperties) -> Delivery {
    Delivery {
        message: order_message::decode(body),
        id: message_id(properties),
        generation: generation(properties),
        attempt: attempt(properties),
    }
}

/// What a delivery is called in logs: its order where that is known, else what its sender says it is about.
pub(crate) fn name(delivery: &Delivery, properties: &BasicProperties) -> String {
    let claimed = || {
        properties
            .correlation_id()
            .as_ref()
            .and_then(|id| OrderId::parse(id.as_str()).ok())
    };
    match (&delivery.message, claimed(), delivery.id) {
        (Ok(message), _, _) => message.order.to_string(),
        (Err(_), Some(order), _) => format!("{order} (as its sender says)"),
        (Err(_), None, Some(id)) => format!("unknown (message {id})"),
        (Err(_), None, None) => "unknown".to_owned(),
    }
}

fn message_id(properties: &BasicProperties) -> Option<MessageId> {
    let text = properties.message_id().as_ref()?;
    Uuid::try_parse(text.as_str()).ok().map(MessageId)
}

fn generation(properties: &BasicProperties) -> Generation {
    let number = header(properties, amqp::HEADER_GENERATION).and_then(|number| u32::try_from(number).ok());
    number
        .filter(|&number| number > 0)
        .map_or(Generation::FIRST, Generation)
}

fn attempt(properties: &BasicProperties) -> u32 {
    let number = header(properties, amqp::HEADER_ATTEMPT).unwrap_or(1);
    u32::try_from(number.clamp(1, i64::from(ATTEMPT_MAX))).unwrap_or(ATTEMPT_MAX)
}

/// A header that holds a whole number, whatever its width; written out as text too, as people do who send by hand.
fn header(properties: &BasicProperties, name: &str) -> Option<i64> {
    match properties.headers().as_ref()?.inner().get(name)? {
        AMQPValue::ShortShortInt(number) => Some((*number).into()),
        AMQPValue::ShortShortUInt(number) => Some((*number).into()),
        AMQPValue::ShortInt(number) => Some((*number).into()),
        AMQPValue::ShortUInt(number) => Some((*number).into()),
        AMQPValue::LongInt(number) => Some((*number).into()),
        AMQPValue::LongUInt(number) => Some((*number).into()),
        AMQPValue::LongLongInt(number) => Some(*number),
        AMQPValue::ShortString(text) => text.as_str().parse().ok(),
        AMQPValue::LongString(text) => std::str::from_utf8(text.as_bytes()).ok()?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lapin::types::{FieldArray, FieldTable};
    use pipeline::outgoing::{Destination, Envelope};
    use time::OffsetDateTime;

    use super::*;
    use crate::properties;

    fn with(name: &str, value: AMQPValue) -> BasicProperties {
        let mut headers = FieldTable::default();
        headers.insert(name.into(), value);
        BasicProperties::default().with_headers(headers)
    }

    #[test]
    fn what_we_send_is_what_we_read() {
        let order = OrderId::parse("ORD-7").unwrap();
        let envelope = Envelope {
            id: MessageId::derive(&order, Generation(3), "order.process"),
            destination: Destination::Orders,
            kind: "order.process".to_owned(),
            order,
            generation: Generation(3),
            body: String::new(),
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        let sent = properties::of(&envelope, "order.process".into());
        let read = decode(b"", &sent);
        assert_eq!(
            (read.id, read.generation, read.attempt),
            (Some(envelope.id), Generation(3), 1)
        );
        assert!(read.message.is_err());
        assert_eq!(name(&read, &sent), "ORD-7 (as its sender says)");
    }

    #[test]
    fn an_attempt_is_1_to_1000_whatever_the_header_says() {
        let read = |value| attempt(&with("attempt", value));
        assert_eq!(attempt(&BasicProperties::default()), 1);
        assert_eq!(read(AMQPValue::LongInt(7)), 7);
        assert_eq!(read(AMQPValue::ShortShortUInt(255)), 255);
        assert_eq!(read(AMQPValue::LongString("12".into())), 12);
        assert_eq!(read(AMQPValue::LongLongInt(i64::MIN)), 1);
        assert_eq!(read(AMQPValue::LongLongInt(i64::MAX)), 1000);
        assert_eq!(read(AMQPValue::LongUInt(u32::MAX)), 1000);
        assert_eq!(read(AMQPValue::LongString(vec![0xff; 9].into())), 1);
        assert_eq!(read(AMQPValue::Boolean(true)), 1);
        assert_eq!(read(AMQPValue::FieldArray(FieldArray::default())), 1);
    }

    #[test]
    fn a_bad_generation_is_the_first() {
        let read = |value| generation(&with("generation", value));
        assert_eq!(generation(&BasicProperties::default()), Generation::FIRST);
        assert_eq!(read(AMQPValue::LongInt(2)), Generation(2));
        for bad in [
            AMQPValue::LongInt(0),
            AMQPValue::LongLongInt(-5),
            AMQPValue::LongLongInt(i64::from(u32::MAX) + 1),
            AMQPValue::LongString("two".into()),
            AMQPValue::Void,
        ] {
            assert_eq!(read(bad.clone()), Generation::FIRST, "{bad:?}");
        }
    }

    #[test]
    fn a_message_id_that_is_no_uuid_is_none() {
        let read = |text: &str| message_id(&BasicProperties::default().with_message_id(text.into()));
        assert_eq!(read("not-a-uuid"), None);
        assert_eq!(read(&"9".repeat(200)), None);
        assert!(read("6f2c44aa-93a8-4b0c-9f0e-7d1b5a53e001").is_some());
    }

    #[test]
    fn a_senders_claim_is_shown_only_where_it_is_an_order_id() {
        let properties = BasicProperties::default().with_correlation_id("evil\nline".into());
        assert_eq!(name(&decode(b"", &properties), &properties), "unknown");
    }
}
