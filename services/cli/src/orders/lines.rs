//! Lines of a file or of standard input, one after the other, never all at once.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, stdin};
use std::path::Path;
use std::sync::Arc;

use contracts::limits::BODY_BYTES_MAX;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::failure::Failure;

/// Lines read ahead.
const AHEAD_MAX: usize = 64;

/// A line, or what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u64,
    /// Bytes that it takes in the file.
    pub bytes: u64,
    /// Its text, without the line end.
    pub text: Result<Arc<str>, String>,
}

/// Lines as they are read, and the bytes of all of them where that is known beforehand.
pub struct Lines {
    /// Blank lines are left out. Where the input cannot be read on, the last line says so.
    pub receiver: mpsc::Receiver<Line>,
    /// `None` for standard input.
    pub bytes_total: Option<u64>,
}

/// Starts reading `path`, or standard input where it is `-`, on a thread of its own.
///
/// # Errors
///
/// When the file cannot be opened.
pub fn read(path: &Path, tasks: &mut JoinSet<()>) -> Result<Lines, Failure> {
    let (sender, receiver) = mpsc::channel(AHEAD_MAX);
    let bytes_total = if path.as_os_str() == "-" {
        tasks.spawn_blocking(move || send(stdin().lock(), &sender));
        None
    } else {
        let failed = |error: io::Error| Failure::Failed(format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
        tasks.spawn_blocking(move || send(BufReader::new(file), &sender));
        Some(meta).filter(std::fs::Metadata::is_file).map(|meta| meta.len())
    };
    Ok(Lines { receiver, bytes_total })
}

/// Until the input ends or nobody listens.
fn send(mut input: impl BufRead, sender: &mpsc::Sender<Line>) {
    for number in 1.. {
        let (line, last) = match next(&mut input, number) {
            Ok(None) => return,
            Ok(Some(line)) => (line, false),
            Err(error) => (
                unreadable(number, 0, format!("the input cannot be read on: {error}")),
                true,
            ),
        };
        let blank = line.text.as_ref().is_ok_and(|text| text.trim().is_empty());
        if !blank && sender.blocking_send(line).is_err() || last {
            return;
        }
    }
}

fn unreadable(number: u64, bytes: u64, why: String) -> Line {
    Line {
        number,
        bytes,
        text: Err(why),
    }
}

/// The next line. Of one that is too long only its length is kept.
fn next(input: &mut impl BufRead, number: u64) -> io::Result<Option<Line>> {
    let mut line = vec![];
    let bytes_max = BODY_BYTES_MAX + 2;
    let mut bytes = input.by_ref().take(bytes_max as u64).read_until(b'\n', &mut line)? as u64;
    if bytes == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") && line.len() == bytes_max {
        bytes += input.skip_until(b'\n')? as u64;
        let why = format!("{bytes} bytes; at most {BODY_BYTES_MAX} are accepted");
        return Ok(Some(unreadable(number, bytes, why)));
    }
    let text = std::str::from_utf8(&line).map(|text| Arc::from(text.trim_end_matches(['\n', '\r'])));
    Ok(Some(Line {
        number,
        bytes,
        text: text.map_err(|error| format!("not UTF-8: {error}")),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Line> {
        let mut input = input;
        let mut numbers = 1..;
        std::iter::from_fn(|| next(&mut input, numbers.next()?).unwrap()).collect()
    }

    #[test]
    fn lines_come_with_their_number_with_any_line_end_and_without_the_last_one() {
        let found = lines(b"{}\r\n[]\n1");
        let told: Vec<_> = found
            .iter()
            .map(|line| (line.number, line.bytes, line.text.as_deref().unwrap()))
            .collect();
        assert_eq!(told, [(1, 4, "{}"), (2, 3, "[]"), (3, 1, "1")]);
    }

    #[test]
    fn a_bad_line_does_not_spoil_the_next() {
        let mut input = vec![b'x'; BODY_BYTES_MAX * 2];
        input.extend(b"\n\xff\n{}\n");
        let found = lines(&input);
        assert!(
            found[0].text.as_ref().unwrap_err().starts_with("524289 bytes"),
            "{:?}",
            found[0]
        );
        assert!(found[1].text.as_ref().unwrap_err().starts_with("not UTF-8"));
        assert_eq!(found[2].text.as_deref(), Ok("{}"));
    }

    #[test]
    fn a_line_of_the_greatest_length_is_taken_whole() {
        let mut input = vec![b'x'; BODY_BYTES_MAX];
        input.extend(b"\r\n{}");
        let found = lines(&input);
        assert_eq!(found[0].text.as_ref().unwrap().len(), BODY_BYTES_MAX);
        assert_eq!(found[1].text.as_deref(), Ok("{}"));
    }
}
