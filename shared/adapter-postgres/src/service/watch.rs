//! Whether the database is there, told by the process' readiness.

use std::time::Duration;

use platform::health::Readiness;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::connection::ping;

/// From one look at the database to the next, in milliseconds.
const EVERY_MS: u64 = 1_000;

/// Longest wait for the database at one look, in milliseconds.
const LOOK_MS: u64 = 2_000;

/// Turns `readiness` red while the database behind `pool` does not answer and green when it does, until `stopping`.
pub async fn watch(pool: PgPool, readiness: Readiness, stopping: CancellationToken) {
    let mut gone = false;
    loop {
        let looked = tokio::time::timeout(Duration::from_millis(LOOK_MS), ping(&pool)).await;
        let answers = matches!(looked, Ok(Ok(())));
        match (answers, gone) {
            (true, true) => tracing::info!("the database answers again"),
            (false, false) => tracing::warn!("the database does not answer: not ready until it does"),
            (true, false) | (false, true) => {}
        }
        gone = !answers;
        if answers {
            readiness.green();
        } else {
            readiness.red("the database does not answer");
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(Duration::from_millis(EVERY_MS)) => {}
        }
    }
}
