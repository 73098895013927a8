//! What a request comes to, from its key and from what the order has: the decisions behind reserve and commit, before
//! any stock is looked at. The same for every store.

use adapter_http::server::{Outcome, Stored};
use adapter_postgres::service::Taken as Key;
use contracts::inventory::ReserveAnswer;
use time::OffsetDateTime;

use crate::reservation::{Held, Status};
use crate::store::{Refusal, Reserve};

/// What a reserve comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Course {
    /// This is the answer.
    Tell(Outcome),
    /// What the order holds is the answer.
    Find(Held),
    /// Goods are to be taken.
    Take {
        /// The key has an answer that counts no more: its reservation is gone.
        forget: bool,
        /// What the order holds past its time, which is to end first.
        ran_out: Option<Held>,
    },
}

/// What a reserve comes to, with its key (`None` where the generation is closed) and what the order holds.
///
/// A stored answer counts while its reservation holds goods. Else the key is judged as if it were new.
#[must_use]
pub fn of_reserve(key: Option<Key>, held: Option<Held>, reserve: &Reserve) -> Course {
    let stored = match key {
        None => return Course::Tell(Outcome::Superseded),
        Some(Key::Reused) => return Course::Tell(Outcome::KeyReused),
        Some(Key::InProgress) => return Course::Tell(Outcome::InProgress),
        Some(Key::Fresh) => None,
        Some(Key::Repeat(body)) => Some(body),
    };
    let stands = |held: &Held| !held.status.ran_out(held.expires_at, reserve.reserved_at);
    let Some(standing) = held.clone().filter(stands) else {
        return Course::Take {
            forget: stored.is_some(),
            ran_out: held,
        };
    };
    match stored {
        Some(body) if is_of(&body, &standing) => Course::Tell(Outcome::Done(Stored { body, replayed: true })),
        Some(_) | None => beside(standing, reserve),
    }
}

/// Whether this stored answer is of this reservation.
fn is_of(body: &str, held: &Held) -> bool {
    let answer = serde_json::from_str::<ReserveAnswer>(body);
    answer.is_ok_and(|answer| answer.reservation_id == held.id.as_str())
}

/// What a reserve comes to beside a reservation that holds goods.
fn beside(held: Held, reserve: &Reserve) -> Course {
    let (order, id) = (&reserve.order, &held.id);
    if held.generation != reserve.generation {
        let generation = held.generation.0;
        return Course::Tell(Outcome::Exists(format!(
            "{order} holds {id} of generation {generation}"
        )));
    }
    if held.content != reserve.wanted.content() {
        return Course::Tell(Outcome::Exists(format!("{order} holds {id} for other goods")));
    }
    Course::Find(held)
}

/// What a commit comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The reservation is to become final.
    Commit,
    /// It is final already.
    Committed,
    /// It ran out and is to end.
    Expire,
    /// It is not to be.
    Refuse(Refusal),
}

/// What a commit comes to where the order and generation have this reservation.
#[must_use]
pub fn of_commit(found: Option<(Status, OffsetDateTime)>, now: OffsetDateTime) -> Verdict {
    match found {
        Some((status, expires_at)) if status.ran_out(expires_at, now) => Verdict::Expire,
        Some((Status::Live, _)) => Verdict::Commit,
        Some((Status::Committed, _)) => Verdict::Committed,
        Some((Status::Expired, _)) => Verdict::Refuse(Refusal::ReservationExpired),
        // Only a close releases and returns, and its tombstone is met first.
        Some((Status::Released | Status::Returned, _)) | None => Verdict::Refuse(Refusal::UnknownReservation),
    }
}

#[cfg(test)]
mod tests {
    use contracts::inventory::Demand;
    use pipeline::id::{Generation, OrderId, ReservationId};
    use time::Duration;
    use time::macros::datetime;

    use super::*;
    use crate::wanted::Wanted;

    const NOW: OffsetDateTime = datetime!(2026-04-07 14:32:15 UTC);

    fn reserve(generation: u32, qty: u32) -> Reserve {
        let item = Demand {
            sku: "A".to_owned(),
            qty,
            warehouse: None,
        };
        Reserve {
            order: OrderId::parse("ORD-1").unwrap(),
            generation: Generation(generation),
            wanted: Wanted::parse("MX", &[item]).unwrap(),
            reserved_at: NOW,
            expires_at: NOW + Duration::hours(1),
        }
    }

    fn held(id: &str, generation: u32, status: Status, expires_at: OffsetDateTime) -> Held {
        Held {
            id: ReservationId::parse(id).unwrap(),
            generation: Generation(generation),
            status,
            content: reserve(generation, 1).wanted.content(),
            expires_at,
        }
    }

    fn stored(id: &str) -> String {
        format!(r#"{{"reservation_id":"{id}","status":"confirmed","expires_at":"2026-04-07T15:32:15Z","lines":[]}}"#)
    }

    #[test]
    fn a_stored_answer_counts_while_its_reservation_holds_goods() {
        let course = |held| of_reserve(Some(Key::Repeat(stored("R-1"))), held, &reserve(1, 1));
        let replayed = Outcome::Done(Stored {
            body: stored("R-1"),
            replayed: true,
        });
        for (status, expires_at) in [(Status::Live, NOW + Duration::SECOND), (Status::Committed, NOW)] {
            assert_eq!(
                course(Some(held("R-1", 1, status, expires_at))),
                Course::Tell(replayed.clone())
            );
        }
        let (forget, gone) = (true, held("R-1", 1, Status::Live, NOW));
        assert_eq!(course(None), Course::Take { forget, ran_out: None });
        let ran_out = Some(gone.clone());
        assert_eq!(course(Some(gone)), Course::Take { forget, ran_out });
        let later = held("R-2", 1, Status::Committed, NOW);
        assert_eq!(course(Some(later.clone())), Course::Find(later));
    }

    #[test]
    fn an_order_holds_one_reservation_and_finds_it_by_generation_and_goods() {
        let live = held("R-1", 1, Status::Live, NOW + Duration::SECOND);
        let course = |reserve| of_reserve(Some(Key::Fresh), Some(live.clone()), &reserve);
        assert_eq!(course(reserve(1, 1)), Course::Find(live.clone()));
        for other in [reserve(2, 1), reserve(1, 2)] {
            let told = course(other);
            assert!(matches!(told, Course::Tell(Outcome::Exists(_))), "{told:?}");
        }
        let ran_out = Some(held("R-1", 1, Status::Live, NOW));
        let forget = false;
        assert_eq!(
            of_reserve(Some(Key::Fresh), ran_out.clone(), &reserve(2, 1)),
            Course::Take { forget, ran_out }
        );
    }

    #[test]
    fn a_closed_generation_comes_before_everything() {
        let live = held("R-1", 1, Status::Live, NOW + Duration::SECOND);
        assert_eq!(
            of_reserve(None, Some(live), &reserve(1, 1)),
            Course::Tell(Outcome::Superseded)
        );
    }

    #[test]
    fn a_commit_after_the_last_moment_is_refused_whoever_noticed() {
        let later = NOW + Duration::SECOND;
        assert_eq!(of_commit(Some((Status::Live, later)), NOW), Verdict::Commit);
        assert_eq!(of_commit(Some((Status::Live, NOW)), NOW), Verdict::Expire);
        let refused = Verdict::Refuse(Refusal::ReservationExpired);
        assert_eq!(of_commit(Some((Status::Expired, NOW)), NOW), refused);
        assert_eq!(of_commit(Some((Status::Committed, NOW)), later), Verdict::Committed);
        assert_eq!(of_commit(None, NOW), Verdict::Refuse(Refusal::UnknownReservation));
    }
}
