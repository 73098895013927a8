//! What must hold, written apart from the code that it checks: from logs and rows alone.

mod effects;
mod messages;
mod rows;

use std::collections::{BTreeMap, BTreeSet};

use pipeline::failure::{Class, Failed};
use pipeline::happened::{Apology, Happened};
use pipeline::id::{OrderId, Version};
use pipeline::order::State;

use adapter_memory::inventory::Shelves;
use adapter_memory::store::HistoryRow;

use self::effects::Accounts;
use crate::catalogue;
use crate::coverage::Coverage;
use crate::world::World;

/// Something that must never be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("violated: {invariant}: {what}")]
pub struct Violation {
    /// What must hold.
    pub invariant: &'static str,
    /// What was found.
    pub what: String,
}

impl Violation {
    pub(crate) fn new(invariant: &'static str, what: impl Into<String>) -> Self {
        Self {
            invariant,
            what: what.into(),
        }
    }
}

/// Where an order stood when it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    state: State,
    generation: u32,
    version: Version,
}

/// What the watch is told of a run.
#[derive(Debug, Default)]
pub(crate) struct Circumstances {
    /// Calls fail and processes die by chance.
    pub(crate) stormy: bool,
    /// Orders that the operator sent on in fair weather.
    pub(crate) sent_on: BTreeSet<OrderId>,
    /// Orders of which a copy could not be published, so that the broker got a delivery back.
    pub(crate) unmoved: BTreeSet<OrderId>,
}

/// Follows a run.
pub(crate) struct Watch {
    delivered: Shelves,
    standings: BTreeMap<OrderId, Standing>,
    changes_seen: usize,
    accounts: Accounts,
}

impl Watch {
    pub(crate) fn new(world: &World) -> Self {
        Self {
            delivered: world.inventory.shelves(),
            standings: BTreeMap::new(),
            changes_seen: 0,
            accounts: Accounts::default(),
        }
    }

    /// Looks at what happened since the last time.
    pub(crate) fn follow(
        &mut self,
        world: &World,
        circumstances: &Circumstances,
        coverage: &mut Coverage,
    ) -> Result<(), Violation> {
        self.accounts.follow(world)?;
        let changes: Vec<HistoryRow> = world.store.look(|tables| tables.changes[self.changes_seen..].to_vec());
        self.changes_seen += changes.len();
        for change in changes {
            self.change(world, &change)?;
            match &change.happened {
                Happened::DeadLettered(failed) => dead(world, &change.order, failed, circumstances)?,
                Happened::Stuck(failed) if !circumstances.stormy && circumstances.sent_on.contains(&change.order) => {
                    let what = format!("{}: {failed}", change.order);
                    return Err(Violation::new(
                        "an order that is redone in fair weather is undone",
                        what,
                    ));
                }
                Happened::Compensated(refund)
                    if refund.notice == Apology::OrderCancelled && self.accounts.was_confirmed(&change.order) =>
                {
                    coverage.note("apology after a confirmation");
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn change(&mut self, world: &World, change: &HistoryRow) -> Result<(), Violation> {
        let first = Standing {
            state: State::Accepted,
            generation: 1,
            version: Version(1),
        };
        let before = *self.standings.get(&change.order).unwrap_or(&first);
        rows::check(world, before.state, before.generation, before.version, change)?;
        let now = Standing {
            state: change.to,
            generation: change.generation.0,
            version: change.version,
        };
        self.standings.insert(change.order.clone(), now);
        if change.to == State::Completed || change.to == State::Compensated {
            self.accounts.ended(world, &change.order)?;
        }
        Ok(())
    }

    /// A crash of the database took journal entries of these orders back.
    pub(crate) fn went_back(&mut self, world: &World, orders: &BTreeSet<OrderId>) {
        world.store.look(|tables| {
            for order in orders {
                if let Some(row) = tables.orders.get(order) {
                    let standing = Standing {
                        state: row.state,
                        generation: row.generation.0,
                        version: row.version,
                    };
                    self.standings.insert(order.clone(), standing);
                }
            }
        });
    }

    /// Looks at everything.
    pub(crate) fn look(&self, world: &World) -> Result<(), Violation> {
        self.rows_are_as_told(world)?;
        self.accounts.stock_adds_up(world, &self.delivered)?;
        messages::nothing_is_lost(world)?;
        messages::entries(world)
    }

    /// A row moves by a change that is in its history, and in no other way.
    fn rows_are_as_told(&self, world: &World) -> Result<(), Violation> {
        world.store.look(|tables| {
            for (order, row) in &tables.orders {
                let now = (row.state, row.generation.0, row.version);
                let told = self
                    .standings
                    .get(order)
                    .map(|told| (told.state, told.generation, told.version));
                if now != told.unwrap_or((State::Accepted, 1, Version(1))) {
                    let what = format!("{order} is {now:?}, and its history says {told:?}");
                    return Err(Violation::new("every change of a row is in its history", what));
                }
            }
            Ok(())
        })
    }

    /// Everything is over.
    pub(crate) fn at_rest(&self, world: &World) -> Result<(), Violation> {
        self.look(world)?;
        messages::at_rest(world)?;
        for order in self.standings.keys() {
            self.accounts.ended(world, order)?;
        }
        Ok(())
    }

    /// Every settled delivery is in a counter.
    pub(crate) fn counted(acks: u64, counted: u64) -> Result<(), Violation> {
        if acks == counted {
            return Ok(());
        }
        let what = format!("{acks} deliveries were settled and {counted} are counted");
        Err(Violation::new("every settled delivery is counted", what))
    }
}

fn dead(world: &World, order: &OrderId, failed: &Failed, circumstances: &Circumstances) -> Result<(), Violation> {
    let sound = !is_bad(world, order);
    if failed.class == Class::DeliveryLimit && sound && !circumstances.unmoved.contains(order) {
        let what = format!("{order} kills nobody");
        return Err(Violation::new(
            "only who kills its worker ends at the broker's limit",
            what,
        ));
    }
    let excused = matches!(failed.class, Class::Superseded | Class::Mismatch | Class::DeliveryLimit);
    if !circumstances.stormy && sound && !excused && circumstances.sent_on.contains(order) {
        let what = format!("{order}: {failed}");
        return Err(Violation::new(
            "a sound order that is sent on in fair weather arrives",
            what,
        ));
    }
    Ok(())
}

fn is_bad(world: &World, order: &OrderId) -> bool {
    world.store.look(|tables| {
        tables
            .orders
            .get(order)
            .is_some_and(|row| catalogue::is_bad(&row.document))
    })
}
