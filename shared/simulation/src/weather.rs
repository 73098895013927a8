//! What chance does to the run beside the faults of single calls.

use std::collections::BTreeSet;

use adapter_memory::broker::{Channel, Message, Place, Properties, Road};
use pipeline::id::OrderId;
use pipeline::outgoing::{Marks, ORDER_PROCESS};
use pipeline::retry::{DEFERRALS_MAX, RETURNS_MAX};

use crate::catalogue::{self, Goods};
use crate::schedule::Run;
use crate::staff::{Role, Slot};

/// Of so many turns in bad weather each of these happens in one.
const TIME_PASSES: u64 = 12;
const CRASH: u64 = 180;
const LATE: u64 = 100;
const DATABASE: u64 = 500;
const DUPLICATE: u64 = 200;
const GARBAGE: u64 = 700;
const STRANGER: u64 = 900;
const UNROUTABLE: u64 = 700;
const SWEEP: u64 = 60;

/// Workers that are late at the same time, at most.
const LATE_MAX: usize = 8;

impl Run {
    /// One turn's worth of bad weather.
    pub(crate) fn storm(&mut self) {
        if self.settings.faults == 0 {
            return;
        }
        let chance = self.world.chance.clone();
        if chance.one_in(TIME_PASSES) {
            self.world.clock.pass(chance.draw(700));
        }
        if chance.one_in(SWEEP) {
            self.world.inventory.sweep();
        }
        if chance.one_in(CRASH) {
            self.crash_somebody();
        }
        if chance.one_in(LATE) {
            self.delay_somebody();
        }
        if chance.one_in(DATABASE) {
            self.crash_database();
        }
        if chance.one_in(DUPLICATE) {
            self.repeat_a_message();
        }
        if chance.one_in(GARBAGE) {
            self.send_garbage();
        }
        if chance.one_in(STRANGER) {
            self.close_something();
        }
        if chance.one_in(UNROUTABLE) || (self.unbound && chance.one_in(20)) {
            self.unbound = !self.unbound;
            self.world.broker.unbind(self.unbound);
        }
    }

    fn crash_somebody(&mut self) {
        let at = self.world.chance.place(self.slots.len());
        let process = self.slots[at].process;
        if !self.slots.iter().any(|slot| slot.process == process && is_spared(slot)) {
            self.crash(process, "by chance");
        }
    }

    /// Somebody sleeps so long that the broker gives its delivery to another, and wakes up later.
    fn delay_somebody(&mut self) {
        let busy = |slot: &Slot| slot.task.as_ref().is_some_and(|task| task.kills_in.is_none());
        let busy = (0..self.slots.len()).filter(|at| busy(&self.slots[*at]) && !is_spared(&self.slots[*at]));
        let busy: Vec<_> = busy.collect();
        let Some(at) = busy.get(self.world.chance.place(busy.len())).copied() else {
            return;
        };
        if self.late.len() >= LATE_MAX {
            return;
        }
        let slot = &mut self.slots[at];
        if let Some(task) = slot.task.take() {
            self.world.broker.lose(slot.channel);
            slot.channel = Channel(1_000 + self.step);
            let name = slot.name.clone();
            self.coverage.note("worker late");
            let line = format!("{name} falls asleep over {}", task.about);
            self.tell(|| line);
            self.late.push((name, task));
        }
    }

    fn crash_database(&mut self) {
        let at_risk = self.world.store.at_risk();
        let lost = self.world.chance.place(at_risk + 1);
        let back: BTreeSet<_> = self.world.store.crash(lost).into_iter().collect();
        self.coverage.note("crash of the database");
        self.coverage.add("journal entry lost", back.len() as u64);
        self.tell(|| format!("the database dies, {lost} writes are lost: {back:?}"));
        self.watch.went_back(&self.world, &back);
    }

    /// Any message that is anywhere, once more; now and then one that was put off as often as may be.
    fn repeat_a_message(&mut self) {
        let mut messages = self.world.broker.messages();
        let sent = self.world.store.look(|tables| {
            let rows = tables.outbox.values().filter(|row| row.way.queued());
            rows.map(|row| Message::of(&row.envelope)).collect::<Vec<_>>()
        });
        messages.extend(sent.into_iter().map(|message| (Place::Process, message)));
        if messages.is_empty() {
            return;
        }
        let (place, mut message) = messages.swap_remove(self.world.chance.place(messages.len()));
        let place = match (place, message.road()) {
            (Place::Dead(queue), _) => Place::Dead(queue),
            (_, Some(_)) if message.properties.marks.failed.is_some() => {
                Place::Dead(message.road().unwrap_or(Road::Orders).dead())
            }
            (_, Some(road)) => road.queue(),
            (_, None) => return,
        };
        if self.world.chance.one_in(3) && !matches!(place, Place::Dead(_)) {
            message.properties.deferrals = DEFERRALS_MAX;
        }
        self.coverage.note("duplicate sent");
        let line = format!("once more to {place:?}: {:?}", message.properties);
        self.tell(|| line);
        self.world.broker.put(place, message);
    }

    /// What cannot be understood, what nobody ordered, or what says something else than was accepted.
    fn send_garbage(&mut self) {
        let number = self.world.chance.place(self.documents.len());
        let (body, order) = match self.world.chance.draw(4) {
            0 => ("{".to_owned(), Some(number)),
            1 => ("\u{0}".to_owned(), None),
            2 => (catalogue::document(9_000 + number, Goods::One), Some(9_000 + number)),
            _ => (
                catalogue::document(number, Goods::Two).replace(r#""qty":2"#, r#""qty":3"#),
                Some(number),
            ),
        };
        let message = Message {
            body: body.as_bytes().into(),
            properties: Properties {
                id: None,
                kind: ORDER_PROCESS.to_owned(),
                order: order.map(|number| format!("ORD-{number}")),
                generation: 1,
                attempt: 1,
                deferrals: 0,
                marks: Marks::default(),
                last_error: None,
            },
        };
        self.coverage.note("garbage sent");
        self.tell(|| format!("garbage for {order:?}"));
        let place = if self.world.chance.one_in(4) {
            Place::Compensation
        } else {
            Place::Process
        };
        self.world.broker.put(place, message);
    }

    /// Somebody closes, by mistake, the generation of an order that has no goods yet.
    fn close_something(&mut self) {
        let waiting: Vec<OrderId> = self.world.store.look(|tables| {
            let waiting = tables.orders.iter().filter(|(_, row)| row.state.is_open());
            waiting.map(|(order, _)| order.clone()).collect()
        });
        let Some(order) = waiting.get(self.world.chance.place(waiting.len())) else {
            return;
        };
        let generation = self
            .world
            .store
            .look(|tables| tables.orders.get(order).map(|row| row.generation));
        if generation.is_some_and(|generation| self.world.inventory.close_untouched(order, generation)) {
            self.coverage.note("closed by a stranger");
            let line = format!("a stranger closes {order}");
            self.tell(|| line);
        }
    }
}

/// Chance hits what is suspected already once at most: only what kills again and again may end at the broker's limit.
fn is_spared(slot: &Slot) -> bool {
    let returns = slot.task.as_ref().map_or(0, |task| task.returns);
    match slot.role {
        Role::Process => returns >= RETURNS_MAX,
        Role::Suspect => returns > 0,
        Role::Compensation | Role::Relay(_) | Role::Drain(_) | Role::Operator | Role::Counter => false,
    }
}
