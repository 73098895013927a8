//! The process around [`notifications`].

use std::process::ExitCode;

fn main() -> ExitCode {
    notifications::process()
}
