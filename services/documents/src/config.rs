//! The service's settings.

use std::num::NonZeroU32;

use adapter_http::server::{Callers, Dials, Listen};
use platform::config::{ConfigError, Reader, Secret, Source};

use crate::address::PublicUrl;

const CONNECTIONS: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// The service's settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// `ACUSE_LISTEN`.
    pub listen: Listen,
    /// `ACUSE_DATABASE_URL`.
    pub database_url: Secret,
    /// `ACUSE_CALLERS`.
    pub callers: Callers,
    /// `ACUSE_PUBLIC_URL`.
    pub public_url: PublicUrl,
    /// `ACUSE_LATENCY_MS`, `ACUSE_ERRORS_PERCENT`, `ACUSE_TIMEOUTS_PERCENT`; off where absent.
    pub dials: Dials,
    /// `ACUSE_DATABASE_CONNECTIONS`; 10 where absent.
    pub connections_max: NonZeroU32,
}

impl Config {
    /// Reads all settings.
    ///
    /// # Errors
    ///
    /// Everything that is missing or wrong, at once.
    pub fn read(source: &dyn Source) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(source);
        let listen = reader.required("ACUSE_LISTEN");
        let database_url = reader.required("ACUSE_DATABASE_URL");
        let callers = reader.required("ACUSE_CALLERS");
        let public_url = reader.required("ACUSE_PUBLIC_URL");
        let dials = Dials::read(&mut reader);
        let connections_max = reader.with_default("ACUSE_DATABASE_CONNECTIONS", CONNECTIONS);
        let config = || {
            Some(Self {
                listen: listen?,
                database_url: database_url?,
                callers: callers?,
                public_url: public_url?,
                dials: dials?,
                connections_max: connections_max?,
            })
        };
        reader.finish(config())
    }
}
