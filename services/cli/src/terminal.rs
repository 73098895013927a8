//! What reaches the person: escaped text, colours where there is a terminal, a closed pipe taken calmly.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use platform::config::Source;

use crate::failure::Failure;

/// Longest piece of outside text that is shown, in characters.
const SHOWN_LENGTH_MAX: usize = 300;

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    coloured: bool,
}

impl Style {
    /// For standard output: coloured on a terminal, unless `NO_COLOR` is set.
    #[must_use]
    pub fn of_stdout(environment: &dyn Source) -> Self {
        Self {
            coloured: io::stdout().is_terminal() && environment.get("NO_COLOR").is_none(),
        }
    }

    /// Without colours.
    #[must_use]
    pub fn plain() -> Self {
        Self { coloured: false }
    }

    /// For what is well.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For what is not.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// For titles.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.coloured {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Outside text as text: nothing in it moves the cursor, changes colours or reads from right to left; long text is cut.
#[must_use]
pub fn escape(text: &str) -> String {
    escape_to(text, SHOWN_LENGTH_MAX)
}

/// The same, cut at `length_max` characters of `text`.
#[must_use]
pub fn escape_to(text: &str, length_max: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(length_max));
    for (at, character) in text.chars().enumerate() {
        if at == length_max {
            shown.push('…');
            break;
        }
        if is_invisible(character) {
            // Writing to a string cannot fail.
            let _written = write!(shown, "{}", character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The same for text in lines, which stay lines; none is cut.
#[must_use]
pub fn escape_lines(text: &str) -> String {
    let lines = text.lines().map(|line| escape_to(line, usize::MAX) + "\n");
    lines.collect()
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Writes to standard output.
///
/// # Errors
///
/// [`Failure::OutputClosed`] when nobody reads any more, [`Failure::Failed`] when it cannot be written.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output, whatever they are.
///
/// # Errors
///
/// See [`print()`].
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Failed(format!("standard output cannot be written: {error}")),
    })
}

/// Tells the person something beside the output; a closed standard error is nobody's loss.
pub fn tell(text: &str) {
    let _told = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_text_cannot_play_with_the_terminal() {
        assert_eq!(
            escape("a\x1b[31mb\nc\u{202e}d\u{9b}"),
            "a\\u{1b}[31mb\\u{a}c\\u{202e}d\\u{9b}"
        );
        assert_eq!(escape("São Paulo \\ 東京"), "São Paulo \\ 東京");
        assert_eq!(escape(&"x".repeat(1_000)).chars().count(), SHOWN_LENGTH_MAX + 1);
        assert_eq!(escape_to("ñandú", 2), "ña…");
        assert_eq!(escape_lines("{\r\n\t\x1b}\n\n"), "{\n\\u{9}\\u{1b}}\n\n");
    }

    #[test]
    fn colours_are_left_out_where_nobody_sees_them() {
        assert_eq!(Style::plain().bad("no"), "no");
        assert_eq!(Style { coloured: true }.bad("no"), "\x1b[31mno\x1b[0m");
    }
}
