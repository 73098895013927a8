//! Two-stage shutdown: stop taking work, finish what is held, then let go.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The tasks of a process, and the word that it is to end.
pub struct Lifecycle {
    stopping: CancellationToken,
    tasks: JoinSet<(&'static str, anyhow::Result<()>)>,
    grace: Duration,
}

impl Lifecycle {
    /// A life that, once it is to end, gives its tasks `grace` to finish.
    #[must_use]
    pub fn new(grace: Duration) -> Self {
        Self {
            stopping: CancellationToken::new(),
            tasks: JoinSet::new(),
            grace,
        }
    }

    /// Cancelled when the process is to stop taking new work.
    #[must_use]
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Runs `task` for the life of the process; its end, good or bad, ends the process.
    pub fn run(&mut self, name: &'static str, task: impl Future<Output = anyhow::Result<()>> + Send + 'static) {
        self.tasks.spawn(async move { (name, task.await) });
    }

    /// Waits for SIGTERM, SIGINT or the first task to end, then drains. A second signal ends the wait at once.
    ///
    /// # Errors
    ///
    /// The first task's error, or that the grace period ran out.
    pub async fn finish(mut self) -> anyhow::Result<()> {
        let mut terminate = signal(SignalKind::terminate()).context("listening for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("listening for SIGINT")?;
        let first = tokio::select! {
            () = either(&mut terminate, &mut interrupt) => Ok(()),
            Some(ended) = self.tasks.join_next() => flatten(ended),
        };
        self.stopping.cancel();
        let drain = async {
            let mut result = first;
            while let Some(ended) = self.tasks.join_next().await {
                let ended = flatten(ended);
                result = result.and(ended);
            }
            result
        };
        tokio::select! {
            result = drain => result,
            () = tokio::time::sleep(self.grace) => anyhow::bail!("still busy {} s after the stop signal", self.grace.as_secs()),
            () = either(&mut terminate, &mut interrupt) => anyhow::bail!("ended at once by a second signal"),
        }
    }
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

fn flatten(ended: Result<(&'static str, anyhow::Result<()>), tokio::task::JoinError>) -> anyhow::Result<()> {
    let (name, result) = ended.context("a task panicked")?;
    result.context(name)
}
