//! The one `main` that every service shares.

use std::future::Future;
use std::process::ExitCode;
use std::time::Duration;

use crate::config::{ConfigError, Environment, Reader, Source};
use crate::lifecycle::Lifecycle;
use crate::logging::Logging;

/// `EX_CONFIG` of sysexits: starting again will not help.
const EXIT_CONFIG: u8 = 78;

const GRACE_SECONDS: u64 = 25;

/// Reads the settings, starts logging and the runtime, and runs `serve` until it ends.
///
/// Exit codes: 0 after a clean stop, 1 after a failure, 78 when the settings are wrong.
pub fn run<C, F>(
    name: &'static str,
    config: impl FnOnce(&dyn Source) -> Result<C, ConfigError>,
    serve: impl FnOnce(C, Lifecycle) -> F,
) -> ExitCode
where
    F: Future<Output = anyhow::Result<()>>,
{
    let mut reader = Reader::new(&Environment);
    let logging = Logging::read(&mut reader);
    let grace = reader.with_default("ACUSE_GRACE_SECONDS", GRACE_SECONDS);
    let settings = reader.finish(logging.zip(grace));
    let (settings, config) = match settings.and_then(|settings| Ok((settings, config(&Environment)?))) {
        Ok(read) => read,
        Err(error) => {
            eprintln!("{name}: {error}");
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let (logging, grace) = settings;
    logging.start();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("{name}: the runtime does not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let life = Lifecycle::new(Duration::from_secs(grace));
    match runtime.block_on(serve(config, life)) {
        Ok(()) => {
            tracing::info!("{name} stopped");
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!("{name} ends: {error:#}");
            ExitCode::FAILURE
        }
    }
}
