//! The file that the make targets leave for this command: shell assignments, one a line.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// Bytes of such a file; a larger one is something else.
pub const FILE_BYTES_MAX: u64 = 64 * 1024;

/// A line that is no assignment.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BadLine {
    line: usize,
    reason: &'static str,
}

/// Names and values, as a shell would have them: quotes are taken off, nothing is expanded.
///
/// # Errors
///
/// [`BadLine`] for the first line that is neither empty, a comment nor an assignment.
pub fn parse(text: &str) -> Result<BTreeMap<String, String>, BadLine> {
    let mut values = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |reason| BadLine { line: at + 1, reason };
        let (name, value) = line.split_once('=').ok_or_else(|| bad("must be NAME=value"))?;
        let name = name.strip_prefix("export ").unwrap_or(name).trim_start();
        let of_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if name.is_empty() || !name.chars().all(of_name) {
            return Err(bad("the name before = must be made of A-Z a-z 0-9 _"));
        }
        values.insert(name.to_owned(), unquote(value).map_err(bad)?);
    }
    Ok(values)
}

fn unquote(value: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut rest = value.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\'' => quoted(&mut rest, '\'', &mut out)?,
            '"' => quoted(&mut rest, '"', &mut out)?,
            '\\' => out.push(rest.next().ok_or("ends with a backslash")?),
            '$' | '`' => return Err("$ and ` are not expanded; put the value in single quotes"),
            blank if blank.is_whitespace() => return Err("a value with blanks must be in quotes"),
            character => out.push(character),
        }
    }
    Ok(out)
}

fn quoted(rest: &mut Peekable<Chars<'_>>, end: char, out: &mut String) -> Result<(), &'static str> {
    let double = end == '"';
    while let Some(character) = rest.next() {
        match character {
            character if character == end => return Ok(()),
            '\\' if double && rest.peek().is_some_and(|next| matches!(next, '"' | '\\' | '$' | '`')) => {
                out.extend(rest.next());
            }
            '$' | '`' if double => return Err("$ and ` are not expanded; put the value in single quotes"),
            character => out.push(character),
        }
    }
    Err("a quote is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_out_as_a_shell_has_them() {
        let text =
            "# comment\n\nA=http://127.0.0.1:1/\nexport B='it'\\''s # no comment'\nC=\"x \\\" y\"\nD=\n  E=a\\ b\n";
        let values = parse(text).unwrap();
        let value = |name: &str| values[name].as_str();
        assert_eq!(value("A"), "http://127.0.0.1:1/");
        assert_eq!(value("B"), "it's # no comment");
        assert_eq!(value("C"), "x \" y");
        assert_eq!((value("D"), value("E")), ("", "a b"));
    }

    #[test]
    fn a_line_that_a_shell_would_read_otherwise_is_refused_by_its_number() {
        for line in ["A", "A B=1", "=1", "A=b c", "A='b", "A=$HOME", "A=\"`x`\"", "A=b\\"] {
            let told = parse(&format!("OK=1\n{line}\n")).unwrap_err().to_string();
            assert!(told.starts_with("line 2: "), "{line}: {told}");
        }
    }
}
