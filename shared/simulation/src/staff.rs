//! Who works: slots in processes. A process dies with everything that its slots have in hand.

use adapter_memory::broker::{Channel, Place};
use adapter_memory::store::MemoryOutbox;
use pipeline::dead_letters::Queue;
use pipeline::id::OrderId;
use pipeline::outgoing::Destination;
use pipeline::retry::RETURNS_MAX;

use crate::tasks::{self, Work};
use crate::world::World;

/// What a slot does.
pub(crate) enum Role {
    Process,
    Suspect,
    Compensation,
    Relay(MemoryOutbox),
    Drain(Queue),
    /// Sees to dead letters; the schedule says to which.
    Operator,
    /// Takes orders in; the schedule says which.
    Counter,
}

/// Work in a slot.
pub(crate) struct Task {
    pub(crate) work: Work,
    /// What it is about, for the history.
    pub(crate) about: String,
    /// The order that its delivery is about.
    pub(crate) order: Option<OrderId>,
    /// Polls until it kills its process.
    pub(crate) kills_in: Option<u64>,
    /// How often its delivery had come back.
    pub(crate) returns: u32,
    /// It began as a relay's pass at this time, in milliseconds.
    pub(crate) since_ms: u64,
}

/// One at a time.
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) process: usize,
    pub(crate) role: Role,
    pub(crate) channel: Channel,
    pub(crate) task: Option<Task>,
}

/// Processes with two order workers each.
const ORDER_PROCESSES: usize = 2;
const SLOTS_OF_A_PROCESS: usize = 2;

/// Polls after which a deadly message kills, at most.
const KILLS_IN_MAX: u64 = 8;

pub(crate) fn hire(world: &World) -> Vec<Slot> {
    let mut slots: Vec<Slot> = vec![];
    let mut add = |process: usize, name: &str, role: Role| {
        slots.push(Slot {
            name: format!("{name}-{}", slots.len()),
            process,
            role,
            channel: Channel(slots.len() as u64),
            task: None,
        });
    };
    for process in 0..ORDER_PROCESSES {
        for _ in 0..SLOTS_OF_A_PROCESS {
            add(process, "worker", Role::Process);
        }
        let destinations = [Destination::Compensation, Destination::DeadLetters, Destination::Events];
        add(
            process,
            "relay",
            Role::Relay(world.outbox(process as u64, &destinations)),
        );
    }
    add(2, "suspects", Role::Suspect);
    add(3, "undo", Role::Compensation);
    add(3, "undo", Role::Compensation);
    add(4, "checkout", Role::Relay(world.outbox(4, &[Destination::Orders])));
    for queue in Queue::ALL {
        add(5, "drain", Role::Drain(queue));
    }
    add(6, "operator", Role::Operator);
    add(7, "counter", Role::Counter);
    slots
}

impl Slot {
    fn place(&self) -> Option<Place> {
        match self.role {
            Role::Process => Some(Place::Process),
            Role::Suspect => Some(Place::Suspect),
            Role::Compensation => Some(Place::Compensation),
            Role::Drain(queue) => Some(Place::Dead(queue)),
            Role::Relay(_) | Role::Operator | Role::Counter => None,
        }
    }

    /// Whether a turn of it would do anything.
    pub(crate) fn is_ready(&self, world: &World) -> bool {
        match (&self.task, &self.role) {
            (Some(_), _) => true,
            (None, Role::Relay(outbox)) => outbox.has_due(),
            (None, _) => self.place().is_some_and(|place| world.broker.has(place)),
        }
    }

    /// Takes up work, where there is any.
    pub(crate) fn begin(&mut self, world: &World, takes_suspects: bool) {
        let since_ms = world.clock.ms();
        let broker = || world.broker.clone();
        let Some(place) = self.place() else {
            if let Role::Relay(outbox) = &self.role {
                self.task = Some(Task {
                    work: tasks::relay(outbox.clone(), broker()),
                    about: "a pass".to_owned(),
                    kills_in: None,
                    order: None,
                    returns: 0,
                    since_ms,
                });
            }
            return;
        };
        let Some(taken) = world.broker.take(place, self.channel) else {
            return;
        };
        let properties = &taken.message.properties;
        let about = format!(
            "{} of {} g{} try {} returned {}",
            properties.kind,
            properties.order.as_deref().unwrap_or("nobody"),
            properties.generation,
            properties.attempt,
            taken.returns
        );
        let handles_orders = matches!(self.role, Role::Process | Role::Suspect);
        // Set apart before any work is done on it, it kills nobody.
        let set_apart = matches!(self.role, Role::Process) && !takes_suspects && taken.returns >= RETURNS_MAX;
        let deadly = handles_orders && !set_apart && crate::catalogue::kills(&taken.message.body);
        let kills_in = deadly.then(|| 1 + world.chance.draw(KILLS_IN_MAX));
        let (returns, order) = (taken.returns, taken.message.order());
        let work = match self.role {
            Role::Process => tasks::process(world.handler(&self.name, takes_suspects), broker(), taken),
            Role::Suspect => tasks::process(world.handler(&self.name, true), broker(), taken),
            Role::Compensation => tasks::undo(world.compensator(&self.name), broker(), taken),
            Role::Drain(queue) => tasks::drain(world.ports.dead_letters.clone(), broker(), queue, taken),
            Role::Relay(_) | Role::Operator | Role::Counter => return,
        };
        self.task = Some(Task {
            work,
            about,
            order,
            kills_in,
            returns,
            since_ms,
        });
    }
}
