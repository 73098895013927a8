//! The loop: whose turn it is, and when it is over.

use std::task::{Context, Poll, Waker};

use pipeline::happened::Happened;
use pipeline::relay::Pass;
use pipeline::verdict::{Settled, Verdict};

use adapter_memory::broker::{Done, Place};
use adapter_memory::store::LEASE_MS;

use crate::catalogue::{self, Goods};
use crate::coverage::Coverage;
use crate::sabotage::Sabotage;
use crate::staff::{Role, Slot, Task, hire};
use crate::tasks::Outcome;
use crate::watch::{Circumstances, Violation, Watch};
use crate::world::World;

/// What a run is made of.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// All chance follows from it.
    pub seed: u64,
    /// Orders that checkout takes in.
    pub orders: usize,
    /// Percent of all calls that fail while the weather is bad.
    pub faults: u64,
    /// The rule that is taken out, where one is.
    pub sabotage: Option<Sabotage>,
    /// Whether the history is written down.
    pub told: bool,
}

/// What a run came to.
#[derive(Debug)]
pub struct Report {
    /// The history, where it was to be written down.
    pub history: Vec<String>,
    /// What was met.
    pub coverage: Coverage,
    /// Turns taken.
    pub steps: u64,
    /// The first violation, which ended the run.
    pub violation: Option<Violation>,
}

/// Turns for each order until the weather turns fair.
const STORMY_STEPS_OF_AN_ORDER: u64 = 250;
/// Turns for each order after which a run that is not at rest has failed.
const STEPS_OF_AN_ORDER_MAX: u64 = 1_500;
/// A late worker gets one turn in so many; one of these for each run.
const LATE_TURNS: [u64; 3] = [12, 40, 300];
/// Turns between two looks at everything.
const LOOK_EVERY: u64 = 64;

/// One run.
pub(crate) struct Run {
    pub(crate) settings: Settings,
    pub(crate) world: World,
    pub(crate) slots: Vec<Slot>,
    /// Workers that went on after the broker had given them up.
    pub(crate) late: Vec<(String, Task)>,
    late_turn: u64,
    pub(crate) documents: Vec<String>,
    /// Orders that checkout has yet to promise.
    pub(crate) unplaced: Vec<usize>,
    pub(crate) watch: Watch,
    pub(crate) coverage: Coverage,
    pub(crate) history: Vec<String>,
    pub(crate) step: u64,
    pub(crate) unbound: bool,
    pub(crate) circumstances: Circumstances,
    /// Settled deliveries, as counters show them.
    pub(crate) counted: u64,
}

/// Runs one seed to its end.
#[must_use]
pub fn run(settings: Settings) -> Report {
    let world = World::new(settings.seed, settings.faults, settings.sabotage);
    catalogue::stock(&world.inventory, settings.orders);
    let draw = |number| catalogue::document(number, Goods::draw(&world.chance));
    let documents: Vec<_> = (0..settings.orders).map(draw).collect();
    let mut run = Run {
        slots: hire(&world),
        late: vec![],
        late_turn: LATE_TURNS[world.chance.place(LATE_TURNS.len())],
        unplaced: (0..documents.len()).rev().collect(),
        documents,
        watch: Watch::new(&world),
        coverage: Coverage::default(),
        history: vec![],
        step: 0,
        unbound: false,
        circumstances: Circumstances {
            stormy: true,
            ..Circumstances::default()
        },
        counted: 0,
        world,
        settings,
    };
    let violation = run.go().err();
    run.count_faults();
    Report {
        history: run.history,
        coverage: run.coverage,
        steps: run.step,
        violation,
    }
}

impl Run {
    fn go(&mut self) -> Result<(), Violation> {
        let orders = self.settings.orders as u64;
        loop {
            self.step += 1;
            if self.circumstances.stormy && self.unplaced.is_empty() && self.step > orders * STORMY_STEPS_OF_AN_ORDER {
                self.turn_fair();
            }
            if self.circumstances.stormy {
                self.storm();
            }
            self.world.broker.wake();
            if !self.turn() && self.is_at_rest() {
                break;
            }
            self.watch
                .follow(&self.world, &self.circumstances, &mut self.coverage)?;
            if self.step.is_multiple_of(LOOK_EVERY) {
                self.watch.look(&self.world)?;
            }
            if self.step > orders * STEPS_OF_AN_ORDER_MAX {
                return Err(Violation::new("a run comes to rest", "it does not end"));
            }
        }
        self.watch.at_rest(&self.world)?;
        Watch::counted(self.world.broker.acks(), self.counted)
    }

    fn turn_fair(&mut self) {
        self.circumstances.stormy = false;
        self.world.faults.calm();
        self.world.broker.unbind(false);
        self.tell(|| "-- the weather turns fair --".to_owned());
    }

    /// Gives somebody a turn; false where nobody could use one, and time passed instead.
    fn turn(&mut self) -> bool {
        let late = self.late.len();
        if late > 0 && self.world.chance.one_in(self.late_turn) {
            self.poll_late(self.world.chance.place(late));
            return true;
        }
        let ready = |slot: &Slot| match slot.role {
            Role::Operator if slot.task.is_none() => self.operator_is_needed(),
            Role::Counter if slot.task.is_none() => !self.unplaced.is_empty(),
            _ => slot.is_ready(&self.world),
        };
        let ready: Vec<_> = (0..self.slots.len()).filter(|at| ready(&self.slots[*at])).collect();
        if ready.is_empty() && late == 0 {
            return self.pass_time();
        }
        if ready.is_empty() {
            self.poll_late(self.world.chance.place(late));
        }
        if let Some(at) = ready.get(self.world.chance.place(ready.len())) {
            self.poll(*at);
        }
        true
    }

    fn pass_time(&mut self) -> bool {
        let now = self.world.clock.ms();
        let waits = self
            .world
            .store
            .look(|tables| tables.outbox.values().any(|row| !row.way.queued()));
        match self.world.broker.next_wake() {
            Some(next) => self.world.clock.pass(next.saturating_sub(now).clamp(1, 1_000)),
            None if waits => self.world.clock.pass(1_000),
            None => return false,
        }
        true
    }

    /// Polls a slot once; an idle one takes up work.
    fn poll(&mut self, at: usize) {
        if self.slots[at].task.is_none() {
            let takes_suspects = self.settings.sabotage == Some(Sabotage::NoSuspects);
            match self.slots[at].role {
                Role::Operator => self.slots[at].task = self.operate(),
                Role::Counter => self.slots[at].task = self.take_in(),
                _ => self.slots[at].begin(&self.world, takes_suspects),
            }
            if let Some(task) = &self.slots[at].task {
                let line = format!("{} takes up {}", self.slots[at].name, task.about);
                self.tell(|| line);
            }
            return;
        }
        let Some(mut task) = self.slots[at].task.take() else {
            return;
        };
        if let Some(left) = task.kills_in.as_mut() {
            *left -= 1;
            if *left == 0 {
                self.coverage.note("killed by a message");
                let (process, about) = (self.slots[at].process, task.about);
                return self.crash(process, &about);
            }
        }
        match task.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => self.slots[at].task = Some(task),
            Poll::Ready(outcome) => {
                let name = self.slots[at].name.clone();
                self.end(&name, &task, &outcome);
            }
        }
    }

    fn poll_late(&mut self, at: usize) {
        let (name, mut task) = self.late.swap_remove(at);
        match task.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => {
                self.coverage.note("worker late and still at it");
                self.late.push((name, task));
            }
            Poll::Ready(outcome) => self.end(&format!("late {name}"), &task, &outcome),
        }
    }

    /// A process dies with all that its slots have in hand.
    pub(crate) fn crash(&mut self, process: usize, why: &str) {
        self.coverage.note("crash of a process");
        self.tell(|| format!("process {process} dies: {why}"));
        for slot in self.slots.iter_mut().filter(|slot| slot.process == process) {
            slot.task = None;
            self.world.broker.lose(slot.channel);
        }
    }

    /// Writes down and counts how a piece of work ended.
    fn end(&mut self, name: &str, task: &Task, outcome: &Outcome) {
        let about = &task.about;
        match outcome {
            Outcome::Worked(verdict, done) => {
                self.tell(|| format!("{name} ends {about}: {verdict:?}, {done:?}"));
                if *done == Done::Void {
                    self.coverage.note("ack void");
                    self.honour_late_ack();
                }
                if *done == Done::GivenBack {
                    self.circumstances.unmoved.extend(task.order.clone());
                }
                self.count(verdict, *done);
            }
            Outcome::Relayed(pass) => {
                self.tell(|| format!("{name} ends {about}: {pass:?}"));
                if self.world.clock.ms() > task.since_ms + LEASE_MS {
                    self.coverage.note("lease lost");
                }
                if let Ok(Pass {
                    failed: Some((_, pipeline::ports::PublishError::Unroutable(_))),
                    ..
                }) = pass
                {
                    self.coverage.note("message unroutable");
                }
            }
            Outcome::Acted(deed, order, acted) => {
                self.tell(|| format!("{name} ends {about}: {acted:?}"));
                self.acted(deed, order.as_ref(), acted);
            }
            Outcome::Placed(number, placed) => {
                self.tell(|| format!("{name} ends {about}: {placed:?}"));
                self.placed(*number, placed);
            }
        }
    }

    /// With the rule taken out, a void ack names whatever was delivered last.
    fn honour_late_ack(&mut self) {
        if self.settings.sabotage == Some(Sabotage::LateAckHonoured)
            && let Some(tag) = self.world.broker.newest_held(Place::Process)
        {
            self.counted += u64::from(self.world.broker.ack(tag));
        }
    }

    fn count(&mut self, verdict: &Verdict, done: Done) {
        let name = match verdict {
            Verdict::Settled(Settled::Completed) => "settled completed",
            Verdict::Settled(Settled::Compensating) => "settled compensating",
            Verdict::Settled(Settled::Compensated) => "settled compensated",
            Verdict::Settled(Settled::DeadLettered(_)) => "settled dead-lettered",
            Verdict::Settled(Settled::Stuck(_)) => "settled stuck",
            Verdict::Settled(Settled::Kept) => "settled kept",
            Verdict::Settled(Settled::Duplicate(duplicate)) => {
                self.coverage.note(&format!("duplicate {}", duplicate.name()));
                if self.settings.sabotage == Some(Sabotage::DuplicatesUncounted) {
                    return;
                }
                "duplicate"
            }
            Verdict::Retry(_) => "verdict retry",
            Verdict::Defer(_) => "verdict defer",
            Verdict::Suspect => "verdict suspect",
            Verdict::Unknown(failed) | Verdict::Invalid(failed) => {
                self.coverage.note(&format!("class {}", failed.class));
                if matches!(verdict, Verdict::Unknown(_)) {
                    "verdict unknown"
                } else {
                    "verdict invalid"
                }
            }
            Verdict::Hold(_) => "verdict hold",
        };
        self.coverage.note(name);
        self.counted += u64::from(done == Done::Acked);
    }

    fn count_faults(&mut self) {
        for ((call, fault), times) in self.world.faults.met() {
            if call == "broker.publish" && fault == adapter_memory::faults::Fault::After {
                self.coverage.add("confirm lost", times);
            }
            self.coverage.add("fault", times);
        }
        self.coverage
            .add("conflict", self.world.store.look(|tables| tables.conflicts));
        let changes: Vec<_> = self.world.store.look(|tables| {
            let turn = |row: &adapter_memory::store::HistoryRow| row.happened.clone();
            tables.changes.iter().map(turn).collect()
        });
        for happened in changes {
            self.coverage.note(&format!("turn {}", happened.name()));
            match happened {
                Happened::DeadLettered(failed) | Happened::Stuck(failed) => {
                    self.coverage.note(&format!("class {}", failed.class));
                }
                Happened::Compensated(refund) => {
                    self.coverage.note(&format!("apology {}", refund.notice.template()));
                }
                _ => {}
            }
        }
    }

    pub(crate) fn tell(&mut self, line: impl FnOnce() -> String) {
        if self.settings.told {
            let (step, ms) = (self.step, self.world.clock.ms());
            self.history.push(format!("{step:>6} {ms:>8} ms  {}", line()));
        }
    }

    fn is_at_rest(&self) -> bool {
        !self.circumstances.stormy && self.late.is_empty() && self.slots.iter().all(|slot| slot.task.is_none())
    }
}
