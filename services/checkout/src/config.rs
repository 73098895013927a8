//! Every setting of this service, and nothing else reads them.

use std::num::NonZeroU16;

use adapter_http::server::{Callers, Listen};
use adapter_rabbitmq::url::BrokerUrl;
use platform::config::{ConfigError, Reader, Secret, Source};

/// Orders that may wait for a worker: half an hour of work at Black Friday's rate.
const BACKLOG_MAX: u64 = 40_000;

/// Connections to the database.
const CONNECTIONS_MAX: u32 = 16;

/// Publishes under way at once, each on a channel of its own.
const PUBLISH_CHANNELS_MAX: NonZeroU16 = NonZeroU16::new(32).unwrap();

/// The settings.
#[derive(Debug)]
pub struct Config {
    /// Where to serve.
    pub listen: Listen,
    /// Who may call.
    pub callers: Callers,
    /// The order database.
    pub database_url: Secret,
    /// The broker, as a user that may write to `orders` only.
    pub broker: BrokerUrl,
    /// This process' name in histories.
    pub instance: String,
    /// Above this many orders that no worker has begun, new ones are refused with `503`.
    pub backlog_max: u64,
    /// Connections to the database.
    pub connections_max: u32,
    /// Publishes under way at once.
    pub publish_channels_max: NonZeroU16,
}

impl Config {
    /// Reads all settings.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them.
    pub fn read(source: &dyn Source) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(source);
        let listen = reader.required("ACUSE_LISTEN");
        let callers = reader.required("ACUSE_CALLERS");
        let database_url = reader.required("ACUSE_DATABASE_URL");
        let broker = reader.required("ACUSE_AMQP_URL");
        let instance = reader.with_default("ACUSE_INSTANCE", "checkout".to_owned());
        let backlog_max = reader.with_default("ACUSE_BACKLOG_MAX", BACKLOG_MAX);
        let connections_max = reader.with_default("ACUSE_DATABASE_CONNECTIONS", CONNECTIONS_MAX);
        let publish_channels_max = reader.with_default("ACUSE_PUBLISH_CHANNELS", PUBLISH_CHANNELS_MAX);
        let config = || {
            Some(Self {
                listen: listen?,
                callers: callers?,
                database_url: database_url?,
                broker: broker?,
                instance: instance?,
                backlog_max: backlog_max?,
                connections_max: connections_max?,
                publish_channels_max: publish_channels_max?,
            })
        };
        let config = config();
        reader.finish(config)
    }
}
