//! A connection to the broker that can be let go of at any moment.

use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use lapin::tcp::{AMQPUriTcpExt as _, AsyncTcpStream, TLSConfig};
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties};
use pipeline::ports::Source;
use tokio::net::TcpStream;

use crate::bounds::{CLOSE_MAX, CONNECT_MAX, DIAL_MAX, OPEN_MAX, within};
use crate::url::BrokerUrl;

/// AMQP's word for "no error".
const REPLY_SUCCESS: u16 = 200;

/// Something between us and the broker failed; it may or may not have done what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{doing} failed")]
pub(crate) struct LinkError {
    pub(crate) doing: &'static str,
    #[source]
    pub(crate) source: Source,
}

/// A connection of our own. Dropping it cuts the wire, so that the broker gives everything held on it to others at
/// once; [`Link::close`] says goodbye first.
#[derive(Debug)]
pub(crate) struct Link {
    connection: Connection,
    _wire: Wire,
}

impl Link {
    /// Connects as `name`, which operators see in the broker's list of connections.
    pub(crate) async fn open(broker: &BrokerUrl, name: &str) -> Result<Self, LinkError> {
        install_crypto();
        // Should we not get to the end, its drop ends lapin's thread, which would wait for the peer without a limit.
        let wire = Wire::default();
        let tcp = Arc::clone(&wire.0);
        let options = ConnectionProperties::default().with_connection_name(name.into());
        let connect = async {
            let runtime = lapin::runtime::default_runtime()?;
            Connection::connector(
                broker.uri(),
                runtime,
                async move |uri: AMQPUri, runtime| {
                    let dial = uri.connect_with_config_async(TLSConfig::default(), &runtime);
                    let stream = tokio::time::timeout(DIAL_MAX, dial).await.map_err(io::Error::from)??;
                    match &stream {
                        AsyncTcpStream::Plain(plain) => hold(&tcp, plain.get_ref())?,
                        AsyncTcpStream::Rustls(tls) => hold(&tcp, tls.get_ref().0.get_ref())?,
                        _ => return Err(io::Error::other("a kind of TLS that is not built in").into()),
                    }
                    Ok(stream)
                },
                options,
            )
            .await
        };
        let connection = within("connecting to the broker", CONNECT_MAX, connect).await?;
        Ok(Self {
            connection,
            _wire: wire,
        })
    }

    /// Whether there is any use in asking it.
    pub(crate) fn is_alive(&self) -> bool {
        self.connection.status().connected()
    }

    pub(crate) async fn channel(&self) -> Result<Channel, LinkError> {
        within("opening a channel", OPEN_MAX, self.connection.create_channel()).await
    }

    /// Says goodbye, and cuts the wire if that is not answered in time.
    pub(crate) async fn close(self) {
        let goodbye = self.connection.close(REPLY_SUCCESS, "OK".into());
        if let Err(error) = within("closing the connection", CLOSE_MAX, goodbye).await {
            tracing::debug!(%error, "the connection to the broker is cut");
        }
    }
}

/// Closes a channel: what it still holds unacknowledged goes back.
pub(crate) async fn close_channel(channel: &Channel) {
    let close = channel.close(REPLY_SUCCESS, "OK".into());
    if let Err(error) = within("closing a channel", CLOSE_MAX, close).await {
        tracing::debug!(%error, "the connection's end will close its channel");
    }
}

/// The socket below a connection; dropping it shuts it down.
#[derive(Debug, Default)]
struct Wire(Arc<Mutex<Tcp>>);

#[derive(Debug, Default)]
enum Tcp {
    #[default]
    NotYet,
    Up(std::net::TcpStream),
    Cut,
}

impl Drop for Wire {
    fn drop(&mut self) {
        let mut tcp = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Tcp::Up(socket) = &*tcp {
            // Fails when the other side was faster.
            let _gone = socket.shutdown(Shutdown::Both);
        }
        *tcp = Tcp::Cut;
    }
}

/// Keeps a handle on the socket. Acknowledgements are small and must not wait for company on the way out.
fn hold(tcp: &Mutex<Tcp>, socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let handle = socket.as_fd().try_clone_to_owned()?;
    let mut tcp = tcp.lock().unwrap_or_else(PoisonError::into_inner);
    if matches!(*tcp, Tcp::Cut) {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    *tcp = Tcp::Up(handle.into());
    Ok(())
}

/// Makes ring the process's provider of cryptography, unless somebody chose one before.
pub(crate) fn install_crypto() {
    let _chosen_before = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    async fn listener(scheme: &str) -> (TcpListener, BrokerUrl) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, format!("{scheme}://u:p@127.0.0.1:{port}/v").parse().unwrap())
    }

    #[tokio::test]
    async fn an_encrypted_url_is_never_spoken_in_plain() {
        let (listener, url) = listener("amqps").await;
        let plain_broker = async {
            let (mut peer, _) = listener.accept().await.unwrap();
            let mut first = [0; 1];
            peer.read_exact(&mut first).await.unwrap();
            peer.write_all(b"AMQP\x00\x00\x09\x01").await.unwrap();
            first[0]
        };
        let (link, first) = tokio::join!(Link::open(&url, "test"), plain_broker);
        let error = crate::failure::told(&link.unwrap_err());
        assert!(error.contains("InvalidContentType"), "{error}");
        // A TLS handshake, not the `A` of a protocol header.
        assert_eq!(first, 0x16);
    }

    #[tokio::test]
    async fn a_silent_peer_is_given_up_and_the_wire_is_cut() {
        let (listener, url) = listener("amqp").await;
        let silent = async {
            let (mut peer, _) = listener.accept().await.unwrap();
            let mut sent = vec![];
            peer.read_to_end(&mut sent).await.unwrap();
            sent
        };
        let impatient = tokio::time::timeout(Duration::from_millis(200), Link::open(&url, "test"));
        let (link, sent) = tokio::join!(impatient, silent);
        assert!(link.is_err());
        assert_eq!(sent, b"AMQP\x00\x00\x09\x01");
    }
}
