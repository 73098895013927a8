//! How far a long submission is: a bar on a terminal, a line every few seconds elsewhere.

use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::Instant;

use super::tally::Tally;
use crate::terminal::tell;

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Tells the person how far it is, on standard error.
pub struct Progress {
    start: Instant,
    bar: Option<ProgressBar>,
    told: Instant,
}

impl Progress {
    /// Starts. `bytes_total`: of the input, where that is known.
    #[must_use]
    pub fn start(bytes_total: Option<u64>) -> Self {
        let start = Instant::now();
        let bar = stderr().is_terminal().then(|| bar(bytes_total));
        Self {
            start,
            bar,
            told: start,
        }
    }

    /// Since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// `bytes` more of the input are done.
    pub fn advance(&mut self, bytes: u64, tally: &Tally) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
            bar.set_message(tally.so_far(self.elapsed()));
        } else if self.told.elapsed() >= LINE_EVERY {
            self.told = Instant::now();
            tell(&tally.so_far(self.elapsed()));
        }
    }

    /// Tells something beside the progress.
    pub fn tell(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(text)),
            None => tell(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(bytes_total: Option<u64>) -> ProgressBar {
    let (bar, template) = match bytes_total {
        Some(bytes) => (ProgressBar::new(bytes), "{bar:30} {percent:>3}%  {msg}"),
        None => (ProgressBar::new_spinner(), "{spinner}  {msg}"),
    };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
