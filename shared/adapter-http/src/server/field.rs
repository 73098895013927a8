//! Fields of a request, one rule each. What breaks a rule is answered with a problem that names the field.

use std::ops::RangeInclusive;

use contracts::limits::TEXT_LENGTH_MAX;
use contracts::problem::Kind;
use pipeline::id::{self, Generation, Id};

use super::{Answer, Failure};

/// The highest generation: as far as the stores' column goes.
const GENERATION_MAX: u32 = i32::MAX.unsigned_abs();

/// A field whose value the rules refuse; `reason` says what would be right.
pub fn refused(field: impl Into<String>, reason: impl Into<String>) -> Failure {
    Failure::from(Kind::Invalid.problem(reason).about(field))
}

/// An id.
///
/// # Errors
///
/// A problem that names `field`.
pub fn id<K: id::Kind>(field: &str, text: &str) -> Answer<Id<K>> {
    Id::parse(text).map_err(|error| refused(field, error.to_string()))
}

/// A generation: 1 or more.
///
/// # Errors
///
/// A problem that names `field`.
pub fn generation(field: &str, number: u32) -> Answer<Generation> {
    within(field, number, 1..=GENERATION_MAX).map(Generation)
}

/// A count or an amount within bounds.
///
/// # Errors
///
/// A problem that names `field` and the bounds.
pub fn within(field: &str, number: u32, bounds: RangeInclusive<u32>) -> Answer<u32> {
    let (least, most) = bounds.clone().into_inner();
    let fits = bounds.contains(&number);
    fits.then_some(number)
        .ok_or_else(|| refused(field, format!("{number}; {least} to {most} are accepted")))
}

/// A list of 1 to `most` elements.
///
/// # Errors
///
/// A problem that names `field` and the bounds.
pub fn list<'a, T>(field: &str, elements: &'a [T], most: usize) -> Answer<&'a [T]> {
    let count = elements.len();
    let fits = (1..=most).contains(&count);
    fits.then_some(elements)
        .ok_or_else(|| refused(field, format!("{count} elements; 1 to {most} are accepted")))
}

/// A country: two upper-case letters.
///
/// # Errors
///
/// A problem that names `field`.
pub fn country<'a>(field: &str, text: &'a str) -> Answer<&'a str> {
    let plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    plain
        .then_some(text)
        .ok_or_else(|| refused(field, "must be two upper-case letters (ISO 3166-1), such as MX"))
}

/// A text of a person: not blank, of bounded length, without control characters.
///
/// # Errors
///
/// A problem that names `field`.
pub fn text<'a>(field: &str, text: &'a str) -> Answer<&'a str> {
    let fits = (1..=TEXT_LENGTH_MAX).contains(&text.chars().count());
    let plain = fits && !text.trim().is_empty() && !text.chars().any(char::is_control);
    plain.then_some(text).ok_or_else(|| {
        let reason = format!("must be 1 to {TEXT_LENGTH_MAX} characters, not all blank, without control characters");
        refused(field, reason)
    })
}

#[cfg(test)]
mod tests {
    use pipeline::id::OrderId;

    use super::*;

    fn named<T>(answer: Answer<T>) -> Option<String> {
        answer.err().and_then(|failure| failure.0.field)
    }

    #[test]
    fn what_breaks_a_rule_is_named() {
        assert_eq!(named::<OrderId>(id("order_id", "a b")).as_deref(), Some("order_id"));
        assert_eq!(named(generation("generation", 0)).as_deref(), Some("generation"));
        assert_eq!(named(generation("generation", u32::MAX)).as_deref(), Some("generation"));
        assert_eq!(named(list::<u8>("items", &[], 3)).as_deref(), Some("items"));
        assert_eq!(named(list("items", &[0; 4], 3)).as_deref(), Some("items"));
        for bad in ["mx", "MEX", "M", "Ñ"] {
            assert_eq!(named(country("country", bad)).as_deref(), Some("country"), "{bad}");
        }
        for bad in ["", "  ", "a\nb", &"x".repeat(201)] {
            assert_eq!(named(text("city", bad)).as_deref(), Some("city"), "{bad:?}");
        }
    }

    #[test]
    fn what_keeps_the_rules_passes() {
        assert_eq!(generation("generation", 1).unwrap(), Generation(1));
        assert_eq!(country("country", "MX").unwrap(), "MX");
        assert_eq!(text("city", &"ñ".repeat(200)).unwrap().chars().count(), 200);
        assert_eq!(list("items", &[0; 3], 3).unwrap().len(), 3);
    }
}
