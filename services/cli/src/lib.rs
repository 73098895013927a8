//! The `acuse` command: what a person does with the pipeline from a shell.

pub mod args;
pub mod audit;
mod broker;
pub mod dead_letters;
pub mod failure;
pub mod ledger;
pub mod orders;
pub mod percentiles;
mod servers;
pub mod settings;
mod stock;
pub mod table;
pub mod terminal;
mod topology;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Parser as _;
use platform::clock::SystemClock;
use platform::config::Environment;

use crate::args::{Arguments, Command, Orders, Stock, Topology};
use crate::failure::{Failure, Outcome};
use crate::orders::submit::Submission;
use crate::settings::Settings;
use crate::terminal::{Style, tell};

/// Does what the command line says. Exit codes: 0 all well, 1 failed or found something, 2 asked wrongly, 69 a server
/// does not answer.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => {
            // Help, or what is wrong; where nobody reads it there is nobody to tell.
            let _printed = told.print();
            return ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2));
        }
    };
    match start(arguments) {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            if !matches!(failure, Failure::OutputClosed) {
                tell(&format!("acuse: {failure}"));
            }
            failure.exit_code()
        }
    }
}

fn start(arguments: Arguments) -> Result<Outcome, Failure> {
    let folder = std::env::current_dir().map_err(|error| Failure::Failed(format!("the current folder: {error}")))?;
    let stack = arguments.stack;
    let settings = Settings::find(stack.flags(), &Environment, stack.run.as_deref(), &folder)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Failed(format!("the runtime does not start: {error}")))?;
    let outcome = runtime.block_on(Box::pin(perform(arguments.command, &settings)));
    // A thread may still wait for a line of standard input that never comes.
    runtime.shutdown_background();
    outcome
}

async fn perform(command: Command, settings: &Settings<'_>) -> Result<Outcome, Failure> {
    let style = Style::of_stdout(&Environment);
    match command {
        Command::Topology(Topology::Apply) => topology::apply(settings).await,
        Command::Topology(Topology::Check) => topology::check(settings).await,
        Command::Stock(Stock::Load { file, delivery_id }) => stock::load(settings, &file, delivery_id).await,
        Command::Stock(Stock::List { json }) => stock::list(settings, json).await,
        Command::Orders(command) => perform_orders(command, settings, style).await,
        Command::DeadLetters(command) => dead_letters::perform(command, settings, &SystemClock, style).await,
        Command::Audit { json, wait, ledger } => {
            Box::pin(audit::audit(settings, ledger.as_deref(), wait, json, style)).await
        }
    }
}

async fn perform_orders(command: Orders, settings: &Settings<'_>, style: Style) -> Result<Outcome, Failure> {
    match command {
        Orders::Submit {
            file,
            rate,
            concurrency,
            copies,
            ledger,
            json,
        } => {
            let concurrency = usize::try_from(concurrency)
                .ok()
                .and_then(NonZeroUsize::new)
                .unwrap_or(NonZeroUsize::MIN);
            let submission = Submission {
                file,
                rate,
                concurrency,
                copies,
                ledger,
                json,
            };
            Box::pin(orders::submit::submit(settings, submission, style)).await
        }
        Orders::Show { id, json } => orders::show::show(settings, &id, json, style).await,
        Orders::List { state, limit, json } => {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            orders::list::list(settings, state.as_deref(), limit, json).await
        }
        Orders::Redo { id, why } => dead_letters::act::redo(settings, &id, why.reason).await,
        Orders::Latency { json } => orders::latency::latency(settings, json).await,
    }
}
