//! Languages that customers read.

/// A language that every template is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// English.
    English,
}

/// Where most people read Spanish (ISO 3166-1 alpha-2).
const SPANISH: [&str; 21] = [
    "AR", "BO", "CL", "CO", "CR", "CU", "DO", "EC", "ES", "GQ", "GT", "HN", "MX", "NI", "PA", "PE", "PR", "PY", "SV",
    "UY", "VE",
];

/// Where most people read Portuguese.
const PORTUGUESE: [&str; 8] = ["AO", "BR", "CV", "GW", "MZ", "PT", "ST", "TL"];

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Spanish, Self::Portuguese, Self::English];

    /// Its ISO 639-1 code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Spanish => "es",
            Self::Portuguese => "pt",
            Self::English => "en",
        }
    }

    /// By its [`Language::code`].
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// What a customer reads of whom nothing is known but the country that the order goes to, if that.
    #[must_use]
    pub fn of_country(country: Option<&str>) -> Self {
        match country {
            Some(country) if PORTUGUESE.contains(&country) => Self::Portuguese,
            Some(country) if SPANISH.contains(&country) => Self::Spanish,
            _ => Self::English,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_has_a_language() {
        for (country, language) in [
            (Some("BR"), Language::Portuguese),
            (Some("MX"), Language::Spanish),
            (Some("PE"), Language::Spanish),
            (Some("US"), Language::English),
            (None, Language::English),
        ] {
            assert_eq!(Language::of_country(country), language, "{country:?}");
        }
    }

    #[test]
    fn a_language_is_found_by_its_code() {
        for language in Language::ALL {
            assert_eq!(Language::parse(language.code()), Some(language));
        }
        assert_eq!(Language::parse("ES"), None);
    }
}
