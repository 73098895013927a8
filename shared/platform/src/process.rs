//! The one `main` that every service shares.

use std::future::Future;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::config::{ConfigError, Environment, Reader, Source};
use crate::lifecycle::Lifecycle;
use crate::logging::Logging;

/// `EX_CONFIG` of sysexits: starting again will not help.
const EXIT_CONFIG: u8 = 78;

const GRACE_SECONDS: u64 = 25;

/// Room for the stack of each thread, in bytes. Pages that are not used cost nothing. The AMQP client reads a message's
/// headers table by table, each in a call of its own, and a broker takes tables thousands deep: with the usual 2 MiB one
/// such message would end every process that it is delivered to.
const STACK_BYTES: &str = "134217728";

/// What Rust's threads take their stack's size from.
const STACK_VARIABLE: &str = "RUST_MIN_STACK";

/// Starts this program again in this process' place, with [`STACK_BYTES`], unless somebody has chosen a size. The
/// variable is read once, by the first thread, and a process cannot safely set its own.
fn make_room() {
    if Environment.get(STACK_VARIABLE).is_some() {
        return;
    }
    let arguments = std::env::args_os().skip(1);
    let started = std::env::current_exe().map(|program| {
        let mut again = Command::new(program);
        again.args(arguments).env(STACK_VARIABLE, STACK_BYTES).exec()
    });
    // Only a failure returns; then the usual stack has to do.
    let (Ok(error) | Err(error)) = started;
    eprintln!("threads keep their usual stack: {error}");
}

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
    make_room();
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
