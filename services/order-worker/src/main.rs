//! The order worker: takes orders from the queue and does what they need, once in effect.

mod config;
mod probe;
mod serve;

use std::process::ExitCode;

fn main() -> ExitCode {
    platform::process::run("order-worker", config::Config::read, serve::serve)
}
