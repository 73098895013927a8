//! What is answered and written down of a shipment.

use adapter_http::server::{StoreError, Stored};
use adapter_postgres::service::NewEffect;
use contracts::effects::SHIPMENT_CALCULATED;
use contracts::logistics::CalculateAnswer;
use contracts::money::WireMoney;

use crate::quote::{Parcel, Quote};

pub(super) const FILING: &str = "filing a shipment";

/// The answer that tells of the new shipment of this number.
pub(super) fn filed(quote: &Quote, number: &str) -> Result<Stored, StoreError> {
    let stored = Stored::fresh(&CalculateAnswer {
        carrier: quote.carrier.to_owned(),
        service: quote.service.to_owned(),
        estimated_delivery: quote.estimated_delivery.to_string(),
        tracking_prefix: quote.tracking_prefix.to_owned(),
        tracking_number: number.to_owned(),
        shipping_cost: WireMoney(quote.cost),
    });
    stored.map_err(|error| StoreError::Unavailable {
        doing: FILING,
        source: error.into(),
    })
}

/// The shipment got this number.
pub(super) fn calculated(parcel: &Parcel, number: String) -> NewEffect<'_> {
    NewEffect {
        kind: SHIPMENT_CALCULATED,
        order_id: parcel.order.as_str(),
        generation: parcel.generation.0.cast_signed(),
        subject: number,
        parts: vec![parcel.origin.to_string()],
    }
}
