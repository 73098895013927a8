//! The process around [`checkout`].

use std::process::ExitCode;

use checkout::config::Config;

fn main() -> ExitCode {
    platform::process::run("checkout", Config::read, checkout::serve::serve)
}
