//! The four services in memory.

use std::sync::Arc;
use std::time::Duration;

use adapter_memory::clock::Clock;
use adapter_memory::documents::MemoryDocuments;
use adapter_memory::effects::Effect;
use adapter_memory::inventory::MemoryInventory;
use adapter_memory::logistics::MemoryLogistics;
use adapter_memory::notifications::MemoryNotifications;
use async_trait::async_trait;
use pipeline::id::{OrderId, Sku, WarehouseId};
use pipeline::ports::{Documents, Inventory, Logistics, Notifications};
use testkit::conformance::{documents, inventory, logistics, notifications};

fn of(effects: Vec<Effect>, order: &OrderId) -> impl Iterator<Item = Effect> {
    effects.into_iter().filter(move |effect| effect.order == *order)
}

fn kinds(effects: Vec<Effect>, order: &OrderId) -> Vec<String> {
    of(effects, order).map(|effect| effect.kind.to_owned()).collect()
}

pub struct Stock {
    clock: Arc<Clock>,
    inventory: MemoryInventory,
}

impl Stock {
    #[expect(clippy::unused_async, reason = "a real one takes its time")]
    pub async fn fresh(_fact: &str) -> Self {
        let (clock, faults) = crate::calm();
        Self {
            inventory: MemoryInventory::new(Arc::clone(&clock), faults),
            clock,
        }
    }
}

#[async_trait]
impl inventory::World for Stock {
    fn inventory(&self) -> &dyn Inventory {
        &self.inventory
    }

    async fn deliver(&self, sku: &str, warehouse: &str, units: u32) {
        let (sku, warehouse) = (Sku::parse(sku).unwrap(), WarehouseId::parse(warehouse).unwrap());
        self.inventory.deliver(&sku, &warehouse, units);
    }

    async fn available(&self, sku: &str, warehouse: &str) -> u32 {
        let place = (Sku::parse(sku).unwrap(), WarehouseId::parse(warehouse).unwrap());
        self.inventory.shelves()[&place]
    }

    fn pass(&self, time: Duration) {
        self.clock.pass(time.as_millis().try_into().unwrap());
    }

    async fn sweep(&self) {
        self.inventory.sweep();
    }

    async fn effects(&self, order: &OrderId) -> Vec<String> {
        kinds(self.inventory.effects_after(0), order)
    }
}

pub struct Carriers(MemoryLogistics);

impl Carriers {
    #[expect(clippy::unused_async, reason = "a real one takes its time")]
    pub async fn fresh(_fact: &str) -> Self {
        Self(MemoryLogistics::new(crate::calm().1))
    }
}

#[async_trait]
impl logistics::World for Carriers {
    fn logistics(&self) -> &dyn Logistics {
        &self.0
    }

    async fn effects(&self, order: &OrderId) -> Vec<String> {
        kinds(self.0.effects_after(0), order)
    }
}

pub struct Office(MemoryDocuments);

impl Office {
    #[expect(clippy::unused_async, reason = "a real one takes its time")]
    pub async fn fresh(_fact: &str) -> Self {
        Self(MemoryDocuments::new(crate::calm().1))
    }
}

#[async_trait]
impl documents::World for Office {
    fn documents(&self) -> &dyn Documents {
        &self.0
    }

    async fn effects(&self, order: &OrderId) -> Vec<String> {
        kinds(self.0.effects_after(0), order)
    }
}

pub struct Notices(MemoryNotifications);

impl Notices {
    #[expect(clippy::unused_async, reason = "a real one takes its time")]
    pub async fn fresh(_fact: &str) -> Self {
        Self(MemoryNotifications::new(crate::calm().1))
    }
}

#[async_trait]
impl notifications::World for Notices {
    fn notifications(&self) -> &dyn Notifications {
        &self.0
    }

    async fn told(&self, order: &OrderId) -> Vec<String> {
        of(self.0.effects_after(0), order)
            .map(|effect| effect.subject)
            .collect()
    }
}
