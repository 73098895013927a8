//! Failures in words.

use std::error::Error;
use std::fmt::Write as _;

/// Longest text that is taken over from others, in characters.
const TEXT_CHARACTERS_MAX: usize = 600;

/// An error with all its causes, on one line.
pub(crate) fn told(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let said = cause.to_string();
        // Some errors repeat their cause in their own words.
        if !text.contains(&said) {
            let _ = write!(text, ": {said}");
        }
        below = cause.source();
    }
    one_line(&text)
}

/// Text from elsewhere as it may be shown: one line, bounded, no control characters.
pub(crate) fn one_line(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.take(TEXT_CHARACTERS_MAX).collect()
}

/// Keeps a failure that repeats from filling the log: it is worth a line when it is new, and then each time that the
/// count of its repeats has doubled.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    last: String,
    count: u64,
}

impl Repeats {
    /// How often `failure` has come in a row, if that is worth a line.
    pub(crate) fn note(&mut self, failure: &str) -> Option<u64> {
        if self.last != failure {
            failure.clone_into(&mut self.last);
            self.count = 0;
        }
        self.count += 1;
        self.count.is_power_of_two().then_some(self.count)
    }

    /// It is over.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_with_its_causes_once_each() {
        #[derive(Debug, thiserror::Error)]
        #[error("opening a channel failed")]
        struct Outer(#[source] Inner);
        #[derive(Debug, thiserror::Error)]
        #[error("IO error: {0}")]
        struct Inner(#[source] std::io::Error);
        let error = Outer(Inner(std::io::Error::other("broken\npipe")));
        assert_eq!(told(&error), "opening a channel failed: IO error: broken pipe");
    }

    #[test]
    fn a_repeating_failure_is_logged_ever_more_seldom_and_a_new_one_at_once() {
        let mut repeats = Repeats::default();
        let logged = (1..=1000).filter(|_| repeats.note("down").is_some()).count();
        assert_eq!(logged, 10);
        assert_eq!(repeats.note("other"), Some(1));
        repeats.forget();
        assert_eq!(repeats.note("other"), Some(1));
    }
}
