use inventory::expiry::{keep_house, sweep};
use platform::health::Readiness;
use testkit::wait::until;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::cases::{RESERVE, World, reserve};

#[tokio::test]
async fn what_ran_out_while_the_database_was_lost_goes_back_once_it_is_there() {
    let world = World::with_stock("lost_house", &[("A", "WH-MX-1", 5)]).await;
    world.reserved("ORD-1", &[("A", 2, None)]).await;
    let stopping = CancellationToken::new();
    let mut keeping = JoinSet::new();
    world.base.database.shut().await;
    world.wait(60);
    assert!(sweep(&*world.base.upkeep(), &*world.watch).await.is_err());
    keeping.spawn(keep_house(world.base.upkeep(), world.watch.clone(), stopping.clone()));
    world.base.database.open().await;
    until("its goods are back", async || world.done("ORD-1").await.len() == 2).await;
    stopping.cancel();
    keeping.join_all().await;
    world.assert_balanced().await;
}

#[tokio::test]
async fn a_lost_database_is_told_and_met_again() {
    let world = World::with_stock("inventory_lost", &[("A", "WH-MX-1", 5)]).await;
    let readiness = Readiness::starting();
    let stopping = CancellationToken::new();
    let mut watching = JoinSet::new();
    watching.spawn(adapter_postgres::service::watch(
        world.base.pool.clone(),
        readiness.clone(),
        stopping.clone(),
    ));
    until("the database is there", async || readiness.reason().is_none()).await;
    world.base.database.shut().await;
    until("the loss is told", async || readiness.reason().is_some()).await;
    let lost = world.post(RESERVE, "K-1", &reserve("ORD-1", &[("A", 1, None)])).await;
    assert_eq!((lost.status, lost.problem().as_str()), (503, "unavailable"));
    assert_eq!(lost.header("retry-after"), Some("1"));
    assert!(!lost.text.contains("postgres"), "{}", lost.text);
    world.base.database.open().await;
    until("the database is back", async || readiness.reason().is_none()).await;
    assert_eq!(
        world
            .post(RESERVE, "K-1", &reserve("ORD-1", &[("A", 1, None)]))
            .await
            .status,
        200
    );
    stopping.cancel();
    watching.join_all().await;
}
