//! What a ledger keeps, whatever its writer died of.

use std::fs;
use std::path::{Path, PathBuf};

use cli::ledger::{Ledger, read};
use pipeline::id::OrderId;

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("a file for tests");
    path
}

fn ids(path: &Path) -> Result<Vec<String>, String> {
    let mut ids = vec![];
    let told = read(path, |order| ids.push(order.to_string()));
    told.map(|()| ids).map_err(|failure| failure.to_string())
}

#[test]
fn ids_are_kept_behind_those_that_are_there() {
    let path = file("ledger-kept", "O-1\n\n");
    Ledger::open(&path)
        .unwrap()
        .add(&OrderId::parse("O-2").unwrap())
        .unwrap();
    assert_eq!(ids(&path).unwrap(), ["O-1", "O-2"]);
}

#[test]
fn half_an_id_is_neither_read_nor_glued_to_the_next() {
    for before in ["O-1\nO-", "O-"] {
        let path = file("ledger-half", before);
        assert_eq!(ids(&path).unwrap().len(), before.lines().count() - 1);
        assert!(
            Ledger::open(&path)
                .unwrap_err()
                .to_string()
                .contains("its last line has no end")
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }
}

#[test]
fn a_file_that_is_no_ledger_is_not_believed() {
    let long = format!("O-1\n{{\"order_id\":\"{}\"}}", "x".repeat(500));
    assert!(
        ids(&file("ledger-none", &long))
            .unwrap_err()
            .contains("is it a ledger?")
    );
    assert!(
        ids(&file("ledger-bad", "O-1\nO 2\n"))
            .unwrap_err()
            .contains("line 2: order id must be")
    );
}
