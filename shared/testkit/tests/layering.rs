//! Which room may import which. The crates' manifests are the architecture; this holds them to it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// What each shared room may import of ours. Services are ruled by [`SERVICES_IMPORT`].
const SHARED: &[(&str, &[&str])] = &[
    ("pipeline", &[]),
    ("platform", &[]),
    ("contracts", &["pipeline"]),
    ("adapter-http", &["contracts", "pipeline", "platform"]),
    ("adapter-memory", &["contracts", "pipeline"]),
    ("adapter-postgres", &["contracts", "pipeline", "platform"]),
    ("adapter-rabbitmq", &["contracts", "pipeline", "platform"]),
    ("simulation", &["adapter-memory", "contracts", "pipeline"]),
    (
        "testkit",
        &[
            "adapter-http",
            "adapter-postgres",
            "adapter-rabbitmq",
            "contracts",
            "pipeline",
            "platform",
        ],
    ),
];

/// What a service may import of ours: any shared room but the tests' own, and never another service.
const SERVICES_IMPORT: &[&str] = &[
    "adapter-http",
    "adapter-postgres",
    "adapter-rabbitmq",
    "contracts",
    "pipeline",
    "platform",
];

/// What the hexagon must do without: runtimes, wires and stores.
const PIPELINE_WITHOUT: &[&str] = &[
    "tokio",
    "lapin",
    "sqlx",
    "redis",
    "reqwest",
    "axum",
    "serde_json",
    "hyper",
];

struct Package {
    service: bool,
    imports: BTreeSet<String>,
    tests_import: BTreeSet<String>,
}

fn packages() -> BTreeMap<String, Package> {
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let package = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let of_kind = |dev: bool| {
            let wanted = dependencies.iter().filter(|found| (found["kind"] == "dev") == dev);
            wanted.map(|found| text(&found["name"])).collect()
        };
        let found = Package {
            service: text(&package["manifest_path"]).contains("/services/"),
            imports: of_kind(false),
            tests_import: of_kind(true),
        };
        (text(&package["name"]), found)
    };
    metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(package)
        .collect()
}

#[test]
fn every_room_imports_only_what_it_may() {
    let packages = packages();
    let allowed: BTreeMap<_, _> = SHARED.iter().copied().collect();
    assert!(packages.len() >= allowed.len(), "cargo metadata found too few packages");
    for (name, package) in &packages {
        let may = match (package.service, allowed.get(name.as_str())) {
            (true, _) => SERVICES_IMPORT,
            (false, Some(may)) => may,
            (false, None) => panic!("{name} is a new shared room: say here what it may import"),
        };
        for import in package.imports.iter().filter(|import| packages.contains_key(*import)) {
            assert!(may.contains(&import.as_str()), "{name} must not import {import}");
        }
    }
}

#[test]
fn services_never_know_each_other_and_nothing_ships_the_testkit() {
    let packages = packages();
    for (name, package) in &packages {
        for (other, found) in &packages {
            let uses = package.imports.contains(other);
            assert!(!(uses && found.service), "{name} must not import the service {other}");
            assert!(!(uses && other == "testkit"), "{name} may use testkit in tests only");
            let tests_use = package.tests_import.contains(other);
            assert!(
                !(tests_use && found.service),
                "tests of {name} must not import the service {other}"
            );
        }
    }
}

#[test]
fn the_hexagon_knows_no_runtime_wire_or_store() {
    let packages = packages();
    let pipeline = &packages["pipeline"];
    for banned in PIPELINE_WITHOUT {
        assert!(!pipeline.imports.contains(*banned), "pipeline must do without {banned}");
    }
    for only in ["lapin", "backon"] {
        let users: Vec<_> = packages
            .iter()
            .filter(|(_, package)| package.imports.contains(only))
            .map(|(name, _)| name)
            .collect();
        assert!(
            users.len() <= 1,
            "{only} is imported by {users:?}; one adapter alone may"
        );
    }
}
