//! What an audit found.

use std::collections::BTreeMap;

use serde::Serialize;

use super::account::{Account, Standing};
use super::books::{Books, Service};
use super::judgement::Judgement;
use super::rest::{Place, Sample};

/// Findings of one subject that a report spells out; all are counted.
pub const FINDINGS_OF_ONE_KIND_MAX: usize = 1_000;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// An order that is nowhere.
    Lost,
    /// An effect too many.
    Doubled,
    /// An effect too few.
    Incomplete,
    /// Units that do not add up.
    Stock,
    /// Effects for an order that checkout does not know, or of a kind that the audit does not know.
    Unknown,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// What it is about.
    pub about: Subject,
    /// The order, or product and warehouse, or log; text from outside.
    pub name: String,
    /// What is wrong, in words.
    pub why: String,
}

/// The whole result. Every order counts as exactly one of completed, compensated, dead-lettered, stuck, in flight and
/// lost; besides, it may be one of the incomplete and one of the doubled. Ids that only a ledger knows are lost on top.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether nothing moved. While something does, neither losses nor stock nor unknown orders can be judged.
    pub at_rest: bool,
    /// Orders that checkout knows.
    pub accepted: u64,
    /// Orders that are done.
    pub completed: u64,
    /// Orders that were undone.
    pub compensated: u64,
    /// Orders that wait for a person.
    pub dead_lettered: u64,
    /// Orders whose undoing failed; they wait for a person.
    pub stuck: u64,
    /// Orders under way or, where there are none, messages under way; never 0 while something moves.
    pub in_flight: u64,
    /// Orders that nobody can account for.
    pub lost: u64,
    /// Final orders that lack an effect, or the undoing of one.
    pub incomplete: u64,
    /// Orders with an effect too many.
    pub doubled: u64,
    /// Orders that checkout does not know and services worked for, and effects of kinds that the audit does not know.
    pub unknown: u64,
    /// Rows of stock, and orders, whose units do not add up.
    pub drifts: u64,
    /// Whether every unit is accounted for; never so while something moves.
    pub stock_ok: bool,
    /// Whether all is well.
    pub ok: bool,
    /// Rows in the log of each service.
    pub effects: BTreeMap<&'static str, u64>,
    /// Rows in all of them.
    pub effects_total: u64,
    /// Where messages are.
    pub places: Vec<Place>,
    /// How many findings there are.
    pub findings_total: u64,
    /// Of each subject the first [`FINDINGS_OF_ONE_KIND_MAX`], in order of their names.
    pub findings: Vec<Finding>,
    #[serde(skip)]
    listed: BTreeMap<Subject, usize>,
}

impl Books {
    /// Draws the sum. `at_rest`: [`super::Look::confirms`] held for the reading that these books are; `sample`: the
    /// figures that go with it.
    #[must_use]
    pub fn report(&self, sample: &Sample, at_rest: bool) -> Report {
        let mut report = Report {
            at_rest,
            places: sample.busy().collect(),
            effects: Service::ALL
                .map(|service| (service.name(), self.effects_of(service)))
                .into(),
            ..Report::default()
        };
        report.effects_total = report.effects.values().sum();
        let mut orders: Vec<_> = self.orders.iter().collect();
        orders.sort_unstable_by_key(|(id, _)| *id);
        for (id, account) in orders {
            report.count(id, account);
        }
        if at_rest {
            self.stock_and_foreign(&mut report);
        } else if report.in_flight == 0 {
            let messages = report
                .places
                .iter()
                .filter_map(Place::messages)
                .fold(0, u64::saturating_add);
            report.in_flight = messages.max(1);
        }
        report.stock_ok = at_rest && report.drifts == 0;
        report.ok = report.stock_ok
            && [
                report.in_flight,
                report.lost,
                report.incomplete,
                report.doubled,
                report.unknown,
            ] == [0; 5];
        report.findings.sort_by_key(|finding| finding.about);
        report
    }

    fn stock_and_foreign(&self, report: &mut Report) {
        for (sku, warehouse, why) in self.goods.drifts() {
            report.drifts += 1;
            report.find(Subject::Stock, &format!("{sku} in {warehouse}"), why);
        }
        for ((place, kind), count) in &self.foreign {
            report.unknown += count;
            report.find(
                Subject::Unknown,
                place,
                format!("{count} rows of the unknown kind {kind:?}"),
            );
        }
    }
}

impl Report {
    fn count(&mut self, id: &str, account: &Account) {
        let Some(state) = account.state else {
            return self.count_stranger(id, account);
        };
        self.accepted += 1;
        match state.standing() {
            Standing::Completed => self.completed += 1,
            Standing::Compensated => self.compensated += 1,
            Standing::DeadLettered => self.dead_lettered += 1,
            Standing::Stuck => self.stuck += 1,
            Standing::Unfinished(why) if self.at_rest => {
                self.lost += 1;
                self.find(Subject::Lost, id, why.to_owned());
            }
            Standing::Unfinished(_) => self.in_flight += 1,
        }
        let judgement = Judgement::of(account, self.at_rest);
        if !judgement.lacks.is_empty() {
            self.incomplete += 1;
            self.find(Subject::Incomplete, id, judgement.lacks.join("; "));
        }
        if !judgement.excess.is_empty() {
            self.doubled += 1;
            self.find(Subject::Doubled, id, judgement.excess.join("; "));
        }
        if let (Some(why), true) = (judgement.goods, self.at_rest) {
            self.drifts += 1;
            self.find(Subject::Stock, id, why);
        }
    }

    fn count_stranger(&mut self, id: &str, account: &Account) {
        if account.promised {
            // A 202 means that checkout has it written down, whatever else moves.
            self.lost += 1;
            self.find(
                Subject::Lost,
                id,
                "checkout promised to process it and does not know it".to_owned(),
            );
        } else if self.at_rest && (account.has_marks() || account.goods.reserved) {
            self.unknown += 1;
            self.find(
                Subject::Unknown,
                id,
                "services worked for it and checkout does not know it".to_owned(),
            );
        }
    }

    fn find(&mut self, about: Subject, name: &str, why: String) {
        self.findings_total += 1;
        let listed = self.listed.entry(about).or_default();
        if *listed < FINDINGS_OF_ONE_KIND_MAX {
            *listed += 1;
            self.findings.push(Finding {
                about,
                name: name.to_owned(),
                why,
            });
        }
    }
}
