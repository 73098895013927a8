//! A PostgreSQL database of one's own for one test.

use platform::config::{Environment, Secret, Source as _};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _};

/// Where the tests' PostgreSQL is: the URL of a role that may create databases.
const SERVER: &str = "ACUSE_TEST_PG_URL";

/// Longest name of a database, in bytes, by PostgreSQL's rule.
const NAME_LENGTH_MAX: usize = 63;

/// An empty database that is dropped with this value, whoever is still connected to it.
pub struct TestDatabase {
    /// How to reach it.
    pub url: Secret,
    name: String,
}

impl TestDatabase {
    /// Creates a database named after `test`, which no other test of the same program may use; what a killed run left
    /// under the same name is dropped first.
    ///
    /// # Panics
    ///
    /// When there is no server or it refuses.
    pub async fn create(test: &str) -> Self {
        let letters = test
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        assert!(letters, "{test:?} must be made of a-z 0-9 _");
        let suffix = format!("_{}", std::process::id());
        let room = NAME_LENGTH_MAX - "test_".len() - suffix.len();
        let name = format!("test_{}{suffix}", &test[..test.len().min(room)]);
        administer(&[
            format!("drop database if exists {name} with (force)"),
            format!("create database {name}"),
        ])
        .await;
        let server = server();
        let (base, _database) = server
            .rsplit_once('/')
            .expect("ACUSE_TEST_PG_URL ends in a database's name");
        let Ok(url) = format!("{base}/{name}").parse();
        Self { url, name }
    }

    /// Ends all connections to it and lets nobody connect until [`TestDatabase::open`]: a server that went away.
    ///
    /// # Panics
    ///
    /// When the server refuses.
    pub async fn shut(&self) {
        let name = &self.name;
        let connected = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'");
        administer(&[format!("alter database {name} allow_connections false"), connected]).await;
    }

    /// Lets everybody connect again.
    ///
    /// # Panics
    ///
    /// When the server refuses.
    pub async fn open(&self) {
        administer(&[format!("alter database {} allow_connections true", self.name)]).await;
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        // The test's own runtime may be ending: the drop gets one of its own, on a thread of its own.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime to drop the database in");
            runtime.block_on(administer(&[format!("drop database if exists {name} with (force)")]));
        });
        if dropping.join().is_err() {
            eprintln!("the test's database could not be dropped; it goes with the server that make test started");
        }
    }
}

async fn administer(statements: &[String]) {
    let options: PgConnectOptions = server().parse().expect("ACUSE_TEST_PG_URL is a postgres:// URL");
    let mut connection = options.connect().await.expect("the tests' PostgreSQL answers");
    for statement in statements {
        let done = sqlx::query(AssertSqlSafe(statement.as_str()))
            .execute(&mut connection)
            .await;
        done.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

fn server() -> String {
    Environment
        .get(SERVER)
        .unwrap_or_else(|| panic!("{SERVER} is not set: run make test, which starts PostgreSQL"))
}
