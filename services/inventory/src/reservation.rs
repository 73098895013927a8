//! The life of a reservation: live, then committed; it may end out of either, and then its goods are available again.

use contracts::effects::{RESERVATION_EXPIRED, RESERVATION_RELEASED, RESERVATION_RETURNED};
use contracts::inventory::{MOVEMENT_EXPIRE, MOVEMENT_RELEASE, MOVEMENT_RETURN};
use pipeline::id::{Generation, ReservationId};
use time::OffsetDateTime;

/// Who ends a reservation that ran out, in the log of effects: nobody asked for it.
pub const KEEPER: &str = "inventory";

/// Where a reservation is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Holds goods until its time is over.
    Live,
    /// Final: the goods left the house.
    Committed,
    /// Closed while it was live.
    Released,
    /// Ran out.
    Expired,
    /// Closed after it was committed: the goods came back.
    Returned,
}

impl Status {
    const ALL: [Self; 5] = [
        Self::Live,
        Self::Committed,
        Self::Released,
        Self::Expired,
        Self::Returned,
    ];

    /// As it is stored and told.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Committed => "committed",
            Self::Released => "released",
            Self::Expired => "expired",
            Self::Returned => "returned",
        }
    }

    /// The status of this [`Status::name`].
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether a reservation of this status ran out, though nobody may have noticed: its last moment is the one before
    /// `expires_at`.
    #[must_use]
    pub fn ran_out(self, expires_at: OffsetDateTime, now: OffsetDateTime) -> bool {
        self == Self::Live && expires_at <= now
    }

    /// How a close ends a reservation of this status; `None` where it ended before. What ran out has expired, whether
    /// or not somebody noticed in time.
    #[must_use]
    pub fn closing(self, expires_at: OffsetDateTime, now: OffsetDateTime) -> Option<Ending> {
        match self {
            Self::Live if self.ran_out(expires_at, now) => Some(Ending::Expire),
            Self::Live => Some(Ending::Release),
            Self::Committed => Some(Ending::Return),
            Self::Released | Self::Expired | Self::Returned => None,
        }
    }
}

/// How a reservation ends. Its goods are available again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Closed before it was committed.
    Release,
    /// Its time was over.
    Expire,
    /// Closed after it was committed.
    Return,
}

impl Ending {
    /// The status that it ends.
    #[must_use]
    pub fn from(self) -> Status {
        match self {
            Self::Release | Self::Expire => Status::Live,
            Self::Return => Status::Committed,
        }
    }

    /// The status that it leaves.
    #[must_use]
    pub fn to(self) -> Status {
        match self {
            Self::Release => Status::Released,
            Self::Expire => Status::Expired,
            Self::Return => Status::Returned,
        }
    }

    /// The kind of its movements.
    #[must_use]
    pub fn movement(self) -> &'static str {
        match self {
            Self::Release => MOVEMENT_RELEASE,
            Self::Expire => MOVEMENT_EXPIRE,
            Self::Return => MOVEMENT_RETURN,
        }
    }

    /// The kind of its effect.
    #[must_use]
    pub fn effect(self) -> &'static str {
        match self {
            Self::Release => RESERVATION_RELEASED,
            Self::Expire => RESERVATION_EXPIRED,
            Self::Return => RESERVATION_RETURNED,
        }
    }

    /// Who had it end, where `caller` asked for a close.
    #[must_use]
    pub fn by(self, caller: &str) -> &str {
        match self {
            Self::Release | Self::Return => caller,
            Self::Expire => KEEPER,
        }
    }
}

/// A reservation that is live or committed. An order has at most one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its name.
    pub id: ReservationId,
    /// Of which generation of the order.
    pub generation: Generation,
    /// Live or committed.
    pub status: Status,
    /// What it is for; see [`crate::wanted::Wanted::content`].
    pub content: [u8; 32],
    /// When it ends unless committed.
    pub expires_at: OffsetDateTime,
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const ENDS: OffsetDateTime = datetime!(2026-04-07 15:32:15 UTC);

    #[test]
    fn a_status_has_one_name() {
        for status in Status::ALL {
            assert_eq!(Status::parse(status.name()), Some(status));
        }
        assert_eq!(Status::parse("confirmed"), None);
    }

    #[test]
    fn only_a_live_reservation_runs_out_and_does_so_at_its_moment() {
        let before = ENDS - Duration::nanoseconds(1);
        assert!(!Status::Live.ran_out(ENDS, before));
        assert!(Status::Live.ran_out(ENDS, ENDS));
        for status in [Status::Committed, Status::Released, Status::Expired, Status::Returned] {
            assert!(!status.ran_out(ENDS, ENDS + Duration::days(1)), "{status:?}");
        }
    }

    #[test]
    fn a_close_ends_what_holds_goods_and_nothing_else() {
        let before = ENDS - Duration::minutes(1);
        let closing = |status: Status, now| status.closing(ENDS, now).map(|ending| (ending.from(), ending.to()));
        assert_eq!(closing(Status::Live, before), Some((Status::Live, Status::Released)));
        assert_eq!(closing(Status::Live, ENDS), Some((Status::Live, Status::Expired)));
        assert_eq!(
            closing(Status::Committed, ENDS),
            Some((Status::Committed, Status::Returned))
        );
        for ended in [Status::Released, Status::Expired, Status::Returned] {
            assert_eq!(closing(ended, before), None);
        }
    }
}
