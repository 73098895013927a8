//! What the directory knows of a customer.

use crate::language::Language;

/// Longest address, in bytes (RFC 5321).
const EMAIL_LENGTH_MAX: usize = 254;

/// A customer, as the directory knows one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    /// Where e-mail arrives.
    pub email: Option<Email>,
    /// What the customer reads.
    pub language: Language,
}

/// An e-mail address that can stand in a message's header as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Email(Box<str>);

/// No such address.
#[derive(Debug, thiserror::Error)]
#[error("must be one plain address such as name@example.com")]
pub struct BadEmail;

impl Email {
    /// Takes a plain address: no display name, no comment, no list.
    ///
    /// # Errors
    ///
    /// [`BadEmail`].
    pub fn parse(text: &str) -> Result<Self, BadEmail> {
        let (local, domain) = text.split_once('@').ok_or(BadEmail)?;
        let plain =
            |letter: char| !letter.is_control() && !letter.is_whitespace() && !r#""(),:;<>@[\]"#.contains(letter);
        let whole =
            |part: &str| !part.is_empty() && part.chars().all(plain) && part.split('.').all(|atom| !atom.is_empty());
        if text.len() > EMAIL_LENGTH_MAX || !whole(local) || !whole(domain) {
            return Err(BadEmail);
        }
        Ok(Self(text.into()))
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Email {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_plain() {
        for good in ["a@b", "ana.maria+shop@example.com.mx", "ñandú@ejemplo.mx"] {
            assert_eq!(Email::parse(good).unwrap().as_str(), good);
        }
        let long = format!("{}@example.com", "a".repeat(250));
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "a@b@c",
            "a b@c",
            "a@b\r\nBcc: c@d",
            "Ana <a@b>",
            "a@b,c@d",
            "a..b@c",
            "a@b.",
            &long,
        ] {
            assert!(Email::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_address_is_not_shown_in_passing() {
        assert!(!format!("{:?}", Email::parse("ana@example.com")).contains("ana"));
    }
}
