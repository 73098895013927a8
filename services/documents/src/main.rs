//! The documents service.

use std::process::ExitCode;

fn main() -> ExitCode {
    platform::process::run("documents", documents::Config::read, documents::serve)
}
