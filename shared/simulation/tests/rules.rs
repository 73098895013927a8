//! Each rule of the order protocol: without it something is violated. That nothing is with it, every other test says.
//! `docs/simulation.md` tells the same as a table.

use std::sync::atomic::{AtomicU64, Ordering};

use simulation::{Sabotage, Settings, Violation, run};

/// Seeds within which a missing rule must show.
const SEEDS_MAX: u64 = 300;

/// Percent of calls that fail: more where only a call that is slept over for long shows it.
fn faults(sabotage: Sabotage) -> u64 {
    match sabotage {
        Sabotage::NoTombstone => 35,
        _ => 20,
    }
}

fn violation(sabotage: Sabotage, seed: u64) -> Option<Violation> {
    let settings = Settings {
        seed,
        orders: 20,
        faults: faults(sabotage),
        sabotage: Some(sabotage),
        told: false,
    };
    run(settings).violation
}

#[test]
fn without_any_of_the_rules_something_is_violated() {
    // The order's row fences all that a stored answer could bring about: see the table.
    let cases = Sabotage::ALL
        .into_iter()
        .filter(|rule| *rule != Sabotage::AnswerBeforeTombstone);
    let cases: Vec<_> = cases.collect();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let work = || {
            while let Some(sabotage) = cases.get(usize::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap()) {
                let found = (0..SEEDS_MAX).find_map(|seed| Some((seed, violation(*sabotage, seed)?)));
                let (seed, violation) = found.unwrap_or_else(|| panic!("{sabotage:?}: nothing is violated"));
                let text = violation.to_string();
                println!(
                    "{sabotage:?}: seed {seed}: {}",
                    text.chars().take(120).collect::<String>()
                );
            }
        };
        for thread in [scope.spawn(work), scope.spawn(work)] {
            thread.join().unwrap();
        }
    });
}
