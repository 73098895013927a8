use adapter_postgres::service::watch;
use platform::health::Readiness;
use testkit::wait::until;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::cases::{CLOSE, World, request};

#[tokio::test]
async fn a_lost_database_is_told_and_met_again() {
    let world = World::new("lost").await;
    let readiness = Readiness::starting();
    let stopping = CancellationToken::new();
    let mut watching = JoinSet::new();
    watching.spawn(watch(world.base.pool.clone(), readiness.clone(), stopping.clone()));
    until("the database is there", async || readiness.reason().is_none()).await;
    world.base.database.shut().await;
    until("the loss is told", async || readiness.reason().is_some()).await;
    let closing = serde_json::json!({ "order_id": "ORD-2", "generation": 1 });
    for lost in [
        world.generate("K-1", &request("ORD-1")).await,
        world.server.post(CLOSE, &closing).await,
    ] {
        assert_eq!((lost.status, lost.problem().as_str()), (503, "unavailable"));
        assert_eq!(lost.header("retry-after"), Some("1"));
        assert!(!lost.text.contains("postgres"), "{}", lost.text);
    }
    world.base.database.open().await;
    until("the database is back", async || readiness.reason().is_none()).await;
    assert_eq!(world.generate("K-1", &request("ORD-1")).await.status, 200);
    assert_eq!(world.server.post(CLOSE, &closing).await.status, 200);
    stopping.cancel();
    watching.join_all().await;
}
