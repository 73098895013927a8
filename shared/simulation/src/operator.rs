//! The person who sees to what waits, and the counter that takes orders in.

use adapter_memory::store::Entry;
use pipeline::dead_letters::{Acted, Action, EntryId, Queue};
use pipeline::id::OrderId;
use pipeline::order::State;
use pipeline::ports::{Placement, Source, StoreError};

use crate::catalogue::{self, Goods};
use crate::schedule::Run;
use crate::staff::Task;
use crate::tasks;

impl Run {
    /// Whether anything waits for a person who has time: in bad weather it takes a while.
    pub(crate) fn operator_is_needed(&self) -> bool {
        if self.circumstances.stormy && !self.step.is_multiple_of(16) {
            return false;
        }
        self.world.store.look(|tables| {
            let stuck = tables.orders.values().any(|row| row.state == State::Stuck);
            stuck || tables.entries.values().any(|entry| entry.closed_as.is_none())
        })
    }

    /// The next deed.
    pub(crate) fn operate(&mut self) -> Option<Task> {
        let entries = self.world.store.open_entries();
        let stuck: Vec<OrderId> = self.world.store.look(|tables| {
            let stuck = tables.orders.iter().filter(|(_, row)| row.state == State::Stuck);
            stuck.map(|(order, _)| order.clone()).collect()
        });
        if let Some(order) = stuck.get(self.world.chance.place(stuck.len() * 3)) {
            if !self.circumstances.stormy {
                self.circumstances.sent_on.insert(order.clone());
            }
            let work = tasks::redo(self.world.ports.dead_letters.clone(), order.clone());
            return Some(self.task(work, format!("redo {order}")));
        }
        let at = self.world.chance.place(entries.len());
        let (id, entry) = entries.into_iter().nth(at)?;
        let action = self.choose(&entry);
        let about = format!("{} {:?}: {}", action.closes_as().name(), entry.order, entry.failed);
        if let Some(order) = entry
            .order
            .clone()
            .filter(|_| entry.of_row && !self.circumstances.stormy)
        {
            self.circumstances.sent_on.insert(order);
        }
        let work = self.act(id, entry.order, action);
        Some(self.task(work, about))
    }

    fn act(&self, id: EntryId, order: Option<OrderId>, action: Action) -> tasks::Work {
        let (store, broker) = (self.world.ports.dead_letters.clone(), self.world.broker.clone());
        tasks::act(store, broker, id, order, action)
    }

    fn task(&self, work: tasks::Work, about: String) -> Task {
        Task {
            work,
            about,
            kills_in: None,
            order: None,
            returns: 0,
            since_ms: self.world.clock.ms(),
        }
    }

    /// What to do with an entry: by chance in bad weather, and what helps in fair weather.
    fn choose(&self, entry: &Entry) -> Action {
        let draw = self.world.chance.draw(if self.circumstances.stormy { 20 } else { 12 });
        let row = |order: &OrderId| {
            let row = |tables: &adapter_memory::store::Tables| tables.orders.get(order).map(|row| row.document.clone());
            self.world.store.look(row)
        };
        let document = entry.order.as_ref().filter(|_| entry.of_row).and_then(row);
        let Some(document) = document else {
            return if draw < 10 || !self.circumstances.stormy {
                Action::Discard
            } else {
                Action::Replay
            };
        };
        if entry.queue == Queue::Compensation {
            return if draw == 19 { Action::Replay } else { Action::Redo };
        }
        let hopeless = catalogue::is_bad(&document) || entry.failed.class.name() == "superseded";
        match draw {
            0..6 if !hopeless || self.circumstances.stormy => Action::Replay,
            19 => Action::Discard,
            18 => Action::Redo,
            6..9 => Action::Abandon,
            _ => self.edit(entry, &document),
        }
    }

    fn edit(&self, entry: &Entry, document: &str) -> Action {
        let goods = match self.world.chance.draw(4) {
            0 => Goods::Two,
            1 => Goods::Scarce,
            _ => Goods::One,
        };
        let number = entry
            .order
            .as_ref()
            .and_then(|order| order.as_str().strip_prefix("ORD-")?.parse().ok());
        let edited = match number {
            Some(number) => catalogue::document(number, goods),
            None => document.to_owned(),
        };
        Action::Edit(Box::new(catalogue::order(&edited).content), edited.into())
    }

    pub(crate) fn acted(&mut self, deed: &str, _order: Option<&OrderId>, acted: &Result<Acted, Source>) {
        match acted {
            Ok(Acted::Denied(_)) => self.coverage.note("action denied"),
            Ok(Acted::SendAgain(..)) => self.coverage.note("rowless replayed"),
            Ok(Acted::Done) if deed == "discarded" => self.coverage.note("rowless discarded"),
            Ok(Acted::Done) | Err(_) => {}
        }
    }

    /// Takes in the next order.
    pub(crate) fn take_in(&mut self) -> Option<Task> {
        let number = self.unplaced.last().copied()?;
        let order = catalogue::order(&self.documents[number]);
        let work = tasks::place(self.world.store.clone(), number, order);
        Some(self.task(work, format!("order {number}: {}", self.documents[number])))
    }

    /// A shop that hears nothing sends its order again, and now and then one that heard.
    pub(crate) fn placed(&mut self, number: usize, placed: &Result<Placement, StoreError>) {
        match placed {
            Ok(Placement::Known(_)) => self.coverage.note("order sent twice to checkout"),
            Ok(_) if self.circumstances.stormy && self.world.chance.one_in(8) => return,
            Ok(_) => {}
            Err(_) => return,
        }
        self.unplaced.retain(|waiting| *waiting != number);
    }
}
