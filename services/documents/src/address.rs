//! Where documents are found.

use std::fmt::Display;
use std::str::FromStr;

/// The kinds of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Named by its fiscal id.
    Invoice,
    /// Named by its shipment's tracking number.
    Label,
    /// Named by a fiscal id of its own.
    CreditNote,
}

impl Kind {
    /// As it stands in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::Label => "label",
            Self::CreditNote => "credit_note",
        }
    }

    /// As it stands in addresses.
    #[must_use]
    pub fn segment(self) -> &'static str {
        match self {
            Self::Invoice | Self::Label => self.name(),
            Self::CreditNote => "credit-note",
        }
    }

    /// By its [`Kind::segment`].
    #[must_use]
    pub fn parse(segment: &str) -> Option<Self> {
        [Self::Invoice, Self::Label, Self::CreditNote]
            .into_iter()
            .find(|kind| kind.segment() == segment)
    }
}

/// Where this service is reached from outside, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Box<str>);

/// Nothing that an address can start with.
#[derive(Debug, thiserror::Error)]
#[error("must be http:// or https://, a host, and at most a path; no blanks, query or fragment")]
pub struct BadUrl;

impl FromStr for PublicUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        let rest = text
            .strip_prefix("http://")
            .or_else(|| text.strip_prefix("https://"))
            .ok_or(BadUrl)?;
        let plain =
            |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'"' | b'\\' | b'<' | b'>' | b'@');
        if rest.is_empty() || rest.starts_with('/') || !rest.bytes().all(plain) {
            return Err(BadUrl);
        }
        Ok(Self(text.trim_end_matches('/').into()))
    }
}

impl PublicUrl {
    /// The address of a document. `id` has no character that an address would have to escape.
    #[must_use]
    pub fn of(&self, kind: Kind, id: impl Display) -> String {
        format!("{}/documents/{}/{id}", self.0, kind.segment())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_built_on_the_public_url() {
        for url in ["https://docs.example.com/a", "https://docs.example.com/a/"] {
            let url: PublicUrl = url.parse().unwrap();
            assert_eq!(
                url.of(Kind::Label, "FMX1"),
                "https://docs.example.com/a/documents/label/FMX1"
            );
        }
        for bad in [
            "",
            "docs.example.com",
            "ftp://x",
            "http://",
            "http:///x",
            "http://x?y",
            "http://x y",
            "http://me:pw@x",
        ] {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_kind_is_found_by_its_segment() {
        assert_eq!(Kind::parse("invoice"), Some(Kind::Invoice));
        assert_eq!(Kind::parse("label"), Some(Kind::Label));
        assert_eq!(Kind::parse("credit-note"), Some(Kind::CreditNote));
        assert_eq!(Kind::parse("Label"), None);
    }
}
