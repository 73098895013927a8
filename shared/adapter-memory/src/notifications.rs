//! What reaches the customer.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contracts::effects::NOTICE_QUEUED;
use contracts::notifications::ORDER_CONFIRMED;
use pipeline::happened::Apology;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Notifications, Refusal, Told};
use pipeline::steps::{Notice, Shipment};

use crate::effects::{Effect, Log};
use crate::faults::{Faults, call_error};
use crate::held;
use crate::keys::{Keys, Tombstones};

const SERVICE: &str = "notifications";

/// The channels of every notice.
pub const CHANNELS: [&str; 2] = ["email", "push"];

#[derive(Debug, Default)]
struct Books {
    sent: BTreeSet<(OrderId, &'static str)>,
    keys: Keys<()>,
    tombstones: Tombstones,
    log: Log,
}

/// [`Notifications`] in memory.
#[derive(Debug)]
pub struct MemoryNotifications {
    books: Mutex<Books>,
    faults: Arc<Faults>,
}

impl MemoryNotifications {
    /// An office that has told nobody anything yet.
    #[must_use]
    pub fn new(faults: Arc<Faults>) -> Self {
        Self {
            books: Mutex::default(),
            faults,
        }
    }

    /// Forgets that generations of the order are closed, as a service without tombstones would. For proofs that somebody
    /// notices.
    pub fn reopen(&self, order: &OrderId) {
        held(&self.books).tombstones.reopen(order);
    }

    /// Effects after the first `seen`.
    pub fn effects_after(&self, seen: usize) -> Vec<Effect> {
        held(&self.books).log.after(seen)
    }

    /// Forgets what the order's customer was told, and every key, as a service without that rule would; its log stays. For
    /// proofs that somebody notices.
    pub fn forget(&self, order: &OrderId) {
        let mut books = held(&self.books);
        books.sent.retain(|(of, _)| of != order);
        books.keys = Keys::default();
    }
}

#[async_trait]
impl Notifications for MemoryNotifications {
    async fn confirm(&self, key: &IdempotencyKey, order: &Order, shipments: &[Shipment]) -> Result<Notice, CallError> {
        let deed = || held(&self.books).confirm(key, order, shipments);
        let told = self.faults.call("notifications.confirm", deed).await;
        Ok(told.map_err(call_error(SERVICE))??)
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Told, CallError> {
        let deed = || held(&self.books).close(order, generation);
        let told = self.faults.call("notifications.close", deed).await;
        told.map_err(call_error(SERVICE))
    }

    async fn apologise(&self, key: &IdempotencyKey, order: &Order, apology: Apology) -> Result<(), CallError> {
        let deed = || held(&self.books).tell(key, order, apology.template(), &[]);
        let told = self.faults.call("notifications.apologise", deed).await;
        Ok(told.map_err(call_error(SERVICE))??)
    }
}

impl Books {
    fn confirm(&mut self, key: &IdempotencyKey, order: &Order, shipments: &[Shipment]) -> Result<Notice, Refusal> {
        let id = &order.content.order;
        self.tombstones.look(SERVICE, id, order.generation)?;
        self.tell(key, order, ORDER_CONFIRMED, shipments)?;
        Ok(Notice {
            id: format!("NOTIF-{id}"),
            channels: CHANNELS.map(str::to_owned).to_vec(),
        })
    }

    /// One notice for each order, template and channel, whatever the generation.
    fn tell(
        &mut self,
        key: &IdempotencyKey,
        order: &Order,
        template: &'static str,
        shipments: &[Shipment],
    ) -> Result<(), Refusal> {
        let id = &order.content.order;
        let asked = format!("{template} {id} {} {shipments:?}", order.generation.0);
        if self.keys.find(SERVICE, key, &asked)?.is_some() {
            return Ok(());
        }
        if self.sent.insert((id.clone(), template)) {
            for channel in CHANNELS {
                let parts = CHANNELS.map(str::to_owned).to_vec();
                let of = (id, order.generation);
                self.log.note(NOTICE_QUEUED, of, format!("{template}/{channel}"), parts);
            }
        }
        self.keys.keep(key, asked, ());
        Ok(())
    }

    fn close(&mut self, order: &OrderId, generation: Generation) -> Told {
        self.tombstones.close(order, generation);
        Told {
            confirmed: self.sent.contains(&(order.clone(), ORDER_CONFIRMED)),
        }
    }
}
