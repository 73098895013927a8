//! From requests to what the store is asked for.

use adapter_http::server::{Answer, field};
use contracts::close::CloseRequest;
use contracts::inventory::{CommitRequest, Demand, ReserveRequest};
use contracts::limits::QUANTITY_MAX;
use pipeline::id::{WarehouseId, kind};
use serde::Deserialize;
use time::{Duration, OffsetDateTime};

use crate::store::{Close, Commit, Reserve};
use crate::wanted::Wanted;

/// How long a reservation lasts where the request does not say, in minutes.
const TTL_MINUTES: u32 = 60;

/// Longest life of a reservation, in minutes (a day).
const TTL_MINUTES_MAX: u32 = 1_440;

/// The query of `GET /inventory/check`.
#[derive(Debug, Deserialize)]
pub(super) struct OneLine {
    sku: String,
    qty: u32,
    warehouse: String,
}

impl OneLine {
    /// One demand; the goods go where the warehouse is.
    pub(super) fn wanted(self) -> Answer<Wanted> {
        let warehouse: WarehouseId = field::id("warehouse", &self.warehouse)?;
        let country = warehouse
            .country()
            .and_then(|country| field::country("country", country).ok());
        let reason = "its second segment must be a country, as in WH-MX-CDMX";
        let country = country.ok_or_else(|| field::refused("warehouse", reason))?;
        field::id::<kind::Sku>("sku", &self.sku)?;
        field::within("qty", self.qty, 1..=QUANTITY_MAX)?;
        let item = Demand {
            sku: self.sku,
            qty: self.qty,
            warehouse: Some(self.warehouse),
        };
        Wanted::parse(country, &[item])
    }
}

pub(super) fn reserve(request: &ReserveRequest, now: OffsetDateTime) -> Answer<Reserve> {
    let minutes = request.reservation_ttl_minutes.unwrap_or(TTL_MINUTES);
    let minutes = field::within("reservation_ttl_minutes", minutes, 1..=TTL_MINUTES_MAX)?;
    // Whole seconds: what is read back later is what was answered at once.
    let reserved_at = now.replace_nanosecond(0).unwrap_or(now);
    Ok(Reserve {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        wanted: Wanted::parse(&request.country, &request.items)?,
        reserved_at,
        expires_at: reserved_at + Duration::minutes(i64::from(minutes)),
    })
}

pub(super) fn commit(request: &CommitRequest, now: OffsetDateTime) -> Answer<Commit> {
    Ok(Commit {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        reservation: field::id("reservation_id", &request.reservation_id)?,
        committed_at: now,
    })
}

pub(super) fn close(request: &CloseRequest, now: OffsetDateTime) -> Answer<Close> {
    Ok(Close {
        order: field::id("order_id", &request.order_id)?,
        generation: field::generation("generation", request.generation)?,
        closed_at: now,
    })
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn line(warehouse: &str, qty: u32) -> OneLine {
        OneLine {
            sku: "A".to_owned(),
            qty,
            warehouse: warehouse.to_owned(),
        }
    }

    #[test]
    fn a_single_line_goes_to_the_country_of_its_warehouse() {
        assert_eq!(line("WH-MX-CDMX", 1).wanted().unwrap().country, "MX");
        assert_eq!(
            line("CDMX", 1).wanted().unwrap_err().0.field.as_deref(),
            Some("warehouse")
        );
        assert_eq!(
            line("WH-MX-CDMX", 0).wanted().unwrap_err().0.field.as_deref(),
            Some("qty")
        );
    }

    #[test]
    fn a_reservation_lasts_an_hour_unless_told_otherwise_and_at_most_a_day() {
        let now = datetime!(2026-04-07 14:32:15.5 UTC);
        let mut request = ReserveRequest {
            order_id: "ORD-1".to_owned(),
            generation: 1,
            country: "MX".to_owned(),
            idempotency_key: None,
            items: vec![Demand {
                sku: "A".to_owned(),
                qty: 1,
                warehouse: None,
            }],
            reservation_ttl_minutes: None,
        };
        assert_eq!(
            reserve(&request, now).unwrap().expires_at,
            datetime!(2026-04-07 15:32:15 UTC)
        );
        request.reservation_ttl_minutes = Some(1_440);
        assert_eq!(
            reserve(&request, now).unwrap().expires_at,
            datetime!(2026-04-08 14:32:15 UTC)
        );
        for wrong in [0, 1_441] {
            request.reservation_ttl_minutes = Some(wrong);
            assert_eq!(
                reserve(&request, now).unwrap_err().0.field.as_deref(),
                Some("reservation_ttl_minutes")
            );
        }
        request.generation = 0;
        request.reservation_ttl_minutes = None;
        assert_eq!(
            reserve(&request, now).unwrap_err().0.field.as_deref(),
            Some("generation")
        );
    }
}
