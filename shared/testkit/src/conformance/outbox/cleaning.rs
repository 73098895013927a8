//! Rows that have left are not kept for ever.

use pipeline::outgoing::Destination;

use super::{HOUR, World, claim, mark, orders, place, rows};

pub(super) async fn old_rows_that_were_sent_are_cleaned_up_and_no_others(world: &dyn World) {
    place(world, 3).await;
    let holder = orders(world).await;
    world.pass(HOUR).await;
    let start = world.now().await;
    let claimed = claim(&holder, 2).await;
    mark(&holder, &rows(&claimed[..1])).await;
    let clean = async |before| holder.clean(before).await.expect("an answer");
    assert_eq!(
        clean(start - HOUR / 2).await,
        0,
        "it counts when a row was sent, not when it was written"
    );
    world.pass(HOUR).await;
    let events = world.holder(&[Destination::Events]).await;
    let of_another = events.clean(start + HOUR / 2).await;
    assert_eq!(of_another.expect("an answer"), 0, "each cleans up its own");
    assert_eq!(clean(start + HOUR / 2).await, 1);
    assert_eq!(clean(start + HOUR * 2).await, 0, "what was not sent stays");
    assert_eq!(world.pending().await, 2);
}

pub(super) async fn cleaning_is_bounded_and_goes_on(world: &dyn World) {
    const ROWS: u32 = 2_500;
    world.fill_sent(ROWS).await;
    let holder = orders(world).await;
    world.pass(HOUR).await;
    let before = world.now().await;
    let first = holder.clean(before).await.expect("an answer");
    assert!((1..u64::from(ROWS)).contains(&first), "{first} in one go");
    let mut all = first;
    loop {
        match holder.clean(before).await.expect("an answer") {
            0 => break,
            cleaned => all += cleaned,
        }
    }
    assert_eq!(all, u64::from(ROWS));
}
