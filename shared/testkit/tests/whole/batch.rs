//! Orders to send through a stack, and what became of them.

use std::path::{Path, PathBuf};

use platform::config::{Environment, Source as _};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use testkit::stack::Stack;

/// Orders and the stock that they need, as files.
pub struct Batch {
    pub orders: PathBuf,
    pub stock: PathBuf,
    pub count: u64,
}

impl Batch {
    /// The repository's own invented orders.
    pub fn sample(stack: &Stack) -> Self {
        Self::of(&stack.file("deploy/samples"), "orders.jsonl", "stock.csv")
    }

    /// The real orders where they are at hand, else the sample.
    pub fn largest(stack: &Stack) -> Self {
        let folder = Environment
            .get("ACUSE_REAL_DATA")
            .map_or_else(|| stack.file("../shared/data"), PathBuf::from);
        if folder.join("orders-br.jsonl").exists() {
            Self::of(&folder, "orders-br.jsonl", "stock-br.csv")
        } else {
            eprintln!("no real orders in {}: the sample serves", folder.display());
            Self::sample(stack)
        }
    }

    fn of(folder: &Path, orders: &str, stock: &str) -> Self {
        let orders = folder.join(orders);
        let text = std::fs::read_to_string(&orders).unwrap();
        Self {
            orders,
            stock: folder.join(stock),
            count: text.lines().filter(|line| !line.trim().is_empty()).count() as u64,
        }
    }

    pub fn load_stock(&self, stack: &Stack) {
        let loaded = stack.acuse(&["stock", "load", self.stock.to_str().unwrap()]);
        assert!(loaded.status.success(), "{loaded:?}");
    }
}

/// What `acuse audit --json` says, and its exit code.
pub fn audit(stack: &Stack, more: &[&str]) -> (Value, i32) {
    let output = stack.acuse(&[&["audit", "--json", "--wait", "300s"], more].concat());
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (told, output.status.code().unwrap())
}

/// A connection to the database of `service` (`""` for the orders' own).
pub async fn database(stack: &Stack, service: &str) -> PgConnection {
    let name = if service.is_empty() {
        "ACUSE_DATABASE_URL".to_owned()
    } else {
        format!("ACUSE_{service}_DATABASE_URL")
    };
    let settings = stack.settings();
    let url = settings
        .get(&name)
        .unwrap_or_else(|| panic!("{name} is not in the env file"));
    PgConnection::connect(url).await.unwrap()
}
