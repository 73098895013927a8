//! Where settings come from, and what is said when they come from nowhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cli::settings::Settings;

/// A folder of this test's own, with a run folder in it that has `text` in its file.
fn folder(name: &str, text: Option<&str>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let run = folder.join(".run");
    fs::create_dir_all(&run).expect("a folder for tests");
    match text {
        Some(text) => fs::write(run.join("env"), text).expect("a file for tests"),
        None => drop(fs::remove_file(run.join("env"))),
    }
    folder
}

#[test]
fn flags_come_before_the_environment_and_the_environment_before_the_file() {
    let folder = folder("precedence", Some("A=file\nB=file\nC=file\n"));
    let below = folder.join("services/deep");
    fs::create_dir_all(&below).unwrap();
    let environment = BTreeMap::from([("A", "environment"), ("B", "environment")]);
    let flags = BTreeMap::from([("A", "flag".to_owned())]);
    let settings = Settings::find(flags, &environment, None, &below).unwrap();
    let found = ["A", "B", "C"].map(|name| settings.required(name).unwrap());
    assert_eq!(found, ["flag", "environment", "file"]);
}

#[test]
fn a_named_run_folder_comes_before_the_nearest_one() {
    let near = folder("near", Some("A=near\n"));
    let (by_flag, by_variable) = (
        folder("flag", Some("A=flag\n")),
        folder("variable", Some("A=variable\n")),
    );
    let variable = by_variable.join(".run").display().to_string();
    let environment = BTreeMap::from([("ACUSE_RUN", &*variable)]);
    let value = |run: Option<&Path>| {
        let settings = Settings::find(BTreeMap::new(), &environment, run, &near).unwrap();
        settings.required("A").unwrap()
    };
    assert_eq!(value(Some(&by_flag.join(".run"))), "flag");
    assert_eq!(value(None), "variable");
}

#[test]
fn a_missing_setting_is_named_with_where_it_was_looked_for_and_what_to_do() {
    let told = |text: Option<&str>, run: bool| {
        let folder = folder("missing", text);
        let named = folder.join(".run").display().to_string();
        let environment = BTreeMap::from([("ACUSE_RUN", if run { &*named } else { "/nowhere" })]);
        let settings = Settings::find(BTreeMap::new(), &environment, None, &folder).unwrap();
        settings.required("ACUSE_TOKEN").unwrap_err().to_string()
    };
    let empty = told(Some("ACUSE_TOKEN=\n"), true);
    assert!(
        empty.starts_with("ACUSE_TOKEN is not set, and ") && empty.contains(".run/env does not have it"),
        "{empty}"
    );
    assert!(empty.contains("`make up`"), "{empty}");
    let absent = told(None, false);
    assert!(absent.contains("there is no /nowhere/env"), "{absent}");
}

#[test]
fn a_run_folder_that_is_asked_for_must_be_there_and_readable() {
    let environment = BTreeMap::new();
    let told = |run: &Path| {
        Settings::find(BTreeMap::new(), &environment, Some(run), run)
            .err()
            .unwrap()
            .to_string()
    };
    assert!(told(Path::new("/nowhere")).contains("there is no /nowhere/env"));
    let broken = folder("broken", Some("A=1\nnonsense\n")).join(".run");
    assert!(told(&broken).ends_with("env: line 2: must be NAME=value"));
}
