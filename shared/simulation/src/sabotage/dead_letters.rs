//! A store of dead letters that lacks a rule.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use adapter_memory::documents::MemoryDocuments;
use adapter_memory::inventory::MemoryInventory;
use adapter_memory::notifications::MemoryNotifications;
use adapter_memory::store::{Entry, MemoryStore};
use async_trait::async_trait;
use pipeline::dead_letters::{Acted, Action, DeadLetters, Drained, EntryId, Letter, Queue};
use pipeline::happened::Operated;
use pipeline::id::{Generation, OrderId};
use pipeline::order::State;
use pipeline::ports::{Documents as _, Inventory as _, Notifications as _, Source, StoreError};
use pipeline::verdict::Duplicate;

use super::Sabotage;
use crate::world::World;

pub(super) struct BrokenDeadLetters {
    sabotage: Sabotage,
    inner: Arc<MemoryStore>,
    inventory: Arc<MemoryInventory>,
    documents: Arc<MemoryDocuments>,
    notifications: Arc<MemoryNotifications>,
    drained: Mutex<BTreeSet<(Queue, OrderId, Generation)>>,
}

impl BrokenDeadLetters {
    pub(super) fn new(sabotage: Sabotage, world: &World) -> Self {
        Self {
            sabotage,
            inner: world.store.clone(),
            inventory: world.inventory.clone(),
            documents: world.documents.clone(),
            notifications: world.notifications.clone(),
            drained: Mutex::default(),
        }
    }

    fn entry(&self, id: EntryId) -> Option<Entry> {
        self.inner.look(|tables| tables.entries.get(&id).cloned())
    }

    /// Closes what the entry's generation has, and only then lets the row move.
    async fn close_first(&self, id: EntryId) -> Result<(), Source> {
        if let Some(entry) = self.entry(id).filter(|entry| entry.of_row)
            && let Some(order) = &entry.order
        {
            self.inventory.close(order, entry.generation).await?;
            self.documents.close(order, entry.generation).await?;
            let _told = self.notifications.close(order, entry.generation).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl DeadLetters for BrokenDeadLetters {
    async fn drain(&self, letter: &Letter) -> Result<Drained, StoreError> {
        let mut letter = letter.clone();
        match (self.sabotage, &letter.order) {
            (Sabotage::EntryWithoutVersion, Some(order)) => {
                let name = (letter.queue, order.clone(), letter.generation);
                if super::held(&self.drained).contains(&name) {
                    return Ok(Drained::Duplicate(Duplicate::KeptAlready));
                }
                let drained = self.inner.drain(&letter).await?;
                super::held(&self.drained).insert(name);
                return Ok(drained);
            }
            // Kept as what belongs to no order.
            (Sabotage::DrainBlind, _) => letter.queue = Queue::Invalid,
            (Sabotage::DrainOpensTwice, Some(order)) => {
                // As if the order had no open entry, and no entry of this name.
                let open = self.inner.look(|tables| tables.open_of(order));
                if let Some(open) = open {
                    let entry = self.inner.tamper(|tables| tables.entries.remove(&open));
                    let drained = self.inner.drain(&letter).await;
                    self.inner.tamper(|tables| {
                        if let Some(entry) = entry {
                            let twice = EntryId::of_message(letter.queue, &entry.content);
                            let taken = tables.entries.contains_key(&open);
                            tables.entries.insert(if taken { twice } else { open }, entry);
                        }
                    });
                    return drained;
                }
            }
            _ => {}
        }
        self.inner.drain(&letter).await
    }

    async fn act(&self, entry: EntryId, action: Action, operated: &Operated) -> Result<Acted, StoreError> {
        match (self.sabotage, &action) {
            (Sabotage::CloseFirst, Action::Edit(..)) => {
                self.close_first(entry).await.map_err(|source| StoreError {
                    doing: "closing first",
                    source,
                })?;
            }
            (Sabotage::StuckReplayed, Action::Redo) => {
                let order = self.entry(entry).and_then(|entry| entry.order);
                self.inner.tamper(|tables| {
                    if let Some(row) = order.and_then(|order| tables.orders.get_mut(&order))
                        && row.state == State::Stuck
                    {
                        row.state = State::DeadLettered;
                    }
                });
                return self.inner.act(entry, Action::Replay, operated).await;
            }
            _ => {}
        }
        self.inner.act(entry, action, operated).await
    }

    async fn sent_again(&self, entry: EntryId, operated: &Operated) -> Result<(), StoreError> {
        self.inner.sent_again(entry, operated).await
    }

    async fn redo(&self, order: &OrderId, operated: &Operated) -> Result<Acted, StoreError> {
        self.inner.redo(order, operated).await
    }
}
