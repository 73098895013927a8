//! How long anything may take. After any of these the outcome is unknown.

use std::future::Future;
use std::time::Duration;

use pipeline::ports::Source;

use crate::link::LinkError;

/// Resolving the name, TCP and TLS.
pub(crate) const DIAL_MAX: Duration = Duration::from_secs(4);
/// All of it, up to the broker's consent; longer than [`DIAL_MAX`].
pub(crate) const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Making one channel ready.
pub(crate) const OPEN_MAX: Duration = Duration::from_secs(5);
/// From writing a message to the broker's confirm. A busy disk takes seconds.
pub(crate) const CONFIRM_MAX: Duration = Duration::from_secs(10);
/// Waiting until another publish hands on its channel, or until another has connected.
pub(crate) const TURN_MAX: Duration = Duration::from_secs(10);
/// Writing an acknowledgement, or the word that no more deliveries are wanted.
pub(crate) const ACK_MAX: Duration = Duration::from_secs(5);
/// Saying goodbye; after it the wire is cut.
pub(crate) const CLOSE_MAX: Duration = Duration::from_secs(2);

/// `future`'s answer, if it comes within `limit`.
pub(crate) async fn within<T, E: Into<Source>>(
    doing: &'static str,
    limit: Duration,
    future: impl Future<Output = Result<T, E>>,
) -> Result<T, LinkError> {
    let source = match tokio::time::timeout(limit, future).await {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.into(),
        Err(_) => format!("no answer within {} s", limit.as_secs()).into(),
    };
    Err(LinkError { doing, source })
}
