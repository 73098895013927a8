//! What an audit reads, over HTTP.

use std::cell::RefCell;
use std::path::Path;

use adapter_http::client::Api;
use adapter_rabbitmq::management::{self, Management};
use contracts::checkout::{OrderSummary, OutboxDepth};
use contracts::effects::Effect;
use contracts::inventory::{Movement, StockRow};
use futures_util::try_join;
use pipeline::audit::{self, Books, Depth, EffectRow, MovementRow, OrderRow, Place, Sample, Service};

use crate::broker::management;
use crate::failure::Failure;
use crate::ledger;
use crate::servers::{Go, Server, each_row};
use crate::settings::Settings;

/// Calls to one server at once: an audit is not to be felt.
const IN_FLIGHT_MAX: usize = 2;

/// Everything that an audit asks.
pub struct Witnesses {
    checkout: Api,
    inventory: Api,
    logistics: Api,
    documents: Api,
    notifications: Api,
    broker: Management,
}

impl Witnesses {
    /// The servers of the stack.
    ///
    /// # Errors
    ///
    /// When a setting is missing or cannot be used.
    pub fn find(settings: &Settings<'_>) -> Result<Self, Failure> {
        let api = |server: Server| server.api(settings, IN_FLIGHT_MAX);
        Ok(Self {
            checkout: api(Server::Checkout)?,
            inventory: api(Server::Inventory)?,
            logistics: api(Server::Logistics)?,
            documents: api(Server::Documents)?,
            notifications: api(Server::Notifications)?,
            broker: management(settings)?,
        })
    }

    /// Outbox and queues. The outbox comes first: what leaves it in between is then seen in a queue.
    ///
    /// # Errors
    ///
    /// When checkout or the broker cannot be read.
    pub async fn sample(&self) -> Result<Sample, Failure> {
        let outbox: OutboxDepth = self.checkout.get_json("/outbox").await?;
        let queues = self.broker.depths().await?;
        Ok(Sample {
            outbox: outbox.pending,
            queues: queues.into_iter().map(place).collect(),
        })
    }

    /// All the books: the ledger first, then orders, then effects and movements, then stock.
    ///
    /// # Errors
    ///
    /// When anything of it cannot be read; then nothing is said at all.
    pub async fn books(&self, ledger: Option<&Path>) -> Result<Books, Failure> {
        let mut books = Books::default();
        if let Some(path) = ledger {
            ledger::read(path, |order| books.promised(order.as_str()))?;
        }
        each_row(&self.checkout, "/orders", |order: OrderSummary| {
            books.order(&OrderRow {
                id: &order.order_id,
                state: &order.state,
                generation: order.generation,
            });
            Ok(Go::On)
        })
        .await?;
        // All at the same time on one thread: each page is taken in between two waits.
        let shared = RefCell::new(books);
        let effects = |api, service| effects(api, service, &shared);
        try_join!(
            effects(&self.inventory, Service::Inventory),
            effects(&self.logistics, Service::Logistics),
            effects(&self.documents, Service::Documents),
            effects(&self.notifications, Service::Notifications),
            effects(&self.checkout, Service::Checkout),
            movements(&self.inventory, &shared),
        )?;
        let mut books = shared.into_inner();
        each_row(&self.inventory, "/inventory/stock", |row: StockRow| {
            books.stock(&audit::StockRow {
                sku: &row.sku,
                warehouse: &row.warehouse,
                units: row.units,
            });
            Ok(Go::On)
        })
        .await?;
        Ok(books)
    }
}

async fn effects(api: &Api, service: Service, books: &RefCell<Books>) -> Result<(), Failure> {
    let take = |effect: Effect| {
        books.borrow_mut().effect(
            service,
            &EffectRow {
                seq: effect.seq,
                kind: &effect.kind,
                order: &effect.order_id,
                subject: &effect.subject,
                parts: &effect.parts,
            },
        );
        Ok(Go::On)
    };
    each_row(api, "/effects", take).await
}

async fn movements(api: &Api, books: &RefCell<Books>) -> Result<(), Failure> {
    let take = |movement: Movement| {
        books.borrow_mut().movement(&MovementRow {
            seq: movement.seq,
            kind: &movement.kind,
            sku: &movement.sku,
            warehouse: &movement.warehouse,
            units: movement.units,
            order: movement.order_id.as_deref(),
        });
        Ok(Go::On)
    };
    each_row(api, "/inventory/movements", take).await
}

/// What is on its way between ready and unacked counts as unacked.
fn place(queue: management::Depth) -> Place {
    let depth = queue.counts.map(|counts| Depth {
        ready: counts.ready,
        unacked: counts.unacked.max(counts.total.saturating_sub(counts.ready)),
    });
    Place {
        name: queue.queue,
        depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_between_ready_and_unacked_are_not_overlooked() {
        let counts = |ready, unacked, total| management::Depth {
            queue: "orders.process".to_owned(),
            counts: Some(management::Counts { ready, unacked, total }),
            consumers: None,
        };
        assert_eq!(place(counts(0, 0, 1)).messages(), Some(1));
        assert_eq!(place(counts(3, 2, 5)).messages(), Some(5));
        let unknown = management::Depth {
            counts: None,
            ..counts(0, 0, 0)
        };
        assert_eq!(place(unknown).messages(), None);
    }
}
