//! `simulation`: runs seeds, and tells the history of one.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use simulation::{Coverage, Report, Sabotage, Settings, run};

/// Runs the order pipeline in a seeded world and looks whether the order protocol holds.
#[derive(Parser)]
#[command(after_help = "Examples:\n  simulation --seeds 1000\n  simulation --seed 42 --orders 3 | less")]
struct Arguments {
    /// Prints the history of this seed alone.
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Runs so many seeds.
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Orders in each run.
    #[arg(long, default_value_t = 20)]
    orders: usize,
    /// Percent of all calls that fail.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=90))]
    faults: u64,
    /// Takes a rule of the order protocol out.
    #[arg(long, value_enum)]
    without: Option<Sabotage>,
}

/// Runs between two lines of progress.
const PROGRESS_EVERY: u64 = 500;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.seed {
        Some(seed) => tell(&arguments, seed),
        None => run_all(&arguments),
    }
}

fn settings(arguments: &Arguments, seed: u64, told: bool) -> Settings {
    Settings {
        seed,
        orders: arguments.orders,
        faults: arguments.faults,
        sabotage: arguments.without,
        told,
    }
}

fn tell(arguments: &Arguments, seed: u64) -> ExitCode {
    let report = run(settings(arguments, seed, true));
    for line in &report.history {
        println!("{line}");
    }
    let Some(violation) = report.violation else {
        println!("seed {seed}: at rest after {} turns, nothing violated", report.steps);
        return ExitCode::SUCCESS;
    };
    println!("seed {seed}, turn {}: {violation}", report.steps);
    ExitCode::FAILURE
}

/// What all threads have found.
#[derive(Default)]
struct Found {
    coverage: Coverage,
    steps: u64,
    failed: Vec<(u64, Report)>,
}

fn run_all(arguments: &Arguments) -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, found) = (AtomicU64::new(0), Mutex::new(Found::default()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(arguments, &next, &found));
        }
    });
    let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (name, count) in found.coverage.counts() {
        println!("{count:>10}  {name}");
    }
    for (seed, report) in &found.failed {
        if let Some(violation) = &report.violation {
            println!("seed {seed}, turn {}: {violation}", report.steps);
        }
    }
    let missing = found.coverage.missing();
    if !missing.is_empty() {
        println!("never met: {}", missing.join(", "));
    }
    let (seeds, failed) = (arguments.seeds, found.failed.len());
    println!("simulation: {seeds} seeds, {} turns, {failed} violations", found.steps);
    if failed == 0 && missing.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn work(arguments: &Arguments, next: &AtomicU64, found: &Mutex<Found>) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= arguments.seeds {
            return;
        }
        let seed = arguments.from + number;
        let report = run(settings(arguments, seed, false));
        let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        found.coverage.merge(&report.coverage);
        found.steps += report.steps;
        if report.violation.is_some() {
            found.failed.push((seed, report));
        }
        if (number + 1).is_multiple_of(PROGRESS_EVERY) {
            eprintln!(
                "{} of {} seeds, {} violations",
                number + 1,
                arguments.seeds,
                found.failed.len()
            );
        }
    }
}
