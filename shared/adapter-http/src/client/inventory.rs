//! The stock, over HTTP.

use async_trait::async_trait;
use contracts::close::CloseRequest;
use contracts::inventory::{
    CheckAnswer, CheckRequest, CloseAnswer, CommitAnswer, CommitRequest, Demand, ReserveAnswer, ReserveRequest,
};
use pipeline::id::{Generation, IdempotencyKey, OrderId, ReservationId, Sku, WarehouseId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Inventory, Source};
use pipeline::steps::{CommittedReservation, Reservation, ReservedLine, StockCheck};

use super::Api;

/// [`Inventory`] over HTTP.
pub struct HttpInventory(pub Api);

#[async_trait]
impl Inventory for HttpInventory {
    async fn check(&self, order: &Order) -> Result<StockCheck, CallError> {
        let request = CheckRequest {
            order_id: Some(order.content.order.to_string()),
            country: order.content.address.country.clone(),
            items: demands(order),
        };
        let answer: CheckAnswer = self.0.post_json("/inventory/check", None, &request).await?;
        Ok(StockCheck {
            available: answer.lines.iter().all(|line| line.available),
        })
    }

    async fn reserve(&self, key: &IdempotencyKey, order: &Order) -> Result<Reservation, CallError> {
        let request = ReserveRequest {
            order_id: order.content.order.to_string(),
            generation: order.generation.0,
            country: order.content.address.country.clone(),
            idempotency_key: Some(key.to_string()),
            items: demands(order),
            reservation_ttl_minutes: None,
        };
        let answer: ReserveAnswer = self
            .0
            .post_json("/inventory/reserve", Some(key.as_str()), &request)
            .await?;
        reservation(&answer).map_err(|source| CallError::Unknown {
            service: "inventory",
            source,
        })
    }

    async fn commit(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
    ) -> Result<CommittedReservation, CallError> {
        let request = CommitRequest {
            order_id: order.content.order.to_string(),
            generation: order.generation.0,
            idempotency_key: Some(key.to_string()),
            reservation_id: reservation.id.to_string(),
        };
        let answer: CommitAnswer = self
            .0
            .post_json("/inventory/commit", Some(key.as_str()), &request)
            .await?;
        if answer.reservation_id != reservation.id.as_str() {
            return Err(CallError::Unknown {
                service: "inventory",
                source: "the answer speaks of another reservation".into(),
            });
        }
        Ok(CommittedReservation {
            id: reservation.id.clone(),
        })
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError> {
        let request = CloseRequest {
            order_id: order.to_string(),
            generation: generation.0,
        };
        let _told: CloseAnswer = self.0.post_json("/inventory/close", None, &request).await?;
        Ok(())
    }
}

fn demands(order: &Order) -> Vec<Demand> {
    let demand = |line: &pipeline::message::Line| Demand {
        sku: line.sku.to_string(),
        qty: line.quantity,
        warehouse: line.warehouse_hint.as_ref().map(ToString::to_string),
    };
    order.content.lines.iter().map(demand).collect()
}

/// An answer without a usable line is no reservation, whatever its status says.
fn reservation(answer: &ReserveAnswer) -> Result<Reservation, Source> {
    let line = |line: &contracts::inventory::ReservedLine| -> Result<ReservedLine, Source> {
        Ok(ReservedLine {
            sku: Sku::parse(&line.sku)?,
            quantity: line.qty,
            warehouse: WarehouseId::parse(&line.warehouse)?,
            weight_grams: contracts::inventory::grams(line.weight_kg).ok_or("a weight is out of range")?,
        })
    };
    if answer.lines.is_empty() {
        return Err("the reservation has no lines".into());
    }
    Ok(Reservation {
        id: ReservationId::parse(&answer.reservation_id)?,
        expires_at: answer.expires_at,
        lines: answer.lines.iter().map(line).collect::<Result<_, _>>()?,
    })
}
