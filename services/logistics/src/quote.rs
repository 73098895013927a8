//! What a parcel's shipment will be: decided from the table of carriers and the day, with no other knowledge.

use pipeline::id::{Generation, OrderId, WarehouseId};
use pipeline::money::{Currency, Money};
use time::{Date, OffsetDateTime};

use crate::calendar::{after_business_days, local_day};
use crate::carriers::{Country, Priority};

/// Business days that a border adds, whichever it is.
pub const CROSS_BORDER_DAYS: u8 = 5;

/// What is to be carried, where from and where to. All of it was checked when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// For which order.
    pub order: OrderId,
    /// For which generation of it.
    pub generation: Generation,
    /// Where it leaves from.
    pub origin: WarehouseId,
    /// The country that it goes to.
    pub country: String,
    /// How much of a hurry there is.
    pub priority: Priority,
    /// What all of it weighs.
    pub weight_grams: u64,
}

/// A shipment, all but its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// Who carries it.
    pub carrier: &'static str,
    /// At which of the carrier's services.
    pub service: &'static str,
    /// The carrier's letters at the front of its numbers.
    pub tracking_prefix: &'static str,
    /// Day of delivery in the destination's calendar.
    pub estimated_delivery: Date,
    /// What it costs.
    pub cost: Money,
}

/// Why there is no quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoQuote {
    /// No carrier goes to the country.
    NoCarrier,
    /// Its price is more than an amount of money can hold.
    TooHeavy,
}

/// The shipment of `parcel`, handed over today. Goods that leave from another country take [`CROSS_BORDER_DAYS`] more;
/// a warehouse whose name tells no country stands in the destination's.
///
/// # Errors
///
/// See [`NoQuote`].
pub fn quote(parcel: &Parcel, now: OffsetDateTime) -> Result<Quote, NoQuote> {
    let country = Country::find(&parcel.country).ok_or(NoQuote::NoCarrier)?;
    let service = country.service(parcel.priority);
    let crosses = parcel.origin.country().is_some_and(|origin| origin != country.code);
    let days = service.transit_days + if crosses { CROSS_BORDER_DAYS } else { 0 };
    let today = local_day(now, country.utc_offset_h);
    let price = || {
        let kilograms = i64::try_from(parcel.weight_grams.div_ceil(1_000)).ok()?;
        let minor = service
            .per_kg_minor
            .checked_mul(kilograms)?
            .checked_add(service.base_minor)?;
        Money::from_minor(minor, Currency::parse(country.currency).ok()?)
    };
    Ok(Quote {
        carrier: country.carrier,
        service: service.name,
        tracking_prefix: country.tracking_prefix,
        estimated_delivery: after_business_days(today, days).unwrap_or(Date::MAX),
        cost: price().ok_or(NoQuote::TooHeavy)?,
    })
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    const TUESDAY: OffsetDateTime = datetime!(2026-04-07 14:32:15 UTC);

    fn parcel(origin: &str, country: &str, priority: Priority, weight_grams: u64) -> Parcel {
        Parcel {
            order: OrderId::parse("ORD-1").unwrap(),
            generation: Generation::FIRST,
            origin: WarehouseId::parse(origin).unwrap(),
            country: country.to_owned(),
            priority,
            weight_grams,
        }
    }

    #[test]
    fn an_express_parcel_in_mexico_takes_two_business_days() {
        let quote = quote(&parcel("WH-MX-CDMX", "MX", Priority::Express, 2_350), TUESDAY).unwrap();
        assert_eq!(
            (quote.carrier, quote.service, quote.tracking_prefix),
            ("FedEx Mexico", "Express", "FMX")
        );
        assert_eq!(quote.estimated_delivery, date!(2026 - 04 - 09));
        assert_eq!(quote.cost.to_string(), "285.00 MXN");
    }

    #[test]
    fn each_kilogram_begun_costs_and_currencies_without_decimals_stay_so() {
        let cost = |grams| {
            quote(&parcel("WH-CL-SCL", "CL", Priority::Standard, grams), TUESDAY)
                .unwrap()
                .cost
                .to_string()
        };
        assert_eq!(
            [0, 1, 1_000, 1_001].map(cost),
            ["3990 CLP", "4640 CLP", "4640 CLP", "5290 CLP"]
        );
    }

    #[test]
    fn a_border_takes_longer_and_a_nameless_country_is_the_destination() {
        let delivery = |origin| {
            quote(&parcel(origin, "BR", Priority::Express, 1), TUESDAY)
                .unwrap()
                .estimated_delivery
        };
        assert_eq!(delivery("WH-BR-SP"), date!(2026 - 04 - 10));
        assert_eq!(delivery("WHBR"), date!(2026 - 04 - 10));
        assert_eq!(delivery("WH-AR-BUE"), date!(2026 - 04 - 17));
    }

    #[test]
    fn a_parcel_counts_from_the_day_at_its_destination() {
        let friday_night = datetime!(2026-04-11 02:00 UTC);
        let quote = quote(&parcel("WH-MX-CDMX", "MX", Priority::Express, 1), friday_night).unwrap();
        assert_eq!(
            quote.estimated_delivery,
            date!(2026 - 04 - 14),
            "it is still Friday in Mexico"
        );
    }

    #[test]
    fn nobody_carries_everywhere_or_everything() {
        let refused = |country, grams| quote(&parcel("WH-X", country, Priority::Standard, grams), TUESDAY).unwrap_err();
        assert_eq!(refused("SE", 1), NoQuote::NoCarrier);
        assert_eq!(refused("MX", u64::MAX), NoQuote::TooHeavy);
    }
}
