//! The ports of a world without one of the rules.

use std::sync::Arc;

use pipeline::ports::{Documents, Inventory, Notifications};

use super::Sabotage;
use super::dead_letters::BrokenDeadLetters;
use super::documents::BrokenDocuments;
use super::inventory::BrokenInventory;
use super::logistics::BrokenLogistics;
use super::notifications::BrokenNotifications;
use super::orders::BrokenOrders;
use crate::world::{Ports, World};

/// Every port wrapped; each wrapper breaks the rules that are its own and passes everything else on.
pub(crate) fn without(sabotage: Sabotage, world: &World) -> Ports {
    let inventory = |forward| -> Arc<dyn Inventory> { Arc::new(BrokenInventory::new(sabotage, forward, world)) };
    let documents = |forward| -> Arc<dyn Documents> { Arc::new(BrokenDocuments::new(sabotage, forward, world)) };
    let notifications =
        |forward| -> Arc<dyn Notifications> { Arc::new(BrokenNotifications::new(sabotage, forward, world)) };
    Ports {
        orders: Arc::new(BrokenOrders::new(sabotage, world)),
        dead_letters: Arc::new(BrokenDeadLetters::new(sabotage, world)),
        inventory: inventory(true),
        logistics: Arc::new(BrokenLogistics::new(sabotage, world)),
        documents: documents(true),
        notifications: notifications(true),
        undo_inventory: inventory(false),
        undo_documents: documents(false),
        undo_notifications: notifications(false),
    }
}
