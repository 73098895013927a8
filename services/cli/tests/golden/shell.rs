//! The command as a shell runs it, against a console that answers as it is told.

use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use testkit::http::{TestServer, token};
use tokio::process::Command;

/// Bytes of a request that are kept.
const REQUEST_BYTES_MAX: usize = 1024 * 1024;

/// A server that has an answer for each path with its query, and keeps what it was asked.
pub struct Fake {
    server: TestServer,
    script: Arc<Script>,
}

struct Script {
    answers: Vec<(String, u16, String)>,
    asked: Mutex<Vec<(String, String)>>,
}

impl Fake {
    /// Answers each of `answers`, named by method and path with query, with a status and a body; anything else with 500.
    pub async fn start(answers: &[(&str, u16, Value)]) -> Self {
        let owned = answers
            .iter()
            .map(|(asked, status, body)| ((*asked).to_owned(), *status, body.to_string()));
        let script = Arc::new(Script {
            answers: owned.collect(),
            asked: Mutex::default(),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&script));
        Self {
            server: TestServer::start(router, "operator").await,
            script,
        }
    }

    /// Runs `acuse` with `arguments`.
    pub async fn acuse(&self, arguments: &[&str]) -> Said {
        acuse(&self.server.url, arguments).await
    }

    /// What it was asked so far, and with which bodies.
    pub fn asked(&self) -> Vec<(String, String)> {
        self.script.asked.lock().unwrap().clone()
    }
}

async fn answer(State(script): State<Arc<Script>>, request: Request) -> Response {
    let bearer = format!("Bearer {}", token("operator"));
    assert!(
        request
            .headers()
            .get("authorization")
            .is_some_and(|value| *value == *bearer)
    );
    let asked = format!("{} {}", request.method(), request.uri());
    let body = axum::body::to_bytes(request.into_body(), REQUEST_BYTES_MAX)
        .await
        .unwrap();
    let found = script.answers.iter().find(|(known, ..)| *known == asked);
    let (status, answer) = found.map_or_else(
        || (500, "{}".to_owned()),
        |(_, status, answer)| (*status, answer.clone()),
    );
    script
        .asked
        .lock()
        .unwrap()
        .push((asked, String::from_utf8(body.to_vec()).unwrap()));
    (StatusCode::from_u16(status).unwrap(), answer).into_response()
}

/// Runs `acuse` against the console at `url`, with nothing else set.
pub async fn acuse(url: &str, arguments: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_acuse"))
        .args(arguments)
        .env_clear()
        .env("ACUSE_TOKEN", token("operator"))
        .env("ACUSE_CONSOLE_URL", url)
        .env("ACUSE_RUN", "/nowhere")
        .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    output.await.unwrap().into()
}

/// How it ended, and what it said.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub code: i32,
    pub bytes: Vec<u8>,
    pub told: String,
}

impl Said {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    /// Exit code, standard output, standard error.
    pub fn parts(&self) -> (i32, &str, &str) {
        (self.code, self.text(), &self.told)
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            bytes: output.stdout,
            told: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
