//! From the request's text to a parcel.

use adapter_http::server::{Answer, field};
use contracts::inventory::grams;
use contracts::limits::{LINES_MAX, QUANTITY_MAX, WEIGHT_GRAMS_MAX};
use contracts::logistics::{CalculateRequest, Item};
use pipeline::id::kind;

use crate::carriers::Priority;
use crate::quote::Parcel;

/// The parcel that `request` speaks of.
///
/// # Errors
///
/// A problem that names the first field that breaks a rule.
pub fn parcel(request: &CalculateRequest) -> Answer<Parcel> {
    let destination = &request.destination;
    let country = field::country("destination.country", &destination.country)?;
    field::text("destination.city", &destination.city)?;
    field::text("destination.zip", &destination.zip)?;
    let items = field::list("items", &request.items, LINES_MAX)?;
    let weights = items.iter().enumerate().map(|(at, item)| weight_grams(at, item));
    Ok(Parcel {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        origin: field::id("origin_warehouse", &request.origin_warehouse)?,
        country: country.to_owned(),
        priority: priority(request.priority.as_deref())?,
        weight_grams: weights.sum::<Answer<u64>>()?,
    })
}

/// At most 1,000 lines of 10,000 units of 10 t: the sum fits.
fn weight_grams(at: usize, item: &Item) -> Answer<u64> {
    let named = |name: &str| format!("items[{at}].{name}");
    field::id::<kind::Sku>(&named("sku"), &item.sku)?;
    let units = field::within(&named("qty"), item.qty, 1..=QUANTITY_MAX)?;
    let each = grams(item.weight_kg).ok_or_else(|| {
        let reason = format!("must be kilograms from 0 to {}", WEIGHT_GRAMS_MAX / 1_000);
        field::refused(named("weight_kg"), reason)
    })?;
    Ok(u64::from(each) * u64::from(units))
}

fn priority(name: Option<&str>) -> Answer<Priority> {
    let Some(name) = name else {
        return Ok(Priority::Standard);
    };
    Priority::parse(name).ok_or_else(|| field::refused("priority", "must be standard or express"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(change: impl FnOnce(&mut Value)) -> Answer<Parcel> {
        let mut body = json!({
            "order_id": "ORD-1", "generation": 1, "origin_warehouse": "WH-MX-CDMX",
            "destination": { "country": "MX", "city": "México", "zip": "06600" },
            "items": [{ "sku": "A", "weight_kg": 2.15, "qty": 1 }, { "sku": "B", "weight_kg": 0.1, "qty": 2 }],
        });
        change(&mut body);
        parcel(&serde_json::from_value(body).expect("the right shape"))
    }

    #[test]
    fn the_weight_is_that_of_all_units() {
        let parcel = read(|_| {}).unwrap();
        assert_eq!(parcel.weight_grams, 2_350);
        assert_eq!(parcel.priority, Priority::Standard);
    }

    #[test]
    fn every_field_has_its_rule() {
        for (pointer, value, field) in [
            ("/order_id", json!(""), "order_id"),
            ("/generation", json!(0), "generation"),
            ("/origin_warehouse", json!("WH MX"), "origin_warehouse"),
            ("/destination/country", json!("Mexico"), "destination.country"),
            ("/destination/city", json!("\u{7}"), "destination.city"),
            ("/destination/zip", json!(" "), "destination.zip"),
            ("/items", json!([]), "items"),
            ("/items/1/sku", json!("a/b"), "items[1].sku"),
            ("/items/1/qty", json!(0), "items[1].qty"),
            ("/items/0/weight_kg", json!(-1), "items[0].weight_kg"),
            ("/items/0/weight_kg", json!(10_001), "items[0].weight_kg"),
        ] {
            let failure = read(|body| *body.pointer_mut(pointer).unwrap() = value).unwrap_err();
            assert_eq!((failure.0.status, failure.0.field.as_deref()), (422, Some(field)));
        }
        let failure = read(|body| body["priority"] = json!("now")).unwrap_err();
        assert_eq!(failure.0.field.as_deref(), Some("priority"));
    }
}
