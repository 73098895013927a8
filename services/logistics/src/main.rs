//! The logistics service.

use std::process::ExitCode;

fn main() -> ExitCode {
    platform::process::run("logistics", logistics::Config::read, logistics::serve)
}
