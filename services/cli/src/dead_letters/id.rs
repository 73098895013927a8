//! Naming one dead letter: by its id, or by as much of it as a person cares to type.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;

use adapter_http::client::Api;
use contracts::console::DeadLetterRow;
use contracts::limits::PAGE_ROWS_MAX;
use pipeline::dead_letters::EntryId;

use crate::failure::Failure;
use crate::servers::{Go, Listing, each_row};
use crate::terminal::escape;

/// Digits that a beginning has at least.
const PREFIX_LENGTH_MIN: usize = 6;

/// Digits of a whole id.
const ID_LENGTH: usize = 32;

/// Open dead letters, oldest first, among which a beginning must be the only one of its kind.
const LOOKED_THROUGH_MAX: usize = 1_000;

/// Matches that are named where there are several.
const NAMED_MAX: usize = 5;

/// What a person calls a dead letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Its id.
    Whole(EntryId),
    /// The first digits of it, without hyphens.
    Beginning(String),
}

/// Neither an id nor the beginning of one.
#[derive(Debug, thiserror::Error)]
#[error("must be a dead letter's id, or its first {PREFIX_LENGTH_MIN} or more characters (0-9 a-f -)")]
pub struct NoId;

impl FromStr for Wanted {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        if let Ok(id) = text.parse() {
            return Ok(Self::Whole(id));
        }
        let digits: String = text.chars().filter(|character| *character != '-').collect();
        let fits = (PREFIX_LENGTH_MIN..ID_LENGTH).contains(&digits.len());
        if fits && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self::Beginning(digits.to_ascii_lowercase()))
        } else {
            Err(NoId)
        }
    }
}

/// The dead letter that is meant.
#[derive(Debug)]
pub struct Found {
    /// Its id.
    pub id: EntryId,
    /// What the list says of it, where it had to be looked for.
    pub row: Option<DeadLetterRow>,
}

/// Finds out which dead letter is meant. A whole id is taken as it is: whether there is one is told by who is asked next.
///
/// # Errors
///
/// When there is not just one that begins so.
pub async fn find(api: &Api, wanted: &Wanted) -> Result<Found, Failure> {
    let beginning = match wanted {
        Wanted::Whole(id) => return Ok(Found { id: *id, row: None }),
        Wanted::Beginning(digits) => digits,
    };
    let mut matches: Vec<DeadLetterRow> = vec![];
    let mut seen = 0;
    let mut more = false;
    let open = Listing::new("/dead-letters", BTreeMap::new(), PAGE_ROWS_MAX);
    each_row(api, open, |row: DeadLetterRow| {
        if seen == LOOKED_THROUGH_MAX {
            more = true;
            return Ok(Go::Enough);
        }
        seen += 1;
        if row.id.replace('-', "").starts_with(beginning.as_str()) {
            matches.push(row);
        }
        Ok(Go::On)
    })
    .await?;
    the_one(matches, beginning, more)
}

fn the_one(mut matches: Vec<DeadLetterRow>, beginning: &str, more: bool) -> Result<Found, Failure> {
    if matches.len() > 1 {
        let mut told = format!("{} open dead letters begin with {beginning}:", matches.len());
        for row in matches.iter().take(NAMED_MAX) {
            // Writing to a string cannot fail.
            let _written = write!(told, "\n  {}", escape(&row.id));
        }
        return Err(Failure::Failed(told));
    }
    let among = if more {
        format!("of the first {LOOKED_THROUGH_MAX} open dead letters none")
    } else {
        "no open dead letter".to_owned()
    };
    let row = matches.pop().ok_or_else(|| {
        Failure::Failed(format!(
            "{among} begins with {beginning}; others can be named by their whole id"
        ))
    })?;
    let id = row
        .id
        .parse()
        .map_err(|_| Failure::Failed(format!("console lists an id that is none: {}", escape(&row.id))))?;
    Ok(Found { id, row: Some(row) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "1f2e3d4c-0b7e-5c22-8d53-9f6427aae002";

    #[test]
    fn an_id_is_taken_whole_however_it_is_written() {
        for text in [ID.to_owned(), ID.replace('-', ""), ID.to_uppercase()] {
            let wanted: Wanted = text.parse().unwrap();
            assert_eq!(wanted, Wanted::Whole(ID.parse().unwrap()));
        }
    }

    #[test]
    fn a_beginning_has_six_digits_and_nothing_else() {
        for (text, digits) in [
            ("1F2E3D", "1f2e3d"),
            ("1f2e3d4c-0b", "1f2e3d4c0b"),
            (&ID[..35], &ID.replace('-', "")[..31]),
        ] {
            assert_eq!(text.parse::<Wanted>().unwrap(), Wanted::Beginning(digits.to_owned()));
        }
        for text in [
            "",
            "1f2e3",
            "1f-2e-3",
            "1f2e3g",
            "1f2e3d*",
            "é1f2e3d",
            &format!("{ID}0"),
        ] {
            assert!(text.parse::<Wanted>().is_err(), "{text}");
        }
    }
}
