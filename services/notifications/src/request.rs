//! From the requests' text to notices and customers.

use adapter_http::server::{Answer, Failure, field};
use contracts::notifications::{CustomerEntry, SendRequest};

use crate::customer::{Customer, Email};
use crate::language::Language;
use crate::notice::Notice;
use crate::template::{Channel, Template};

/// Channels in one request.
const CHANNELS_MAX: usize = 2;

/// Values for a template.
const DATA_ENTRIES_MAX: usize = 32;

/// Length of one value, in bytes: room for the numbers of as many parcels as an order has lines.
const DATA_VALUE_BYTES_MAX: usize = 64 * 1024;

/// The notice that `request` speaks of.
///
/// # Errors
///
/// A problem that names the first field that breaks a rule.
pub fn notice(request: &SendRequest) -> Answer<Notice> {
    let unknown = || {
        let reason = format!("no template has this name; there are {}", Template::names());
        field::refused("template", reason)
    };
    let template = Template::find(&request.template).ok_or_else(unknown)?;
    check_data(request, template)?;
    let country = request
        .data
        .get("country")
        .map(|country| field::country("data.country", country));
    Ok(Notice {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        customer: field::id("customer_id", &request.customer_id)?,
        template,
        channels: channels(&request.channels)?,
        country: country.transpose()?.map(str::to_owned),
        data: request.data.clone(),
    })
}

/// The customer that `entry` describes.
///
/// # Errors
///
/// A problem that names the first field that breaks a rule.
pub fn customer(entry: &CustomerEntry) -> Answer<Customer> {
    let email = entry.email.as_deref().map(Email::parse).transpose();
    let language = Language::parse(&entry.language);
    Ok(Customer {
        email: email.map_err(|error| field::refused("email", error.to_string()))?,
        language: language.ok_or_else(|| field::refused("language", "must be es, pt or en"))?,
    })
}

fn channels(names: &[String]) -> Answer<Vec<Channel>> {
    let names = field::list("channels", names, CHANNELS_MAX)?;
    let read = names.iter().enumerate().map(|(at, name)| {
        let unknown = || field::refused(format!("channels[{at}]"), "must be email or push");
        Channel::parse(name).ok_or_else(unknown)
    });
    let mut channels = read.collect::<Result<Vec<_>, Failure>>()?;
    channels.sort_unstable();
    if channels.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(field::refused("channels", "names a channel twice"));
    }
    Ok(channels)
}

fn check_data(request: &SendRequest, template: &Template) -> Answer<()> {
    if request.data.len() > DATA_ENTRIES_MAX {
        return Err(field::refused("data", format!("more than {DATA_ENTRIES_MAX} values")));
    }
    if let Some(missing) = template.needs.iter().find(|name| !request.data.contains_key(**name)) {
        return Err(field::refused(
            format!("data.{missing}"),
            format!("{} cannot be written without it", template.name),
        ));
    }
    let bad = |text: &str| text.len() > DATA_VALUE_BYTES_MAX || text.chars().any(char::is_control);
    if request.data.iter().any(|(name, value)| bad(name) || bad(value)) {
        let reason = format!("values of at most {DATA_VALUE_BYTES_MAX} bytes without control characters are accepted");
        return Err(field::refused("data", reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(change: impl FnOnce(&mut Value)) -> Answer<Notice> {
        let mut body = json!({
            "order_id": "ORD-1", "generation": 1, "customer_id": "CUST-1", "template": "order_confirmed",
            "channels": ["push", "email"],
            "data": {
                "country": "MX", "total": "1.00 MXN", "carriers": "FedEx", "tracking_numbers": "FMX1",
                "estimated_delivery": "2026-04-09",
            },
        });
        change(&mut body);
        notice(&serde_json::from_value(body).expect("the right shape"))
    }

    #[test]
    fn channels_are_sorted_and_each_comes_once() {
        assert_eq!(read(|_| {}).unwrap().channels, [Channel::Email, Channel::Push]);
        let failure = read(|body| body["channels"] = json!(["push", "push"])).unwrap_err();
        assert_eq!(failure.0.field.as_deref(), Some("channels"));
    }

    #[test]
    fn every_field_has_its_rule() {
        for (pointer, value, field) in [
            ("/order_id", json!(""), "order_id"),
            ("/generation", json!(0), "generation"),
            ("/customer_id", json!("a b"), "customer_id"),
            ("/template", json!("order_lost"), "template"),
            ("/channels", json!([]), "channels"),
            ("/channels/1", json!("sms"), "channels[1]"),
            ("/data/country", json!("Mexico"), "data.country"),
            ("/data/total", json!("1\n"), "data"),
            ("/data/total", json!("x".repeat(65_537)), "data"),
            ("/data", json!({ "carriers": "FedEx" }), "data.total"),
        ] {
            let failure = read(|body| *body.pointer_mut(pointer).unwrap() = value).unwrap_err();
            assert_eq!((failure.0.status, failure.0.field.as_deref()), (422, Some(field)));
        }
    }

    #[test]
    fn a_customer_has_a_language_and_perhaps_an_address() {
        let entry = |email: Option<&str>, language: &str| CustomerEntry {
            email: email.map(str::to_owned),
            language: language.to_owned(),
        };
        assert!(customer(&entry(None, "pt")).is_ok());
        assert_eq!(
            customer(&entry(Some("x"), "pt")).unwrap_err().0.field.as_deref(),
            Some("email")
        );
        assert_eq!(
            customer(&entry(None, "de")).unwrap_err().0.field.as_deref(),
            Some("language")
        );
    }
}
