//! One order in fair weather, with faults where they are planned.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use adapter_memory::broker::{Channel, Message, Place, Road, settle};
use adapter_memory::inventory::MemoryInventory;
use pipeline::dead_letters::{Acted, Action, DeadLetters as _, Queue};
use pipeline::happened::Operated;
use pipeline::id::{OrderId, Sku, WarehouseId};
use pipeline::message::OrderMessage;
use pipeline::order::State;
use pipeline::outgoing::Destination;
use pipeline::ports::{Intake as _, Placement};
use pipeline::relay::{Bounds, pass};
use pipeline::verdict::Verdict;
use simulation::{Goods, World, document};

/// Turns until an order is at rest, at most: it may be put off for as often as a message may.
const TURNS_MAX: u32 = 5_000;

pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) order: OrderId,
}

/// Goes on with `future` until it is done; nothing in the world waits for anything but its turn.
pub(crate) fn done<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}

fn deliver(inventory: &MemoryInventory) {
    for (sku, warehouse) in [("PLENTY-1", "WH-MX-1"), ("PLENTY-2", "WH-MX-2")] {
        inventory.deliver(&Sku::parse(sku).unwrap(), &WarehouseId::parse(warehouse).unwrap(), 10);
    }
}

impl Stage {
    /// A world with one accepted order of two products out of two warehouses.
    pub(crate) fn new() -> Self {
        let world = World::new(1, 0, None);
        deliver(&world.inventory);
        let order =
            contracts::order_message::accept(document(1, Goods::Two).as_bytes(), None, world.clock.now()).unwrap();
        assert_eq!(done(world.store.place(&order)).unwrap(), Placement::Accepted);
        Self {
            world,
            verdicts: vec![],
            order: order.content.order,
        }
    }

    /// Has everybody work until nothing moves.
    pub(crate) fn rest(&mut self) {
        let everything = [
            Destination::Orders,
            Destination::Compensation,
            Destination::DeadLetters,
            Destination::Events,
        ];
        let outbox = self.world.outbox(1, &everything);
        let bounds = Bounds {
            rows_max: 10,
            in_flight_max: 1,
        };
        for _ in 0..TURNS_MAX {
            let sent = done(pass(&outbox, &*self.world.broker, bounds)).unwrap().sent;
            self.world.broker.wake();
            if sent == 0 && !self.work() {
                let Some(next) = self.world.broker.next_wake() else {
                    return;
                };
                self.world.clock.pass(next - self.world.clock.ms());
            }
        }
        panic!("it does not come to rest");
    }

    /// One delivery from any queue; whether there was one.
    fn work(&mut self) -> bool {
        let broker = &self.world.broker;
        if let Some(taken) = broker.take(Place::Process, Channel(1)) {
            let verdict = done(self.world.handler("worker", false).handle(&taken.order()));
            done(settle(broker, Road::Orders, &taken, &verdict));
            self.verdicts.push(verdict);
        } else if let Some(taken) = broker.take(Place::Compensation, Channel(2)) {
            let verdict = done(self.world.compensator("undo").handle(&taken.undo()));
            done(settle(broker, Road::Compensation, &taken, &verdict));
            self.verdicts.push(verdict);
        } else {
            let letter = Queue::ALL.into_iter().find_map(|queue| {
                let taken = broker.take(Place::Dead(queue), Channel(3))?;
                Some((queue, taken))
            });
            let Some((queue, taken)) = letter else { return false };
            let _drained = done(self.world.store.drain(&taken.message.letter(queue))).unwrap();
            broker.ack(taken.tag);
        }
        true
    }

    pub(crate) fn state(&self) -> State {
        self.world.store.orders()[&self.order].0.state
    }

    pub(crate) fn content(&self) -> OrderMessage {
        self.world.store.orders()[&self.order].0.content.clone()
    }

    /// The class and the try of the last failure that a person was told of.
    pub(crate) fn failed(&self) -> (&'static str, u32) {
        let failed = self.world.store.orders()[&self.order]
            .0
            .progress
            .failed
            .clone()
            .unwrap();
        (failed.class.name(), failed.attempt)
    }

    /// An operator's deed on the one open entry.
    pub(crate) fn act(&mut self, action: Action) {
        let [(entry, _)] = &self.world.store.open_entries()[..] else {
            panic!("not one open entry")
        };
        let operated = Operated {
            by: "operator".into(),
            reason: "test".into(),
        };
        assert_eq!(
            done(self.world.store.act(*entry, action, &operated)).unwrap(),
            Acted::Done
        );
        self.rest();
    }

    /// Every message that was ever sent for the order to be worked, once more.
    pub(crate) fn repeat(&mut self) {
        let sent = self.world.store.look(|tables| {
            let sent = tables.outbox.values().map(|row| Message::of(&row.envelope));
            sent.filter(|message| message.properties.marks.failed.is_none())
                .collect::<Vec<_>>()
        });
        for message in sent {
            if let Some(road) = message.road() {
                self.world.broker.put(road.queue(), message);
            }
        }
        self.rest();
    }

    /// Kinds of all effects, by service.
    pub(crate) fn effects(&self) -> [Vec<&'static str>; 4] {
        let world = &self.world;
        [
            world.inventory.effects_after(0),
            world.logistics.effects_after(0),
            world.documents.effects_after(0),
            world.notifications.effects_after(0),
        ]
        .map(|effects| effects.into_iter().map(|effect| effect.kind).collect())
    }
}
