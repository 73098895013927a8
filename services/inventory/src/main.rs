//! The process around [`inventory`].

use std::process::ExitCode;

use inventory::config::Config;

fn main() -> ExitCode {
    platform::process::run("inventory", Config::read, inventory::serve::serve)
}
