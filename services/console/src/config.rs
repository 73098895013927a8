//! Every setting of this service, and nothing else reads them.

use adapter_http::server::{Callers, Listen};
use adapter_rabbitmq::url::BrokerUrl;
use platform::config::{ConfigError, Reader, Secret, Source};

/// Connections to the database.
const CONNECTIONS_MAX: u32 = 6;

/// The settings.
#[derive(Debug)]
pub struct Config {
    /// Where to serve.
    pub listen: Listen,
    /// Who may call; a caller's name stands on record with what it does.
    pub callers: Callers,
    /// The order database.
    pub database_url: Secret,
    /// Connections to it.
    pub connections_max: u32,
    /// The broker, as a user that may read the dead-letter queues and write to `orders` and `orders.compensation`.
    pub broker: BrokerUrl,
    /// This process' name in histories.
    pub instance: String,
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
        let connections_max = reader.with_default("ACUSE_DATABASE_CONNECTIONS", CONNECTIONS_MAX);
        let broker = reader.required("ACUSE_AMQP_URL");
        let instance = reader.with_default("ACUSE_INSTANCE", "console".to_owned());
        let config = || {
            Some(Self {
                listen: listen?,
                callers: callers?,
                database_url: database_url?,
                connections_max: connections_max?,
                broker: broker?,
                instance: instance?,
            })
        };
        let config = config();
        reader.finish(config)
    }
}
