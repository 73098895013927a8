//! The notifications service.

use std::process::ExitCode;

fn main() -> ExitCode {
    platform::process::run("notifications", notifications::Config::read, notifications::serve)
}
