//! From a router to a running server.

use std::net::SocketAddr;
use std::str::FromStr;

use anyhow::Context as _;
use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where a server listens, e.g. `127.0.0.1:8080`; port 0 takes a free one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen(SocketAddr);

impl FromStr for Listen {
    type Err = std::net::AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl Listen {
    /// Takes the port.
    ///
    /// # Errors
    ///
    /// When it cannot be had; the error names it.
    pub async fn bind(self) -> anyhow::Result<TcpListener> {
        let listener = TcpListener::bind(self.0).await;
        listener.with_context(|| format!("cannot listen on {}; is another process using it?", self.0))
    }
}

/// Serves until `stopping`, then finishes the requests under way.
///
/// # Errors
///
/// When the listener fails.
pub async fn serve(listener: TcpListener, router: Router, stopping: CancellationToken) -> anyhow::Result<()> {
    let at = listener.local_addr().context("the listener has no address")?;
    tracing::info!("listening on {at}");
    let server = axum::serve(listener, router).with_graceful_shutdown(stopping.cancelled_owned());
    server.await.context("serving HTTP")
}
