//! Everything outside the handlers, and the handlers over it.

use std::sync::Arc;

use adapter_memory::broker::MemoryBroker;
use adapter_memory::chance::Chance;
use adapter_memory::clock::Clock;
use adapter_memory::documents::MemoryDocuments;
use adapter_memory::faults::Faults;
use adapter_memory::inventory::MemoryInventory;
use adapter_memory::logistics::MemoryLogistics;
use adapter_memory::notifications::MemoryNotifications;
use adapter_memory::store::{MemoryOutbox, MemoryStore};
use pipeline::compensation::Compensator;
use pipeline::dead_letters::DeadLetters;
use pipeline::handler::Handler;
use pipeline::outgoing::Destination;
use pipeline::ports::{Documents, Inventory, Logistics, Notifications, OrderStore};

use crate::sabotage::{Sabotage, without};

/// The adapters of one run.
pub struct World {
    /// All chance of the run.
    pub chance: Arc<Chance>,
    /// Its time.
    pub clock: Arc<Clock>,
    /// Its faults.
    pub faults: Arc<Faults>,
    /// Its database.
    pub store: Arc<MemoryStore>,
    /// Its broker.
    pub broker: Arc<MemoryBroker>,
    /// The stock.
    pub inventory: Arc<MemoryInventory>,
    /// The carriers.
    pub logistics: Arc<MemoryLogistics>,
    /// The fiscal documents.
    pub documents: Arc<MemoryDocuments>,
    /// What reaches customers.
    pub notifications: Arc<MemoryNotifications>,
    /// The ports as the handlers see them: with a rule taken out, where one is.
    pub(crate) ports: Ports,
}

/// What the handlers reach the world through.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) orders: Arc<dyn OrderStore>,
    pub(crate) dead_letters: Arc<dyn DeadLetters>,
    /// As order workers see it.
    pub(crate) inventory: Arc<dyn Inventory>,
    pub(crate) logistics: Arc<dyn Logistics>,
    pub(crate) documents: Arc<dyn Documents>,
    pub(crate) notifications: Arc<dyn Notifications>,
    /// As compensation workers see it.
    pub(crate) undo_inventory: Arc<dyn Inventory>,
    pub(crate) undo_documents: Arc<dyn Documents>,
    pub(crate) undo_notifications: Arc<dyn Notifications>,
}

impl World {
    /// A world in which `fault_percent` of all calls fail and, where so wanted, a rule is missing.
    #[must_use]
    pub fn new(seed: u64, fault_percent: u64, sabotage: Option<Sabotage>) -> Self {
        let chance = Arc::new(Chance::new(seed));
        let clock = Arc::new(Clock::default());
        let faults = Arc::new(Faults::new(Arc::clone(&chance), fault_percent));
        let shared = || (Arc::clone(&clock), Arc::clone(&faults));
        let (base_clock, base_faults) = shared();
        let store = Arc::new(MemoryStore::new(base_clock, base_faults));
        let (broker_clock, broker_faults) = shared();
        let (stock_clock, stock_faults) = shared();
        let inventory = Arc::new(MemoryInventory::new(stock_clock, stock_faults));
        let logistics = Arc::new(MemoryLogistics::new(Arc::clone(&faults)));
        let documents = Arc::new(MemoryDocuments::new(Arc::clone(&faults)));
        let notifications = Arc::new(MemoryNotifications::new(Arc::clone(&faults)));
        let ports = Ports {
            orders: Arc::<MemoryStore>::clone(&store),
            dead_letters: Arc::<MemoryStore>::clone(&store),
            inventory: Arc::<MemoryInventory>::clone(&inventory),
            logistics: Arc::<MemoryLogistics>::clone(&logistics),
            documents: Arc::<MemoryDocuments>::clone(&documents),
            notifications: Arc::<MemoryNotifications>::clone(&notifications),
            undo_inventory: Arc::<MemoryInventory>::clone(&inventory),
            undo_documents: Arc::<MemoryDocuments>::clone(&documents),
            undo_notifications: Arc::<MemoryNotifications>::clone(&notifications),
        };
        let mut world = Self {
            chance,
            faults,
            store,
            broker: Arc::new(MemoryBroker::new(broker_clock, broker_faults)),
            clock,
            inventory,
            logistics,
            documents,
            notifications,
            ports,
        };
        if let Some(sabotage) = sabotage {
            world.ports = without(sabotage, &world);
        }
        world
    }

    /// An order worker.
    #[must_use]
    pub fn handler(&self, worker: &str, takes_suspects: bool) -> Handler {
        let ports = &self.ports;
        Handler {
            orders: Arc::clone(&ports.orders),
            inventory: Arc::clone(&ports.inventory),
            logistics: Arc::clone(&ports.logistics),
            documents: Arc::clone(&ports.documents),
            notifications: Arc::clone(&ports.notifications),
            worker: worker.to_owned(),
            takes_suspects,
        }
    }

    /// A compensation worker.
    #[must_use]
    pub fn compensator(&self, worker: &str) -> Compensator {
        let ports = &self.ports;
        Compensator {
            orders: Arc::clone(&ports.orders),
            inventory: Arc::clone(&ports.undo_inventory),
            documents: Arc::clone(&ports.undo_documents),
            notifications: Arc::clone(&ports.undo_notifications),
            worker: worker.to_owned(),
        }
    }

    /// A relay of these messages; no two have the same number.
    #[must_use]
    pub fn outbox(&self, holder: u64, destinations: &[Destination]) -> MemoryOutbox {
        MemoryOutbox::new(Arc::clone(&self.store), holder, destinations.to_vec())
    }
}
