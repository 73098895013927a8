//! Messages and entries: every order that is not at its end has something that brings it on.

use std::collections::BTreeSet;

use adapter_memory::broker::{Message, Place, Road};
use pipeline::dead_letters::Queue;
use pipeline::id::OrderId;
use pipeline::order::State;
use pipeline::outgoing::Destination;

use super::Violation;
use crate::world::World;

/// Tries of a message, at most.
const ATTEMPTS_MAX: u32 = 6;

/// What can bring an order on.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bringer {
    /// An order worker will take it up in this generation, out of a message that says this.
    Work(OrderId, u32, Vec<u8>),
    /// A compensation worker will.
    Undo(OrderId, u32),
    /// A person will see it.
    Letter(Queue, OrderId, u32),
}

pub(super) fn nothing_is_lost(world: &World) -> Result<(), Violation> {
    let bringers = bringers(world)?;
    world.store.look(|tables| {
        for (order, row) in &tables.orders {
            let (id, generation) = (order.clone(), row.generation.0);
            let work = || Bringer::Work(id.clone(), generation, row.document.as_bytes().to_vec());
            let letter = |queue| Bringer::Letter(queue, id.clone(), generation);
            let brought = match row.state {
                State::Accepted | State::Processing => bringers.contains(&work()),
                State::Compensating => bringers.contains(&Bringer::Undo(id.clone(), generation)),
                State::DeadLettered => tables.open_of(order).is_some() || bringers.contains(&letter(Queue::Process)),
                State::Stuck => tables.open_of(order).is_some() || bringers.contains(&letter(Queue::Compensation)),
                State::Completed | State::Compensated => true,
            };
            if !brought {
                let what = format!("{order} is {} in generation {generation}", row.state);
                return Err(Violation::new("no order is lost", what));
            }
        }
        Ok(())
    })
}

fn bringers(world: &World) -> Result<BTreeSet<Bringer>, Violation> {
    let mut bringers = BTreeSet::new();
    for (place, message) in world.broker.messages() {
        if message.properties.attempt > ATTEMPTS_MAX {
            let what = format!("{message:?} in {place:?}");
            return Err(Violation::new("no try is above the ladder", what));
        }
        bringers.extend(bringer(place, &message));
    }
    world.store.look(|tables| {
        for row in tables.outbox.values().filter(|row| !row.way.queued()) {
            let message = Message::of(&row.envelope);
            let place = match row.envelope.destination {
                Destination::Orders => Place::Process,
                Destination::Compensation => Place::Compensation,
                Destination::DeadLetters => Place::Dead(message.road().unwrap_or(Road::Orders).dead()),
                Destination::Events => continue,
            };
            bringers.extend(bringer(place, &message));
        }
    });
    Ok(bringers)
}

fn bringer(place: Place, message: &Message) -> Vec<Bringer> {
    let Some(order) = message.order() else { return vec![] };
    let generation = message.properties.generation;
    let work = |order| Bringer::Work(order, generation, message.body.to_vec());
    match place {
        Place::Process | Place::Suspect | Place::Resting(Road::Orders, _) | Place::Deferred(Road::Orders) => {
            vec![work(order)]
        }
        Place::Compensation | Place::Resting(Road::Compensation, _) | Place::Deferred(Road::Compensation) => {
            vec![Bringer::Undo(order, generation)]
        }
        // What the broker gave up makes its order's row wait; what one of us wrote finds a row that waits already.
        Place::Dead(queue) if message.properties.marks.failed.is_some() => {
            let failed = message.properties.marks.failed.iter();
            let of_row = failed.filter(|failed| failed.class.is_of_row());
            of_row
                .map(|_| Bringer::Letter(queue, order.clone(), generation))
                .collect()
        }
        Place::Dead(Queue::Compensation) => {
            vec![
                Bringer::Undo(order.clone(), generation),
                Bringer::Letter(Queue::Compensation, order, generation),
            ]
        }
        Place::Dead(queue) => vec![work(order.clone()), Bringer::Letter(queue, order, generation)],
    }
}

/// Entries are open for orders that wait, once each.
pub(super) fn entries(world: &World) -> Result<(), Violation> {
    world.store.look(|tables| {
        let mut open = BTreeSet::new();
        for (id, entry) in tables
            .entries
            .iter()
            .filter(|(_, entry)| entry.closed_as.is_none() && entry.of_row)
        {
            let row = entry.order.as_ref().and_then(|order| tables.orders.get(order));
            let Some(row) = row else { continue };
            if row.state.is_final() {
                let what = format!("{id} of {}, which is {}", row.content.order, row.state);
                return Err(Violation::new("no entry is open for a final order", what));
            }
            if !row.state.is_waiting() {
                let what = format!("{id} of {}, which is {}", row.content.order, row.state);
                return Err(Violation::new("an entry is open for an order that waits", what));
            }
            if !open.insert(&row.content.order) {
                let what = format!("{id} of {}", row.content.order);
                return Err(Violation::new("an order has one open entry at most", what));
            }
        }
        Ok(())
    })
}

pub(super) fn at_rest(world: &World) -> Result<(), Violation> {
    let left = world.broker.messages();
    if let Some((place, message)) = left.first() {
        let what = format!("{} messages, one in {place:?}: {:?}", left.len(), message.properties);
        return Err(Violation::new("at rest no queue holds anything", what));
    }
    if let Some((id, entry)) = world.store.open_entries().first() {
        let what = format!("{id}: {entry:?}");
        return Err(Violation::new("at rest nothing waits for a person", what));
    }
    world.store.look(|tables| {
        for (order, row) in &tables.orders {
            if !row.state.is_final() {
                let what = format!("{order} is {}", row.state);
                return Err(Violation::new("at rest every order is at its end", what));
            }
        }
        Ok(())
    })
}
