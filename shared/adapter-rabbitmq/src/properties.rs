//! What stands on a message beside its body.

pub(crate) mod copy;
pub(crate) mod json;

use contracts::amqp;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};
use pipeline::outgoing::Envelope;
use time::format_description::well_known::Rfc3339;

/// AMQP's word for "write it to disk".
const PERSISTENT: u8 = 2;
/// A message that leaves the outbox has not been tried.
const FIRST_ATTEMPT: i64 = 1;

/// The properties of an envelope's message of `kind`. The same envelope always gets the same.
pub(crate) fn of(envelope: &Envelope, kind: ShortString) -> BasicProperties {
    let created_at = envelope.created_at;
    let mut headers = FieldTable::default();
    let mut number = |name: &str, value: i64| {
        headers.insert(name.into(), AMQPValue::LongLongInt(value));
    };
    number(amqp::HEADER_SCHEMA_VERSION, i64::from(amqp::SCHEMA_VERSION));
    number(amqp::HEADER_ATTEMPT, FIRST_ATTEMPT);
    number(amqp::HEADER_GENERATION, i64::from(envelope.generation.0));
    let marks = &envelope.marks;
    if let Some(version) = marks.version {
        number(amqp::HEADER_ORDER_VERSION, version.0);
    }
    if let Some(failed) = &marks.failed {
        number(amqp::HEADER_ATTEMPT, failed.attempt.into());
        copy::set_failure(&mut headers, failed);
    }
    if marks.replay {
        headers.insert(amqp::HEADER_REPLAY.into(), AMQPValue::Boolean(true));
    }
    // A time that RFC 3339 cannot write (the year 10000) is left out: the header is for people and for measuring.
    if let Ok(first_queued_at) = created_at.format(&Rfc3339) {
        headers.insert(
            amqp::HEADER_FIRST_QUEUED_AT.into(),
            AMQPValue::LongString(first_queued_at.into()),
        );
    }
    BasicProperties::default()
        .with_content_type(amqp::CONTENT_TYPE.into())
        .with_delivery_mode(PERSISTENT)
        .with_message_id(envelope.id.to_string().into())
        .with_correlation_id(envelope.order.as_str().into())
        .with_type(kind)
        .with_timestamp(u64::try_from(created_at.unix_timestamp()).unwrap_or(0))
        .with_app_id(amqp::APP_ID.into())
        .with_headers(headers)
}
