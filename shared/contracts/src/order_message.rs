//! The order message, version 1: body of `POST /orders` and of every message on `orders.process`.

use pipeline::failure::{REASON_LENGTH_MAX, plain};
use pipeline::id::{Generation, Id, IdempotencyKey, Kind};
use pipeline::message::{Address, Line, Malformed, MalformedKind, OrderMessage};
use pipeline::money::Money;
use pipeline::ports::NewOrder;
use serde::Deserialize;
use serde_json::value::RawValue;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::canonical::{Members, canonical, fingerprint};
use crate::limits::{BODY_BYTES_MAX, LINES_MAX, QUANTITY_MAX, TEXT_LENGTH_MAX};
use crate::money::Written;

#[derive(Deserialize)]
struct Body {
    order_id: String,
    timestamp: Option<String>,
    customer_id: String,
    payment_id: String,
    shipping_address: BodyAddress,
    items: Vec<BodyLine>,
    shipping_fee: Option<Written>,
    total_amount: Written,
    idempotency_key: Option<String>,
    not_before: Option<String>,
}

#[derive(Deserialize)]
struct BodyAddress {
    country: String,
    city: String,
    zip: String,
    line1: String,
}

#[derive(Deserialize)]
struct BodyLine {
    sku: String,
    qty: u32,
    warehouse_hint: Option<String>,
    unit_price: Option<Written>,
}

/// Decodes a message body; `idempotency_key` and `timestamp` must be there, since checkout filled them in.
///
/// # Errors
///
/// [`Malformed`], which names the field.
pub fn decode(bytes: &[u8]) -> Result<OrderMessage, Malformed> {
    read(bytes, None).map(|order| order.content)
}

/// Decodes the body of `POST /orders`. An absent `timestamp` becomes `now`; an absent `idempotency_key` becomes
/// `header_key` or `<order_id>-v1`. Both are filled into the document, which is otherwise kept as written.
///
/// # Errors
///
/// [`Malformed`], which names the field.
pub fn accept(bytes: &[u8], header_key: Option<&IdempotencyKey>, now: OffsetDateTime) -> Result<NewOrder, Malformed> {
    read(bytes, Some((header_key, now)))
}

fn read(bytes: &[u8], fill: Option<(Option<&IdempotencyKey>, OffsetDateTime)>) -> Result<NewOrder, Malformed> {
    if bytes.len() > BODY_BYTES_MAX {
        let reason = format!("{} bytes; at most {BODY_BYTES_MAX} are accepted", bytes.len());
        return Err(malformed(MalformedKind::TooLarge, "body", reason));
    }
    let shape = |reason: String| malformed(MalformedKind::Shape, "body", reason);
    let text = std::str::from_utf8(bytes).map_err(|error| shape(format!("not UTF-8: {error}")))?;
    // First of all the whole document: duplicate keys and depth are looked for where no field of ours is, too.
    canonical(text).map_err(|error| shape(error.to_string()))?;
    let mut members: Members<'_> = serde_json::from_str(text).map_err(|error| shape(error.to_string()))?;
    let body: Body =
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(|error| {
            let told = error.inner().to_string();
            malformed(MalformedKind::Shape, &field_of(&error.path().to_string(), &told), told)
        })?;

    let fingerprint = content_fingerprint(&members)?;
    let content = check(&body, fill)?;
    let filled = [
        (
            "idempotency_key",
            body.idempotency_key.is_none(),
            content.key.to_string(),
        ),
        (
            "timestamp",
            body.timestamp.is_none(),
            content.placed_at.format(&Rfc3339).unwrap_or_default(),
        ),
    ]
    .map(|(name, absent, value)| (name, absent, RawValue::from_string(format!("\"{value}\""))));
    for (name, absent, value) in &filled {
        if let (true, Ok(value)) = (absent, value) {
            members.0.insert((*name).to_owned(), value);
        }
    }
    let document = serde_json::to_string(&members.0).map_err(|error| shape(error.to_string()))?;
    Ok(NewOrder {
        content,
        document,
        fingerprint,
    })
}

/// The same for the same order content: neither the key nor a timestamp that checkout filled in counts.
fn content_fingerprint(members: &Members<'_>) -> Result<[u8; 32], Malformed> {
    let content: std::collections::BTreeMap<_, _> = members
        .0
        .iter()
        .filter(|(name, _)| *name != "idempotency_key")
        .collect();
    let text = serde_json::to_string(&content).and_then(|text| canonical(&text));
    let text = text.map_err(|error| malformed(MalformedKind::Shape, "body", error.to_string()))?;
    Ok(fingerprint(&text))
}

fn check(body: &Body, fill: Option<(Option<&IdempotencyKey>, OffsetDateTime)>) -> Result<OrderMessage, Malformed> {
    let order = id("order_id", &body.order_id)?;
    let key = match (&body.idempotency_key, fill) {
        (Some(text), _) => id("idempotency_key", text)?,
        (None, Some((Some(header), _))) => header.clone(),
        (None, Some((None, _))) => IdempotencyKey::of_order(&order, Generation::FIRST),
        (None, None) => return Err(rule("idempotency_key", "required")),
    };
    let placed_at = match (&body.timestamp, fill) {
        (Some(text), _) => instant("timestamp", text)?,
        (None, Some((_, now))) => now,
        (None, None) => return Err(rule("timestamp", "required")),
    };
    if body.items.is_empty() || body.items.len() > LINES_MAX {
        return Err(rule(
            "items",
            format!("{} lines; 1 to {LINES_MAX} are accepted", body.items.len()),
        ));
    }
    let lines = body.items.iter().enumerate().map(|(at, item)| line(at, item));
    let message = OrderMessage {
        order,
        placed_at,
        customer: id("customer_id", &body.customer_id)?,
        payment: id("payment_id", &body.payment_id)?,
        address: address(&body.shipping_address)?,
        lines: lines.collect::<Result<_, _>>()?,
        shipping_fee: money("shipping_fee", body.shipping_fee.as_ref())?,
        total: money("total_amount", Some(&body.total_amount))?.ok_or_else(|| rule("total_amount", "required"))?,
        key,
        not_before: body
            .not_before
            .as_deref()
            .map(|text| instant("not_before", text))
            .transpose()?,
    };
    if message.total.minor() == 0 {
        return Err(rule(
            "total_amount.value",
            "must be more than 0: an order here is a paid one",
        ));
    }
    adds_up(&message)?;
    Ok(message)
}

fn line(at: usize, item: &BodyLine) -> Result<Line, Malformed> {
    let field = |name: &str| format!("items[{at}].{name}");
    if item.qty == 0 || item.qty > QUANTITY_MAX {
        return Err(rule(
            &field("qty"),
            format!("{}; 1 to {QUANTITY_MAX} are accepted", item.qty),
        ));
    }
    let hint = item.warehouse_hint.as_deref();
    Ok(Line {
        sku: id(&field("sku"), &item.sku)?,
        quantity: item.qty,
        warehouse_hint: hint.map(|hint| id(&field("warehouse_hint"), hint)).transpose()?,
        unit_price: money(&field("unit_price"), item.unit_price.as_ref())?,
    })
}

fn address(address: &BodyAddress) -> Result<Address, Malformed> {
    let country = &address.country;
    if country.len() != 2 || !country.bytes().all(|byte| byte.is_ascii_uppercase()) {
        let reason = "must be two upper-case letters (ISO 3166-1), such as MX";
        return Err(rule("shipping_address.country", reason));
    }
    Ok(Address {
        country: country.clone(),
        city: text("shipping_address.city", &address.city)?,
        zip: text("shipping_address.zip", &address.zip)?,
        line1: text("shipping_address.line1", &address.line1)?,
    })
}

/// Where every line has a unit price, lines and shipping fee must make the total, exactly. Where some have one and some
/// not, nothing can be said, which is refused too: an invoice could not be written from it.
fn adds_up(message: &OrderMessage) -> Result<(), Malformed> {
    let priced = message.lines.iter().filter(|line| line.unit_price.is_some()).count();
    let same = |field: &str, money: Money| {
        let (is, must) = (money.currency().code(), message.total.currency().code());
        if is == must {
            Ok(())
        } else {
            Err(rule(field, format!("{is}; the total is in {must}")))
        }
    };
    if let Some(fee) = message.shipping_fee {
        same("shipping_fee.currency", fee)?;
        if fee > message.total {
            return Err(rule("shipping_fee.value", "more than the total"));
        }
    }
    if priced == 0 {
        return Ok(());
    }
    if priced < message.lines.len() {
        return Err(rule("items", "either every line has a unit_price or none"));
    }
    let mut sum = message.shipping_fee;
    for (at, line) in message.lines.iter().enumerate() {
        let Some(price) = line.unit_price else { continue };
        same(&format!("items[{at}].unit_price.currency"), price)?;
        let amount = price.times(line.quantity);
        sum = match (sum, amount) {
            (None, amount) => amount,
            (Some(sum), Some(amount)) => sum.plus(amount),
            (Some(_), None) => None,
        };
        if sum.is_none() {
            return Err(rule("items", "the lines add up to more than can be held"));
        }
    }
    match sum {
        Some(sum) if sum == message.total => Ok(()),
        _ => {
            let sum = sum.map_or_else(String::new, Money::digits);
            let reason = format!("{}; lines and shipping_fee add up to {sum}", message.total.digits());
            Err(rule("total_amount.value", reason))
        }
    }
}

fn id<K: Kind>(field: &str, text: &str) -> Result<Id<K>, Malformed> {
    Id::parse(text).map_err(|error| rule(field, error.to_string()))
}

fn instant(field: &str, text: &str) -> Result<OffsetDateTime, Malformed> {
    let instant = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| {
        rule(
            field,
            "must be an RFC 3339 time with offset, such as 2026-04-07T14:32:15Z",
        )
    })?;
    // Whoever takes it to UTC, as stores do, must find a day there.
    match instant.checked_to_offset(UtcOffset::UTC) {
        Some(utc) if utc.year() >= 0 => Ok(instant),
        _ => Err(rule(field, "must lie in the years 0 to 9999, in UTC")),
    }
}

fn money(field: &str, written: Option<&Written>) -> Result<Option<Money>, Malformed> {
    let wrong =
        |(part, error): (&str, pipeline::money::InvalidMoney)| rule(&format!("{field}.{part}"), error.to_string());
    written.map(|written| written.money().map_err(wrong)).transpose()
}

fn text(field: &str, text: &str) -> Result<String, Malformed> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > TEXT_LENGTH_MAX || text.chars().any(char::is_control) {
        let reason = format!("must be 1 to {TEXT_LENGTH_MAX} characters, not all blank, without control characters");
        return Err(rule(field, reason));
    }
    Ok(text.to_owned())
}

fn rule(field: &str, reason: impl Into<String>) -> Malformed {
    malformed(MalformedKind::Rule, field, reason)
}

/// The reader's path of what is wrong; of a field that is not there it knows no more than where it should be, and says its
/// name in words.
fn field_of(path: &str, told: &str) -> String {
    let missing = told
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split_once('`'));
    match (path, missing) {
        (".", None) => "body".to_owned(),
        (".", Some((name, _))) => name.to_owned(),
        (path, None) => path.to_owned(),
        (path, Some((name, _))) => format!("{path}.{name}"),
    }
}

/// The reason may quote the message, so it is cut and cleaned.
fn malformed(kind: MalformedKind, field: &str, reason: impl Into<String>) -> Malformed {
    Malformed {
        kind,
        field: plain(field, TEXT_LENGTH_MAX),
        reason: plain(&reason.into(), REASON_LENGTH_MAX),
    }
}

#[cfg(test)]
mod tests;
