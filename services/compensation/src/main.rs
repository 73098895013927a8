//! The compensation worker: takes orders that are to be undone, and undoes them, once in effect.

mod config;
mod probe;
mod serve;

use std::process::ExitCode;

fn main() -> ExitCode {
    platform::process::run("compensation", config::Config::read, serve::serve)
}
