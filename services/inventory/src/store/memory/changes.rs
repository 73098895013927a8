//! What requests do, each with everything held alone.

use adapter_http::server::{Outcome, StoreError, Stored};
use adapter_postgres::service::{Scope, Taken as Key};
use contracts::inventory::{CloseAnswer, DeliveryAnswer, MOVEMENT_COMMIT, MOVEMENT_RESERVE, ReserveAnswer};
use pipeline::id::{Id, OrderId};
use time::OffsetDateTime;

use super::Kept;
use crate::delivery::Delivery;
use crate::judgement::{Course, Verdict, of_commit, of_reserve};
use crate::plan::plan;
use crate::reservation::{Ending, KEEPER, Status};
use crate::store::told::{self, Ended};
use crate::store::{Close, Commit, Failed, Refusal, Reserve};

const RESERVING: &str = "reserving";

impl Kept {
    pub(super) fn reserve(
        &mut self,
        scope: Scope<'_>,
        reserve: &Reserve,
        now: OffsetDateTime,
    ) -> Result<Outcome, Failed> {
        let (order, generation) = (reserve.order.as_str(), reserve.generation.0.cast_signed());
        let key = self.ledger.take_unless_closed(scope, order, generation);
        let held = self.orders.holding(&reserve.order).map(|found| found.held.clone());
        match of_reserve(key, held, reserve) {
            Course::Tell(outcome) => Ok(outcome),
            Course::Find(held) => {
                let goods = self
                    .orders
                    .holding(&reserve.order)
                    .map(|found| told::lines(&found.goods));
                let answer = told::confirmed(held.id.to_string(), held.expires_at, goods.unwrap_or_default());
                Ok(Outcome::Done(stored(&answer)?))
            }
            Course::Take { forget, ran_out } => {
                let answer = self.take(reserve, ran_out.is_some(), now)?;
                let stored = stored(&answer)?;
                if forget {
                    self.ledger.forget(scope);
                }
                let effects = [told::confirmation(reserve, &answer)];
                self.ledger.keep(scope, &stored.body, &effects, now);
                Ok(Outcome::Done(stored))
            }
        }
    }

    /// Takes the goods of an order that holds none, once what it holds past its time has ended. A refusal changes
    /// nothing.
    fn take(&mut self, reserve: &Reserve, ran_out: bool, now: OffsetDateTime) -> Result<ReserveAnswer, Failed> {
        let held = self.orders.holding(&reserve.order).filter(|_| ran_out);
        let back = held.map(|held| held.goods.clone()).unwrap_or_default();
        self.house.put_back(&back);
        let planned = plan(&reserve.wanted, &self.house.survey(&reserve.wanted));
        self.house.take_off(&back);
        let goods = planned?;
        let id = self.orders.next_id(reserve.reserved_at.year());
        let parsed = Id::parse(&id).map_err(|error| strange(error.into()))?;
        if ran_out {
            self.end(&reserve.order, Ending::Expire, KEEPER, now);
        }
        self.house.take_off(&goods);
        self.house.log(MOVEMENT_RESERVE, &goods, &reserve.order, now);
        let lines = told::lines(&goods);
        self.orders.add(reserve, parsed, goods);
        Ok(told::confirmed(id, reserve.expires_at, lines))
    }

    pub(super) fn commit(&mut self, scope: Scope<'_>, commit: &Commit, now: OffsetDateTime) -> Result<Outcome, Failed> {
        let (order, generation) = (commit.order.as_str(), commit.generation.0.cast_signed());
        match self.ledger.take_unless_closed(scope, order, generation) {
            None => Ok(Outcome::Superseded),
            Some(Key::Reused) => Ok(Outcome::KeyReused),
            Some(Key::InProgress) => Ok(Outcome::InProgress),
            Some(Key::Repeat(body)) => Ok(Outcome::Done(Stored { body, replayed: true })),
            Some(Key::Fresh) => self.commit_anew(scope, commit, now),
        }
    }

    fn commit_anew(&mut self, scope: Scope<'_>, commit: &Commit, now: OffsetDateTime) -> Result<Outcome, Failed> {
        let mut of_order = self.orders.of(&commit.order).iter();
        let found =
            of_order.find(|found| found.held.id == commit.reservation && found.held.generation == commit.generation);
        let place = found.map(|found| (found.held.status, found.held.expires_at));
        match of_commit(place, commit.committed_at) {
            Verdict::Refuse(refusal) => Err(refusal.into()),
            Verdict::Committed => Ok(Outcome::Done(stored(&told::committed(commit))?)),
            Verdict::Expire => {
                self.end(&commit.order, Ending::Expire, KEEPER, now);
                Err(Refusal::ReservationExpired.into())
            }
            Verdict::Commit => {
                let stored = stored(&told::committed(commit))?;
                let parts = found.map(super::orders::Reservation::parts).unwrap_or_default();
                let goods = found.map(|found| found.goods.clone()).unwrap_or_default();
                self.orders.set(&commit.order, Status::Live, Status::Committed);
                self.house.log(MOVEMENT_COMMIT, &goods, &commit.order, now);
                let effects = [told::commitment(commit, parts)];
                self.ledger.keep(scope, &stored.body, &effects, now);
                Ok(Outcome::Done(stored))
            }
        }
    }

    pub(super) fn close(&mut self, caller: &str, close: &Close, now: OffsetDateTime) -> CloseAnswer {
        self.ledger
            .close(close.order.as_str(), close.generation.0.cast_signed());
        let held = self.orders.holding(&close.order).map(|found| &found.held);
        let held = held.filter(|held| held.generation <= close.generation);
        if let Some(ending) = held.and_then(|held| held.status.closing(held.expires_at, close.closed_at)) {
            self.end(&close.order, ending, caller, now);
        }
        let closed = self.orders.of(&close.order).iter();
        let closed = closed.filter(|found| found.held.generation <= close.generation);
        told::closed(
            close,
            closed.map(|found| (found.held.id.to_string(), found.held.status)),
        )
    }

    pub(super) fn expire(&mut self, now: OffsetDateTime, most: u32) -> u32 {
        let due = self.orders.due(now, usize::try_from(most).unwrap_or(usize::MAX));
        for order in &due {
            self.end(order, Ending::Expire, KEEPER, now);
        }
        u32::try_from(due.len()).unwrap_or(most)
    }

    /// Ends what the order holds, with its movements and its effect.
    fn end(&mut self, order: &OrderId, ending: Ending, caller: &str, now: OffsetDateTime) {
        let held = self.orders.holding(order);
        let Some(held) = held.filter(|held| held.held.status == ending.from()).cloned() else {
            return;
        };
        self.orders.set(order, ending.from(), ending.to());
        self.house.put_back(&held.goods);
        self.house.log(ending.movement(), &held.goods, order, now);
        let ended = Ended {
            parts: held.parts(),
            generation: held.held.generation.0.cast_signed(),
            id: held.held.id,
            order: order.clone(),
        };
        self.ledger.log(ending.by(caller), &[ended.effect(ending)], now);
    }

    pub(super) fn receive(&mut self, delivery: &Delivery, now: OffsetDateTime) -> Result<DeliveryAnswer, Failed> {
        let known = self.deliveries.get(&delivery.id);
        if known.is_some_and(|content| *content != delivery.content) {
            return Err(Refusal::AlreadyDelivered.into());
        }
        let already_counted = known.is_some();
        if !already_counted {
            self.house.can_take(&delivery.rows)?;
            self.house.take_in(&delivery.rows, now);
            self.deliveries.insert(delivery.id.clone(), delivery.content);
        }
        Ok(DeliveryAnswer {
            delivery_id: delivery.id.to_string(),
            rows: delivery.rows_sent,
            units: delivery.units,
            already_counted,
        })
    }
}

fn stored(answer: &impl serde::Serialize) -> Result<Stored, StoreError> {
    Stored::fresh(answer).map_err(|error| strange(error.into()))
}

fn strange(source: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    StoreError::Unavailable {
        doing: RESERVING,
        source,
    }
}
