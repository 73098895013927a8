//! Many seeds without a violation, everything met that the simulation claims to cover, and the same seed twice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use simulation::{Coverage, Settings, run};

/// New seeds of each test run, beside the regressions.
const SEEDS: u64 = 300;

fn settings(seed: u64, told: bool) -> Settings {
    Settings {
        seed,
        orders: 20,
        faults: 20,
        sabotage: None,
        told,
    }
}

/// Seeds that found something once, and then new ones.
fn seeds() -> Vec<u64> {
    let regressions = include_str!("../regressions.txt").lines();
    let seed = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok());
    let regressions = regressions.filter(|line| !line.starts_with('#')).filter_map(seed);
    regressions.chain(0..SEEDS).collect()
}

#[test]
fn nothing_is_violated_and_all_that_is_claimed_is_met() {
    let (seeds, next, met) = (seeds(), AtomicU64::new(0), Mutex::new(Coverage::default()));
    std::thread::scope(|scope| {
        let work = || {
            while let Some(seed) = seeds.get(usize::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap()) {
                let report = run(settings(*seed, false));
                if let Some(violation) = report.violation {
                    panic!("seed {seed}: {violation}; `simulation --seed {seed}` tells its history");
                }
                met.lock().unwrap().merge(&report.coverage);
            }
        };
        for thread in [scope.spawn(work), scope.spawn(work)] {
            thread.join().unwrap();
        }
    });
    assert_eq!(met.into_inner().unwrap().missing(), [""; 0], "never met");
}

#[test]
fn one_seed_has_one_history() {
    let (once, twice) = (run(settings(42, true)), run(settings(42, true)));
    assert!(once.history.len() > 1_000, "{} lines", once.history.len());
    assert_eq!(once.history, twice.history);
    assert_ne!(once.history, run(settings(43, true)).history);
}
