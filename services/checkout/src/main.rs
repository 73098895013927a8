//! The process around [`checkout`].

use std::process::ExitCode;

fn main() -> ExitCode {
    checkout::serve::process()
}
