//! The carriers.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contracts::effects::SHIPMENT_CALCULATED;
use pipeline::id::{IdempotencyKey, WarehouseId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Logistics, Refusal};
use pipeline::steps::{Reservation, Shipment};

use crate::effects::{Effect, Log};
use crate::faults::{Faults, call_error};
use crate::held;
use crate::keys::Keys;

const SERVICE: &str = "logistics";

#[derive(Debug, Default)]
struct Books {
    keys: Keys<Shipment>,
    log: Log,
}

/// [`Logistics`] in memory.
#[derive(Debug)]
pub struct MemoryLogistics {
    books: Mutex<Books>,
    faults: Arc<Faults>,
}

impl MemoryLogistics {
    /// Carriers that have carried nothing yet.
    #[must_use]
    pub fn new(faults: Arc<Faults>) -> Self {
        Self {
            books: Mutex::default(),
            faults,
        }
    }

    /// Effects after the first `seen`.
    pub fn effects_after(&self, seen: usize) -> Vec<Effect> {
        held(&self.books).log.after(seen)
    }
}

#[async_trait]
impl Logistics for MemoryLogistics {
    async fn calculate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        origin: &WarehouseId,
    ) -> Result<Shipment, CallError> {
        let deed = || held(&self.books).calculate(key, order, reservation, origin);
        let calculated = self.faults.call("logistics.calculate", deed).await;
        Ok(calculated.map_err(call_error(SERVICE))??)
    }
}

impl Books {
    fn calculate(
        &mut self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        origin: &WarehouseId,
    ) -> Result<Shipment, Refusal> {
        let goods: Vec<_> = reservation
            .lines
            .iter()
            .filter(|line| line.warehouse == *origin)
            .collect();
        let asked = format!("{origin} {goods:?}");
        if let Some(before) = self.keys.find(SERVICE, key, &asked)? {
            return Ok(before);
        }
        let shipment = Shipment {
            origin: origin.clone(),
            carrier: "Mensajeros".to_owned(),
            service: "Standard".to_owned(),
            estimated_delivery: "2026-04-09".to_owned(),
            // As the real one derives it: the same key names the same parcel.
            tracking_number: format!("T-{key}"),
            cost: order.content.total,
        };
        let of = (&order.content.order, order.generation);
        let parts = vec![reservation.id.to_string(), origin.to_string()];
        self.log
            .note(SHIPMENT_CALCULATED, of, shipment.tracking_number.clone(), parts);
        self.keys.keep(key, asked, shipment.clone());
        Ok(shipment)
    }
}
