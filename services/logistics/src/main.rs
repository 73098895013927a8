//! The process around [`logistics`].

use std::process::ExitCode;

fn main() -> ExitCode {
    logistics::process()
}
