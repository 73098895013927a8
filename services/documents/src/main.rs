//! The process around [`documents`].

use std::process::ExitCode;

fn main() -> ExitCode {
    documents::process()
}
