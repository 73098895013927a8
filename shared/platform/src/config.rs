//! Settings come as text from a [`Source`]; only `config.rs` files parse them.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

/// Where settings come from.
pub trait Source {
    /// The setting's text, where it is set.
    fn get(&self, name: &str) -> Option<String>;
}

/// The process environment.
#[derive(Debug, Clone, Copy)]
pub struct Environment;

impl Source for Environment {
    fn get(&self, name: &str) -> Option<String> {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

impl Source for BTreeMap<&str, &str> {
    fn get(&self, name: &str) -> Option<String> {
        BTreeMap::get(self, name).map(|&value| value.to_owned())
    }
}

/// Everything that is wrong with the settings at once, not just the first thing. Never shows a value: it may be secret.
#[derive(Debug, thiserror::Error)]
#[error("invalid configuration:\n  {}", .0.join("\n  "))]
pub struct ConfigError(Vec<String>);

/// Reads settings and collects what is wrong with them.
pub struct Reader<'a> {
    source: &'a dyn Source,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader of `source`.
    #[must_use]
    pub fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            problems: vec![],
        }
    }

    /// The setting; a missing or bad one is noted and gives `None`.
    pub fn required<T: FromStr<Err: Display>>(&mut self, name: &str) -> Option<T> {
        let text = self.source.get(name);
        if text.is_none() {
            self.problems.push(format!("{name}: required"));
        }
        self.parse(name, &text?)
    }

    /// The setting, or `default` where it is not set; a bad one is noted and gives `None`.
    pub fn with_default<T: FromStr<Err: Display>>(&mut self, name: &str, default: T) -> Option<T> {
        match self.source.get(name) {
            Some(text) => self.parse(name, &text),
            None => Some(default),
        }
    }

    fn parse<T: FromStr<Err: Display>>(&mut self, name: &str, text: &str) -> Option<T> {
        let parsed = text.parse();
        parsed
            .map_err(|error| self.problems.push(format!("{name}: {error}")))
            .ok()
    }

    /// The finished configuration.
    ///
    /// # Errors
    ///
    /// All problems noted so far, if any.
    pub fn finish<T>(self, config: Option<T>) -> Result<T, ConfigError> {
        match config {
            Some(config) if self.problems.is_empty() => Ok(config),
            _ => Err(ConfigError(self.problems)),
        }
    }
}

/// A text that must not be shown: `Debug` and `Display` print stars.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_told_at_once_and_no_value_is_shown() {
        let source = BTreeMap::from([("A", "not-a-number"), ("C", "7")]);
        let mut reader = Reader::new(&source);
        let a = reader.required::<u16>("A");
        let b = reader.required::<u16>("B");
        let c = reader.with_default("C", 1_u16);
        let d = reader.with_default("D", 9_u16);
        assert_eq!((a, b, c, d), (None, None, Some(7), Some(9)));
        let told = reader.finish(Some(())).unwrap_err().to_string();
        assert!(told.contains("A:") && told.contains("B: required"), "{told}");
        assert!(!told.contains("not-a-number"), "{told}");
    }

    #[test]
    fn a_secret_prints_as_stars() {
        let secret: Secret = "S3cret".parse().unwrap();
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
    }
}
