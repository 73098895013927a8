//! Every setting of this service, and nothing else reads them.

use std::num::NonZeroU32;

use adapter_http::server::{Callers, Dials, Listen};
use platform::config::{ConfigError, Reader, Secret, Source};

/// Connections to the database.
const CONNECTIONS_MAX: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// The settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to serve.
    pub listen: Listen,
    /// Who may call.
    pub callers: Callers,
    /// Inventory's own database.
    pub database_url: Secret,
    /// Connections to it.
    pub connections_max: NonZeroU32,
    /// How slow and how unsure the service is made.
    pub dials: Dials,
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
        let dials = Dials::read(&mut reader);
        let config = || {
            Some(Self {
                listen: listen?,
                callers: callers?,
                database_url: database_url?,
                connections_max: connections_max?,
                dials: dials?,
            })
        };
        let config = config();
        reader.finish(config)
    }
}
