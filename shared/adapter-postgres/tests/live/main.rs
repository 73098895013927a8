//! The order database on a real server.
#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test may")]

mod books;
mod ledger;
mod races;
mod rows;
mod scene;
mod world;

use testkit::conformance;

use crate::world::Base;

#[tokio::test]
async fn orders() {
    let base = Base::new("orders").await;
    conformance::orders::hold(async |_fact| base.fresh().await).await;
}

#[tokio::test]
async fn intake() {
    let base = Base::new("intake").await;
    conformance::intake::hold(async |_fact| base.fresh().await).await;
}

#[tokio::test]
async fn outbox() {
    let base = Base::new("outbox").await;
    conformance::outbox::hold(async |_fact| base.fresh().await).await;
}

#[tokio::test]
async fn dead_letters() {
    let base = Base::new("dead_letters").await;
    conformance::dead_letters::hold(async |_fact| base.fresh().await).await;
}
