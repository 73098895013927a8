use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use platform::config::Reader;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::super::serve;
use super::*;

#[tokio::test]
async fn a_panic_is_a_problem_that_says_nothing_of_its_cause() {
    let routes: Routes<()> = Routes::default().get("/trap", || async {
        let digits = std::hint::black_box("a secret");
        digits.parse::<u8>().expect("a secret").to_string()
    });
    let response = routes.finish((), around()).oneshot(request("/trap")).await.unwrap();
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    assert!(
        body.contains(&Kind::Internal.uri()) && !body.contains("secret"),
        "{body}"
    );
}

#[tokio::test]
async fn a_request_that_has_begun_is_finished_though_its_caller_hangs_up() {
    let (begun, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (finished, mut told) = mpsc::channel(1);
    let (at_work, pass) = (Arc::clone(&begun), Arc::clone(&gate));
    let routes: Routes<()> = Routes::default().get("/slow", || async move {
        at_work.notify_one();
        pass.notified().await;
        let _told = finished.send(()).await;
    });
    let mut answering = Box::pin(routes.finish((), around()).oneshot(request("/slow")));
    tokio::select! {
        _ = &mut answering => panic!("it was answered before it was done"),
        () = begun.notified() => {}
    }
    drop(answering);
    gate.notify_one();
    assert_eq!(told.recv().await, Some(()), "it was dropped half-way");
}

#[tokio::test]
async fn the_error_dial_refuses_before_anything_is_done_and_leaves_logs_alone() {
    let routes: Routes<()> = Routes::default()
        .get("/act", || async { Failure::new(Kind::Internal, "it was reached") })
        .log("/log", || async { "told" });
    let app = routes.finish((), dialled("ACUSE_ERRORS_PERCENT"));
    let refused = app.clone().oneshot(request("/act")).await.unwrap();
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "1");
    for path in ["/log", "/health/live", "/openapi.json"] {
        let told = app.clone().oneshot(request(path)).await.unwrap();
        assert_eq!(told.status(), StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn the_time_out_dial_lets_the_work_be_done_and_keeps_the_answer() {
    let done = Arc::new(Notify::new());
    let at_end = Arc::clone(&done);
    let routes: Routes<()> = Routes::default().get("/act", || async move {
        at_end.notify_one();
        "done"
    });
    let app = routes.finish((), dialled("ACUSE_TIMEOUTS_PERCENT"));
    let mut answering = Box::pin(app.oneshot(request("/act")));
    tokio::select! {
        _ = &mut answering => panic!("it was answered"),
        () = done.notified() => {}
    }
    let answered = tokio::time::timeout(Duration::from_millis(200), answering).await;
    assert!(answered.is_err(), "it was answered after the work was done");
}

#[tokio::test]
async fn a_withheld_answer_is_held_until_its_caller_goes_away() {
    let done = Arc::new(Notify::new());
    let at_end = Arc::clone(&done);
    let routes: Routes<()> = Routes::default().get("/act", || async move { at_end.notify_one() });
    let app = routes.finish((), dialled("ACUSE_TIMEOUTS_PERCENT"));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut caller = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let stopping = CancellationToken::new();
    let mut serving = JoinSet::new();
    serving.spawn(serve(listener, app, stopping.clone()));
    let asked = "GET /act HTTP/1.1\r\nhost: a\r\nauthorization: Bearer abc\r\n\r\n";
    caller.write_all(asked.as_bytes()).await.unwrap();
    done.notified().await;
    drop(caller);
    stopping.cancel();
    // A server that stops waits for its connections.
    let ended = tokio::time::timeout(Duration::from_secs(20), serving.join_next()).await;
    assert!(ended.is_ok(), "the connection was held though nobody was there");
}

/// Surroundings in which this dial takes every request.
fn dialled(dial: &'static str) -> Surroundings {
    let source = BTreeMap::from([(dial, "100")]);
    let dials = Dials::read(&mut Reader::new(&source)).expect("100 is a share");
    Surroundings { dials, ..around() }
}

fn around() -> Surroundings {
    let token = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // of "abc"
    Surroundings {
        callers: format!("worker:{token}").parse().unwrap(),
        dials: Dials::NONE,
        readiness: Readiness::starting(),
        openapi: "{}",
        body_bytes_max: 10,
        announced_bytes_max: 10,
    }
}

fn request(path: &str) -> Request<Body> {
    let request = Request::get(path).header("authorization", "Bearer abc");
    request.body(Body::empty()).unwrap()
}
