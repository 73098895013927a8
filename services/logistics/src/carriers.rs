//! Who carries parcels to which country, how fast, and for how much: a table.

/// How much of a hurry there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// The cheaper way.
    Standard,
    /// The faster way.
    Express,
}

impl Priority {
    /// By its name on the wire.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "standard" => Some(Self::Standard),
            "express" => Some(Self::Express),
            _ => None,
        }
    }
}

/// A country that parcels go to.
#[derive(Debug)]
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub code: &'static str,
    /// What shipping is paid in (ISO 4217).
    pub currency: &'static str,
    /// Hours that its calendar is ahead of UTC, all year: where clocks change in summer or the country has several
    /// zones, the standard time of its capital. A parcel calculated in the hour in between may be promised a day late.
    pub utc_offset_h: i8,
    /// Who carries.
    pub carrier: &'static str,
    /// The carrier's letters at the front of its numbers.
    pub tracking_prefix: &'static str,
    standard: Service,
    express: Service,
}

/// One service of a carrier.
#[derive(Debug)]
pub struct Service {
    /// As the carrier calls it.
    pub name: &'static str,
    /// Business days from hand-over to delivery, within the country.
    pub transit_days: u8,
    /// Price of any parcel, in minor units of the country's currency.
    pub base_minor: i64,
    /// What each kilogram begun adds, in minor units.
    pub per_kg_minor: i64,
}

impl Country {
    /// The country with this code; `None` when no carrier goes there.
    #[must_use]
    pub fn find(code: &str) -> Option<&'static Self> {
        COUNTRIES.iter().find(|country| country.code == code)
    }

    /// The service for this hurry.
    #[must_use]
    pub fn service(&self, priority: Priority) -> &Service {
        match priority {
            Priority::Standard => &self.standard,
            Priority::Express => &self.express,
        }
    }
}

const fn service(name: &'static str, transit_days: u8, base_minor: i64, per_kg_minor: i64) -> Service {
    Service {
        name,
        transit_days,
        base_minor,
        per_kg_minor,
    }
}

static COUNTRIES: [Country; 6] = [
    Country {
        code: "AR",
        currency: "ARS",
        utc_offset_h: -3,
        carrier: "Andreani",
        tracking_prefix: "AND",
        standard: service("Estándar", 5, 590_000, 85_000),
        express: service("Urgente", 2, 990_000, 140_000),
    },
    Country {
        code: "BR",
        currency: "BRL",
        utc_offset_h: -3,
        carrier: "Correios",
        tracking_prefix: "CBR",
        standard: service("PAC", 7, 2_190, 450),
        express: service("SEDEX", 3, 3_690, 980),
    },
    Country {
        code: "CL",
        currency: "CLP",
        utc_offset_h: -4,
        carrier: "Chilexpress",
        tracking_prefix: "CHX",
        standard: service("Estándar", 3, 3_990, 650),
        express: service("Express", 1, 6_990, 1_200),
    },
    Country {
        code: "CO",
        currency: "COP",
        utc_offset_h: -5,
        carrier: "Servientrega",
        tracking_prefix: "SVE",
        standard: service("Mercancía Premier", 4, 1_290_000, 210_000),
        express: service("Hoy Mismo", 2, 2_290_000, 390_000),
    },
    Country {
        code: "MX",
        currency: "MXN",
        utc_offset_h: -6,
        carrier: "FedEx Mexico",
        tracking_prefix: "FMX",
        standard: service("Economy", 4, 9_900, 1_800),
        express: service("Express", 2, 18_900, 3_200),
    },
    Country {
        code: "PE",
        currency: "PEN",
        utc_offset_h: -5,
        carrier: "Olva Courier",
        tracking_prefix: "OLV",
        standard: service("Regular", 4, 1_200, 250),
        express: service("Express", 2, 2_200, 400),
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pipeline::money::Currency;
    use time::UtcOffset;

    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_used() {
        for country in &COUNTRIES {
            assert!(Currency::parse(country.currency).is_ok(), "{country:?}");
            assert!(UtcOffset::from_hms(country.utc_offset_h, 0, 0).is_ok(), "{country:?}");
            assert!(
                country.express.transit_days <= country.standard.transit_days,
                "{country:?}"
            );
            for service in [&country.standard, &country.express] {
                assert!(service.base_minor >= 0 && service.per_kg_minor >= 0, "{service:?}");
            }
        }
    }

    #[test]
    fn no_two_carriers_number_alike() {
        let prefixes: BTreeSet<_> = COUNTRIES.iter().map(|country| country.tracking_prefix).collect();
        assert_eq!(prefixes.len(), COUNTRIES.len());
    }
}
