//! Where the broker is.

use std::fmt;
use std::str::FromStr;

use lapin::uri::{AMQPScheme, AMQPUri};

/// A dead peer is noticed after two of these.
const HEARTBEAT_SECONDS: u16 = 10;

/// The broker's address, virtual host, and who we are there. Prints without user and password.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerUrl(AMQPUri);

/// Why a text is no [`BrokerUrl`]. Says nothing of the text, which holds a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBrokerUrl {
    /// It cannot be read at all.
    #[error("must be a URL such as amqps://user:password@host:5671/vhost, special characters in it percent-encoded")]
    Unreadable,
    /// Nobody could tell whom the broker is to let in; guessing `guest` works on the broker's own machine alone.
    #[error("must name a user and a password, as in amqp://user:password@host/vhost")]
    NoUser,
    /// What ends in a bare slash names the virtual host whose name is empty.
    #[error("names the virtual host whose name is empty; write /%2F, or leave the slash out, for the default one")]
    EmptyVirtualHost,
    /// The client library would silently take `localhost` instead.
    #[error("must name the host, or its IPv4 address; an IPv6 address cannot be used here")]
    Ipv6,
}

impl BrokerUrl {
    pub(crate) fn uri(&self) -> AMQPUri {
        self.0.clone()
    }
}

impl FromStr for BrokerUrl {
    type Err = InvalidBrokerUrl;

    fn from_str(text: &str) -> Result<Self, InvalidBrokerUrl> {
        let plain = reqwest::Url::parse(text).map_err(|_| InvalidBrokerUrl::Unreadable)?;
        let mut uri: AMQPUri = text.parse().map_err(|_| InvalidBrokerUrl::Unreadable)?;
        let host = plain.host_str().unwrap_or_default();
        if host.is_empty() {
            return Err(InvalidBrokerUrl::Unreadable);
        }
        if host.starts_with('[') {
            return Err(InvalidBrokerUrl::Ipv6);
        }
        if plain.username().is_empty() || plain.password().is_none() {
            return Err(InvalidBrokerUrl::NoUser);
        }
        if uri.vhost.is_empty() {
            return Err(InvalidBrokerUrl::EmptyVirtualHost);
        }
        uri.query.heartbeat = Some(HEARTBEAT_SECONDS);
        Ok(Self(uri))
    }
}

impl fmt::Display for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.0.scheme {
            AMQPScheme::AMQP => "amqp",
            AMQPScheme::AMQPS => "amqps",
        };
        let authority = &self.0.authority;
        write!(
            f,
            "{scheme}://{}:{} (virtual host {})",
            authority.host, authority.port, self.0.vhost
        )
    }
}

impl fmt::Debug for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_url_is_taken_with_our_heartbeat_and_prints_without_the_password() {
        let url: BrokerUrl = "amqps://worker:s3cret@rabbit.example/orders%2Fmx?heartbeat=600"
            .parse()
            .unwrap();
        assert_eq!(url.uri().query.heartbeat, Some(HEARTBEAT_SECONDS));
        assert_eq!(url.uri().vhost, "orders/mx");
        for shown in [format!("{url}"), format!("{url:?}")] {
            assert_eq!(shown, "amqps://rabbit.example:5671 (virtual host orders/mx)");
        }
    }

    #[test]
    fn what_a_url_lacks_is_said_and_nothing_of_it_shown() {
        let refused = |text: &str| text.parse::<BrokerUrl>().unwrap_err();
        assert_eq!(refused("not a url"), InvalidBrokerUrl::Unreadable);
        assert_eq!(refused("http://u:p@h/v"), InvalidBrokerUrl::Unreadable);
        assert_eq!(refused("amqp:u:p@h/v"), InvalidBrokerUrl::Unreadable);
        assert_eq!(refused("amqp://h/v"), InvalidBrokerUrl::NoUser);
        assert_eq!(refused("amqp://u:p@h/"), InvalidBrokerUrl::EmptyVirtualHost);
        assert_eq!(refused("amqp://u:p@[::1]:5672/v"), InvalidBrokerUrl::Ipv6);
        assert!(!refused("amqp://u:s3cret@h:99999/v").to_string().contains("s3cret"));
    }
}
