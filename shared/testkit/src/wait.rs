//! Waiting on conditions, never on time.

use std::time::Duration;

/// Longest wait for a condition; what takes longer on a busy machine has failed.
const WAIT_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What `look` finds, once it finds something; asks again and again until then.
///
/// # Panics
///
/// After 60 s, saying that it waited for `what`.
pub async fn until_some<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let found = tokio::time::timeout(WAIT_MAX, found).await;
    found.unwrap_or_else(|_| panic!("waited {} s in vain until {what}", WAIT_MAX.as_secs()))
}

/// Returns once `holds` does.
///
/// # Panics
///
/// After 60 s, saying that it waited for `what`.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    until_some(what, async || holds().await.then_some(())).await;
}
