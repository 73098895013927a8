//! Business days: Monday to Friday. Public holidays count as business days here.

use time::{Date, OffsetDateTime, UtcOffset, Weekday};

/// The day in a place whose clocks are `utc_offset_h` hours ahead of UTC.
#[must_use]
pub fn local_day(now: OffsetDateTime, utc_offset_h: i8) -> Date {
    let offset = UtcOffset::from_hms(utc_offset_h, 0, 0).unwrap_or(UtcOffset::UTC);
    now.to_offset(offset).date()
}

/// The day that is `days` business days after `start`; `None` at the end of the calendar. On a weekend the count begins
/// with Monday.
#[must_use]
pub fn after_business_days(start: Date, days: u8) -> Option<Date> {
    let mut day = start;
    for _ in 0..days {
        day = day.next_day()?;
        while matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            day = day.next_day()?;
        }
    }
    Some(day)
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn weekends_do_not_count() {
        let tuesday = date!(2026 - 04 - 07);
        for (days, expected) in [
            (0, date!(2026 - 04 - 07)),
            (2, date!(2026 - 04 - 09)),
            (3, date!(2026 - 04 - 10)),
            (4, date!(2026 - 04 - 13)),
            (8, date!(2026 - 04 - 17)),
            (9, date!(2026 - 04 - 20)),
        ] {
            assert_eq!(after_business_days(tuesday, days), Some(expected), "{days}");
        }
        for weekend in [date!(2026 - 04 - 11), date!(2026 - 04 - 12)] {
            assert_eq!(after_business_days(weekend, 1), Some(date!(2026 - 04 - 13)));
        }
    }

    #[test]
    fn the_day_is_that_of_the_place() {
        let now = datetime!(2026-07-16 05:40 UTC);
        assert_eq!(local_day(now, -6), date!(2026 - 07 - 15));
        assert_eq!(local_day(now, -3), date!(2026 - 07 - 16));
    }

    #[test]
    fn the_calendar_has_an_end() {
        assert_eq!(after_business_days(Date::MAX, 1), None);
    }
}
