//! Money as whole minor units of an ISO 4217 currency. No binary floating point comes near it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// Code and number of decimals (ISO 4217) of every currency that is accepted. COP has two decimals by ISO; shops that
/// round to whole pesos may, nothing here does it for them.
const CURRENCIES: &[(&str, u32)] = &[
    ("ARS", 2),
    ("BOB", 2),
    ("BRL", 2),
    ("CLP", 0),
    ("COP", 2),
    ("CRC", 2),
    ("DOP", 2),
    ("EUR", 2),
    ("GTQ", 2),
    ("HNL", 2),
    ("MXN", 2),
    ("NIO", 2),
    ("PAB", 2),
    ("PEN", 2),
    ("PYG", 0),
    ("USD", 2),
    ("UYU", 2),
];

/// An accepted currency.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "&'static str")]
pub struct Currency {
    code: &'static str,
    decimals: u32,
}

/// Why a text is no amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMoney {
    /// Not in the table; case matters.
    #[error("unknown currency; an upper-case ISO 4217 code such as MXN or BRL is needed")]
    UnknownCurrency,
    /// Not plain digits with at most one point.
    #[error("must be a plain decimal number such as 28500.00, without exponent")]
    NotDecimal,
    /// More decimals than the currency has.
    #[error("{currency} has {decimals} decimals")]
    TooFine {
        /// The currency in question.
        currency: &'static str,
        /// How many decimals it has.
        decimals: u32,
    },
    /// Beyond what 64 bits of minor units hold.
    #[error("too large")]
    TooLarge,
}

impl Currency {
    /// Looks up an ISO 4217 code.
    ///
    /// # Errors
    ///
    /// [`InvalidMoney::UnknownCurrency`].
    pub fn parse(code: &str) -> Result<Self, InvalidMoney> {
        CURRENCIES
            .iter()
            .find(|(known, _)| *known == code)
            .map(|&(code, decimals)| Self { code, decimals })
            .ok_or(InvalidMoney::UnknownCurrency)
    }

    /// The ISO 4217 code.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.code
    }
}

impl From<Currency> for &'static str {
    fn from(currency: Currency) -> Self {
        currency.code
    }
}

// By hand: the derive would ask for input that lives as long as the table.
impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

/// An amount, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Money {
    minor: i64,
    currency: Currency,
}

impl Money {
    /// Reads the digits as written: `28500.00` MXN is 2,850,000 centavos. Decimals beyond the currency's own must be
    /// zero (`12990.0` CLP is exact, `12990.5` is refused, never rounded).
    ///
    /// # Errors
    ///
    /// See [`InvalidMoney`].
    pub fn parse(digits: &str, currency: Currency) -> Result<Self, InvalidMoney> {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !plain(whole) || !plain(fraction) {
            return Err(InvalidMoney::NotDecimal);
        }
        let fraction = fraction.trim_end_matches('0');
        let missing = (currency.decimals as usize)
            .checked_sub(fraction.len())
            .ok_or(InvalidMoney::TooFine {
                currency: currency.code,
                decimals: currency.decimals,
            })?;
        let minor = format!("{whole}{fraction}{}", "0".repeat(missing));
        let minor = minor.parse().map_err(|_| InvalidMoney::TooLarge)?;
        Ok(Self { minor, currency })
    }

    /// `minor` units of `currency`; `None` below zero.
    #[must_use]
    pub fn from_minor(minor: i64, currency: Currency) -> Option<Self> {
        (minor >= 0).then_some(Self { minor, currency })
    }

    /// The amount in the currency's smallest unit.
    #[must_use]
    pub fn minor(self) -> i64 {
        self.minor
    }

    /// What it is an amount of.
    #[must_use]
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// Both together; `None` when the currencies differ or the sum does not fit.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let same = self.currency == other.currency;
        let minor = self.minor.checked_add(other.minor).filter(|_| same)?;
        Some(Self { minor, ..self })
    }

    /// `count` times the amount; `None` when it does not fit.
    #[must_use]
    pub fn times(self, count: u32) -> Option<Self> {
        let minor = self.minor.checked_mul(i64::from(count))?;
        Some(Self { minor, ..self })
    }

    /// The amount as decimal digits with just the currency's decimals: `28500.00`.
    #[must_use]
    pub fn digits(self) -> String {
        let decimals = self.currency.decimals as usize;
        let text = format!("{:0>width$}", self.minor, width = decimals + 1);
        let (whole, fraction) = text.split_at(text.len() - decimals);
        if fraction.is_empty() {
            whole.to_owned()
        } else {
            format!("{whole}.{fraction}")
        }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.digits(), self.currency.code)
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(digits: &str, code: &str) -> Result<Money, InvalidMoney> {
        Money::parse(digits, Currency::parse(code)?)
    }

    #[test]
    fn digits_are_read_as_written() {
        for (digits, code, minor) in [
            ("28500.00", "MXN", 2_850_000),
            ("1.15", "BRL", 115),
            ("8.20", "BRL", 820),
            ("4.35", "BRL", 435),
            ("189.9", "BRL", 18_990),
            ("12990", "CLP", 12_990),
            ("12990.0", "CLP", 12_990),
            ("0.05", "PEN", 5),
            ("0", "MXN", 0),
        ] {
            assert_eq!(money(digits, code).unwrap().minor(), minor, "{digits} {code}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for digits in ["", ".5", "5.", "1e3", "-1", "+1", "1,5", "NaN", "1.2.3"] {
            assert_eq!(money(digits, "MXN"), Err(InvalidMoney::NotDecimal), "{digits}");
        }
        assert!(matches!(money("12990.50", "CLP"), Err(InvalidMoney::TooFine { .. })));
        assert!(matches!(money("1.005", "MXN"), Err(InvalidMoney::TooFine { .. })));
        assert_eq!(money("99999999999999999999", "MXN"), Err(InvalidMoney::TooLarge));
        assert_eq!(money("1", "mxn"), Err(InvalidMoney::UnknownCurrency));
    }

    #[test]
    fn digits_come_back_with_the_currencys_decimals() {
        assert_eq!(money("5", "MXN").unwrap().digits(), "5.00");
        assert_eq!(money("0.05", "MXN").unwrap().digits(), "0.05");
        assert_eq!(money("145000", "PYG").unwrap().to_string(), "145000 PYG");
    }
}
