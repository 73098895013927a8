//! The carriers, over HTTP.

use async_trait::async_trait;
use contracts::logistics::{CalculateAnswer, CalculateRequest, Destination, Item};
use pipeline::id::{IdempotencyKey, WarehouseId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Logistics};
use pipeline::steps::{Reservation, Shipment};

use super::Api;

/// [`Logistics`] over HTTP.
pub struct HttpLogistics(pub Api);

#[async_trait]
impl Logistics for HttpLogistics {
    async fn calculate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        origin: &WarehouseId,
    ) -> Result<Shipment, CallError> {
        let address = &order.content.address;
        let parcel = reservation.lines.iter().filter(|line| line.warehouse == *origin);
        let items = parcel.map(|line| Item {
            sku: line.sku.to_string(),
            weight_kg: contracts::inventory::kilograms(line.weight_grams),
            qty: line.quantity,
        });
        let request = CalculateRequest {
            order_id: order.content.order.to_string(),
            generation: order.generation.0,
            idempotency_key: Some(key.to_string()),
            origin_warehouse: origin.to_string(),
            destination: Destination {
                country: address.country.clone(),
                city: address.city.clone(),
                zip: address.zip.clone(),
            },
            items: items.collect(),
            priority: None,
        };
        let answer: CalculateAnswer = self
            .0
            .post_json("/logistics/calculate", Some(key.as_str()), &request)
            .await?;
        if answer.tracking_number.is_empty() {
            return Err(CallError::Unknown {
                service: "logistics",
                source: "the shipment has no tracking number".into(),
            });
        }
        Ok(Shipment {
            origin: origin.clone(),
            carrier: answer.carrier,
            service: answer.service,
            estimated_delivery: answer.estimated_delivery,
            tracking_number: answer.tracking_number,
            cost: answer.shipping_cost.0,
        })
    }
}
