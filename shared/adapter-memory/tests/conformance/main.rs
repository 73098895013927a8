//! The ports in memory mean what the ports on real servers mean.
#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test may")]

mod broker;
mod services;
mod store;

use std::sync::Arc;

use adapter_memory::chance::Chance;
use adapter_memory::clock::Clock;
use adapter_memory::faults::Faults;
use testkit::conformance;

/// A world in which nothing fails.
fn calm() -> (Arc<Clock>, Arc<Faults>) {
    let clock = Arc::<Clock>::default();
    clock.pass(FIRST_MS);
    (clock, Arc::new(Faults::new(Arc::new(Chance::new(1)), 0)))
}

/// When everything here begins.
const FIRST_MS: u64 = 1_775_572_335_000;

#[tokio::test]
async fn orders() {
    conformance::orders::hold(store::World::fresh).await;
}

#[tokio::test]
async fn intake() {
    conformance::intake::hold(store::World::fresh).await;
}

#[tokio::test]
async fn outbox() {
    conformance::outbox::hold(store::World::fresh).await;
}

#[tokio::test]
async fn dead_letters() {
    conformance::dead_letters::hold(store::World::fresh).await;
}

#[tokio::test]
async fn queue() {
    conformance::queue::hold(broker::World::fresh).await;
}

#[tokio::test]
async fn inventory() {
    conformance::inventory::hold(services::Stock::fresh).await;
}

#[tokio::test]
async fn logistics() {
    conformance::logistics::hold(services::Carriers::fresh).await;
}

#[tokio::test]
async fn documents() {
    conformance::documents::hold(services::Office::fresh).await;
}

#[tokio::test]
async fn notifications() {
    conformance::notifications::hold(services::Notices::fresh).await;
}
