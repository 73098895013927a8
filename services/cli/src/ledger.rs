//! Ids of orders that checkout promised to process, one a line: what a submission keeps and an audit holds checkout to.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use pipeline::id::OrderId;

use crate::failure::Failure;
use crate::terminal::escape;

/// More than an id and its line end.
const LINE_BYTES_MAX: u64 = 128;

/// A ledger to write to. Each id is with the operating system before anything else is done.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Opens it to go on at its end, or starts it.
    ///
    /// # Errors
    ///
    /// When the file cannot be used, or the next id would be glued to half a line at its end.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let options = OpenOptions::new().create(true).read(true).append(true).open(path);
        let mut file = options.map_err(|error| failed(path, &error))?;
        if !ends_with_a_whole_line(&mut file).map_err(|error| failed(path, &error))? {
            return Err(failed(
                path,
                &"its last line has no end, as if its writer had died; remove that line",
            ));
        }
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }

    /// Adds an order.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn add(&mut self, order: &OrderId) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{order}\n").as_bytes());
        written.map_err(|error| failed(&self.path, &error))
    }
}

fn ends_with_a_whole_line(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Hands every id to `promised`, one after the other. A last line without its end is left out: it may be half an id.
///
/// # Errors
///
/// When the file cannot be read, or a line of it is no order id.
pub fn read(path: &Path, mut promised: impl FnMut(&OrderId)) -> Result<(), Failure> {
    let file = File::open(path).map_err(|error| failed(path, &error))?;
    let mut lines = BufReader::new(file);
    let mut line = String::new();
    for number in 1_u64.. {
        line.clear();
        lines
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_line(&mut line)
            .map_err(|error| failed(path, &error))?;
        let Some(id) = line.strip_suffix('\n') else { break };
        if !id.is_empty() {
            let id = OrderId::parse(id);
            let id = id.map_err(|error| failed(path, &format!("line {number}: {error}, and is {}", escape(&line))))?;
            promised(&id);
        }
    }
    // What is left of a line that is too long for an id is no half of one.
    if line.len() as u64 == LINE_BYTES_MAX {
        Err(failed(path, &"has lines that are no order ids; is it a ledger?"))
    } else {
        Ok(())
    }
}

fn failed(path: &Path, reason: &dyn Display) -> Failure {
    Failure::Failed(format!("{}: {reason}", path.display()))
}
