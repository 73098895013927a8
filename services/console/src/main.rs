//! The process around [`console`].

use std::process::ExitCode;

fn main() -> ExitCode {
    console::serve::process()
}
