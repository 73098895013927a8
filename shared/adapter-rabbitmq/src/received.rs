//! A message as it came from a queue. Everything on it comes from outside and may be anything.

use contracts::{amqp, order_message, undo_message};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use pipeline::dead_letters::{Content, Letter, Queue as Dead};
use pipeline::failure::{Class, Failed};
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::message::{Delivery, Malformed, MalformedKind, UndoMessage};
use pipeline::retry::{ATTEMPTS_MAX, DEFERRALS_MAX};
use uuid::Uuid;

use crate::properties::json;

/// The broker's header that counts returns; absent on a first delivery.
const RETURNS: &str = "x-delivery-count";

/// The broker's header on what it moved by itself.
const DEATHS: &str = "x-death";

/// A message in a consumer's hands.
#[derive(Debug, Clone)]
pub struct Received {
    pub(crate) body: Vec<u8>,
    pub(crate) properties: BasicProperties,
}

impl Received {
    /// As an order to process.
    #[must_use]
    pub fn order(&self) -> Delivery {
        self.delivery(self.understood().and_then(|()| order_message::decode(&self.body)))
    }

    /// As an order to undo.
    #[must_use]
    pub fn undo(&self) -> Delivery<UndoMessage> {
        self.delivery(self.understood().and_then(|()| undo_message::decode(&self.body)))
    }

    /// As a dead letter out of `queue`.
    #[must_use]
    pub fn letter(&self, queue: Dead) -> Letter {
        let order = match queue {
            Dead::Compensation => undo_message::decode(&self.body).ok().map(|message| message.order),
            Dead::Process | Dead::Invalid => order_message::decode(&self.body).ok().map(|message| message.order),
        };
        Letter {
            queue,
            order: order.or_else(|| self.claimed()),
            generation: self.generation(),
            failed: self.failed(),
            attempt: self.attempt(),
            content: Content {
                body: self.body.clone(),
                properties: json::write(&self.properties).to_string(),
            },
        }
    }

    /// Which try this is. Whatever is no number of ours counts as the first.
    pub(crate) fn attempt(&self) -> u32 {
        self.count(amqp::HEADER_ATTEMPT, ATTEMPTS_MAX).max(1)
    }

    /// What it is called in logs: what its sender says that it is about.
    pub(crate) fn name(&self) -> String {
        match (self.claimed(), message_id(&self.properties)) {
            (Some(order), _) => order.to_string(),
            (None, Some(id)) => format!("of message {id}"),
            (None, None) => "unknown".to_owned(),
        }
    }

    fn delivery<M>(&self, message: Result<M, Malformed>) -> Delivery<M> {
        Delivery {
            message,
            id: message_id(&self.properties),
            generation: self.generation(),
            attempt: self.attempt(),
            deferrals: self.count(amqp::HEADER_DEFERRALS, DEFERRALS_MAX),
            returns: self.count(RETURNS, u32::MAX),
        }
    }

    /// Whether the body is written in a way that we read, as far as its properties tell.
    fn understood(&self) -> Result<(), Malformed> {
        let malformed = |field: &str, reason: String| Malformed {
            kind: MalformedKind::Shape,
            field: field.to_owned(),
            reason,
        };
        let stated =
            |text: &Option<lapin::types::ShortString>| text.as_ref().map(ToString::to_string).unwrap_or_default();
        let kind = stated(self.properties.content_type());
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.is_empty() && !kind.eq_ignore_ascii_case(amqp::CONTENT_TYPE) {
            let reason = format!("must be {} or absent", amqp::CONTENT_TYPE);
            return Err(malformed("content_type", reason));
        }
        let encoding = stated(self.properties.content_encoding());
        if !matches!(encoding.to_ascii_lowercase().as_str(), "" | "identity" | "utf-8") {
            return Err(malformed(
                "content_encoding",
                "must be absent: bodies are plain".to_owned(),
            ));
        }
        match self.header(amqp::HEADER_SCHEMA_VERSION) {
            None => Ok(()),
            Some(_) if self.number(amqp::HEADER_SCHEMA_VERSION) == Some(amqp::SCHEMA_VERSION.into()) => Ok(()),
            Some(_) => {
                let reason = format!("must be {}; a newer worker may understand it", amqp::SCHEMA_VERSION);
                Err(malformed(amqp::HEADER_SCHEMA_VERSION, reason))
            }
        }
    }

    /// The order that its sender says it is about.
    fn claimed(&self) -> Option<OrderId> {
        let id = self.properties.correlation_id().as_ref()?;
        OrderId::parse(id.as_str()).ok()
    }

    fn generation(&self) -> Generation {
        let number = self
            .number(amqp::HEADER_GENERATION)
            .and_then(|number| u32::try_from(number).ok());
        number
            .filter(|&number| number > 0 && i32::try_from(number).is_ok())
            .map_or(Generation::FIRST, Generation)
    }

    /// Why one of us made it a dead letter. What the broker moved is nobody's word, whatever else stands on it.
    fn failed(&self) -> Option<Failed> {
        if self.header(DEATHS).is_some() {
            return None;
        }
        let class: Class = self.text(amqp::HEADER_FAILURE_CLASS)?.parse().ok()?;
        let reason = self.text(amqp::HEADER_LAST_ERROR).unwrap_or_default();
        let step = self.text(amqp::HEADER_FAILURE_STEP);
        Some(Failed::new(class, step.as_deref(), &reason, self.attempt()))
    }

    /// A number of ours: 0 where it is absent, no number, negative or beyond what we write.
    fn count(&self, name: &str, max: u32) -> u32 {
        let number = self.number(name).and_then(|number| u32::try_from(number).ok());
        number.filter(|number| *number <= max).unwrap_or(0)
    }

    fn header(&self, name: &str) -> Option<&AMQPValue> {
        self.properties.headers().as_ref()?.inner().get(name)
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.header(name)? {
            AMQPValue::ShortString(text) => Some(text.to_string()),
            AMQPValue::LongString(text) => Some(String::from_utf8_lossy(text.as_bytes()).into_owned()),
            _ => None,
        }
    }

    /// A whole number, whatever its width; written out as text too, as people do who send by hand.
    fn number(&self, name: &str) -> Option<i64> {
        match self.header(name)? {
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
}

fn message_id(properties: &BasicProperties) -> Option<MessageId> {
    let text = properties.message_id().as_ref()?;
    Uuid::try_parse(text.as_str()).ok().map(MessageId)
}

#[cfg(test)]
mod tests;
