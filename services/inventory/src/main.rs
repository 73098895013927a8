//! The process around [`inventory`].

use std::process::ExitCode;

fn main() -> ExitCode {
    inventory::serve::process()
}
