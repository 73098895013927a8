//! Every setting of this service, and nothing else reads them.

use std::num::NonZeroU16;
use std::str::FromStr;

use adapter_http::server::Listen;
use adapter_rabbitmq::line::Line;
use adapter_rabbitmq::url::BrokerUrl;
use platform::config::{ConfigError, Reader, Secret, Source};

/// Orders worked at once.
const CONSUMERS: NonZeroU16 = NonZeroU16::new(16).unwrap();

/// Connections to the database for journals; results take a few more.
const CONNECTIONS_MAX: u32 = 16;

/// From the start of a call to a service to the end of its answer.
const CALL_MS: u64 = 5_000;

/// The settings.
#[derive(Debug)]
pub struct Config {
    /// Where to answer questions about health.
    pub listen: Listen,
    /// The order database.
    pub database_url: Secret,
    /// Connections to it.
    pub connections_max: u32,
    /// The broker, as a user that may read the queue and write to where workers move orders.
    pub broker: BrokerUrl,
    /// Which orders it works.
    pub line: Line,
    /// Orders worked at once.
    pub consumers: NonZeroU16,
    /// This process' name in histories.
    pub instance: String,
    /// What it shows to the services.
    pub token: Secret,
    /// How long a call may take.
    pub call_ms: u64,
    /// Where the services are.
    pub services: Services,
}

/// Base URLs.
#[derive(Debug)]
pub struct Services {
    pub inventory: String,
    pub logistics: String,
    pub documents: String,
    pub notifications: String,
}

impl Config {
    /// Reads all settings.
    pub fn read(source: &dyn Source) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(source);
        let listen = reader.required("ACUSE_LISTEN");
        let database_url = reader.required("ACUSE_DATABASE_URL");
        let connections_max = reader.with_default("ACUSE_DATABASE_CONNECTIONS", CONNECTIONS_MAX);
        let broker = reader.required("ACUSE_AMQP_URL");
        let orders = reader.with_default("ACUSE_ORDERS", Orders(Line::Process));
        let consumers = reader.with_default("ACUSE_CONSUMERS", CONSUMERS);
        let instance = reader.with_default("ACUSE_INSTANCE", "order-worker".to_owned());
        let token = reader.required("ACUSE_TOKEN");
        let call_ms = reader.with_default("ACUSE_CALL_MS", CALL_MS);
        let services = Services::read(&mut reader);
        let config = || {
            let line = orders?.0;
            Some(Self {
                listen: listen?,
                database_url: database_url?,
                connections_max: connections_max?,
                broker: broker?,
                // Suspects are taken one at a time, whatever is asked for: only so is the guilty one alone.
                consumers: if line == Line::Suspect {
                    NonZeroU16::MIN
                } else {
                    consumers?
                },
                line,
                instance: instance?,
                token: token?,
                call_ms: call_ms?,
                services: services?,
            })
        };
        let config = config();
        reader.finish(config)
    }
}

/// Which orders a worker takes, as it is written in a setting.
struct Orders(Line);

impl FromStr for Orders {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self(Line::Process)),
            "suspects" => Ok(Self(Line::Suspect)),
            _ => Err("must be `all` (the default) or `suspects`, for those that may have killed a worker"),
        }
    }
}

impl Services {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let inventory = reader.required("ACUSE_INVENTORY_URL");
        let logistics = reader.required("ACUSE_LOGISTICS_URL");
        let documents = reader.required("ACUSE_DOCUMENTS_URL");
        let notifications = reader.required("ACUSE_NOTIFICATIONS_URL");
        Some(Self {
            inventory: inventory?,
            logistics: logistics?,
            documents: documents?,
            notifications: notifications?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn everything_that_is_missing_is_told_at_once() {
        let told = Config::read(&BTreeMap::from([("ACUSE_CONSUMERS", "0")]))
            .unwrap_err()
            .to_string();
        for name in ["ACUSE_LISTEN", "ACUSE_TOKEN", "ACUSE_DOCUMENTS_URL", "ACUSE_CONSUMERS"] {
            assert!(told.contains(name), "{name} is not in {told}");
        }
    }
}
