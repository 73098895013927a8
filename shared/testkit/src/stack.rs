//! The whole stack, as `deploy/local/stack` starts it, empty, for one test at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use platform::config::{Environment, Source as _};

/// The run folder of the servers that `make test` started.
const RUN: &str = "ACUSE_TEST_RUN";

/// A running stack that nobody else uses. Its processes end and its data go when it is dropped; the servers stay.
pub struct Stack {
    root: PathBuf,
    run: PathBuf,
    passed: Vec<(&'static str, &'static str)>,
    _alone: File,
}

impl Stack {
    /// Waits for its turn, then starts all processes on empty databases and an empty broker.
    ///
    /// # Panics
    ///
    /// When there are no servers, or something does not start; the panic shows what the script said.
    #[must_use]
    pub fn start_empty() -> Self {
        Self::start_empty_with(&[])
    }

    /// The same, with settings that its processes take over; they hold for whatever is started later as well.
    ///
    /// # Panics
    ///
    /// As above.
    #[must_use]
    pub fn start_empty_with(settings: &[(&'static str, &'static str)]) -> Self {
        let run = Environment
            .get(RUN)
            .unwrap_or_else(|| panic!("{RUN} is not set: run make test, which starts servers"));
        let run = PathBuf::from(run);
        let alone = File::create(run.join("stack-test.lock")).expect("a file in the run folder");
        alone.lock().expect("a lock that waits");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let stack = Self {
            root: root.canonicalize().expect("the repository"),
            run,
            passed: settings.to_vec(),
            _alone: alone,
        };
        stack.script(&["reset"]);
        stack.script(&["up"]);
        stack
    }

    /// Runs `deploy/local/stack`.
    ///
    /// # Panics
    ///
    /// When it fails; the panic shows what it said.
    pub fn script(&self, arguments: &[&str]) {
        let output = self.try_script(arguments);
        assert!(output.status.success(), "stack {arguments:?}: {}", said(&output));
    }

    fn try_script(&self, arguments: &[&str]) -> Output {
        let script = self.root.join("deploy/local/stack");
        let script = Command::new(script)
            .args(arguments)
            .env("ACUSE_RUN", &self.run)
            .envs(self.passed.iter().copied())
            .output();
        script.expect("deploy/local/stack can be run")
    }

    /// Ends a process with SIGKILL, and starts it again.
    pub fn kill_and_restart(&self, process: &str) {
        self.script(&["kill", process]);
        self.script(&["start", process]);
    }

    /// Puts bytes on the exchange `orders`, as anyone can who may write there; `properties` are AMQP's, as JSON.
    ///
    /// # Panics
    ///
    /// When the broker does not take them.
    pub fn publish(&self, body: &[u8], properties: &str) {
        let file = self.scratch("published");
        std::fs::write(&file, body).expect("a file in the run folder");
        let file = file.to_str().expect("a path of plain characters");
        self.script(&["publish", "orders", "order.process", file, properties]);
    }

    /// Sends a process a signal such as `STOP` or `CONT`.
    ///
    /// # Panics
    ///
    /// When it does not run.
    pub fn signal(&self, process: &str, signal: &str) {
        let pid = std::fs::read_to_string(self.run.join("pids").join(process)).expect("it was started");
        let pid = pid.split_whitespace().next().expect("a process id");
        let sent = Command::new("kill").args(["-s", signal, pid]).status();
        assert!(sent.is_ok_and(|status| status.success()), "no {signal} for {process}");
    }

    /// Runs `acuse` to its end.
    ///
    /// # Panics
    ///
    /// When it is not built.
    #[must_use]
    pub fn acuse(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("target/release/acuse is built")
    }

    /// Starts `acuse` and lets it run.
    ///
    /// # Panics
    ///
    /// When it is not built.
    #[must_use]
    pub fn start_acuse(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("target/release/acuse is built")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let target = Environment
            .get("CARGO_TARGET_DIR")
            .map_or_else(|| self.root.join("target"), PathBuf::from);
        let mut command = Command::new(self.root.join(target).join("release/acuse"));
        command
            .args(arguments)
            .env("ACUSE_RUN", &self.run)
            .current_dir(&self.root);
        command
    }

    /// A file of the repository.
    #[must_use]
    pub fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A file that goes with the run folder.
    #[must_use]
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.run.join(name)
    }

    /// What the stack tells its users: the assignments of its `env` file.
    ///
    /// # Panics
    ///
    /// When there is no such file.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(self.run.join("env")).expect("the stack has written its env file");
        let lines = text.lines().filter_map(|line| line.split_once('='));
        lines
            .map(|(name, value)| (name.to_owned(), value.trim_matches('\'').to_owned()))
            .collect()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What went wrong is in the logs, and a reset keeps them.
            eprintln!("logs of the stack: {}", self.run.join("logs").display());
        }
        let output = self.try_script(&["reset"]);
        if !output.status.success() {
            eprintln!("the stack could not be reset: {}", said(&output));
        }
    }
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}
