//! The ladder of rests, on a broker whose rests are a tenth of the real ones unless a test says otherwise.

use std::collections::BTreeMap;

use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldArray, FieldTable};
use pipeline::dead_letters::Queue as Dead;
use pipeline::failure::{Class, Failed};
use pipeline::retry::ATTEMPTS_MAX;
use pipeline::verdict::Verdict;
use tokio::time::Instant;

use crate::rig::{Held, Rig};
use crate::scene::process;

fn give_up(held: Held) {
    let failed = Failed::new(Class::UnknownOrder, None, "tried often enough", held.delivery.attempt);
    held.answer(Verdict::Unknown(failed));
}

#[tokio::test]
async fn three_ladders_with_a_replay_in_between_keep_exactly_one_message() {
    let mut rig = Rig::hasty("three-ladders", 1).await;
    rig.publish([1]).await;
    for ladder in 1..=3 {
        for attempt in 1..=ATTEMPTS_MAX {
            let held = rig.next().await;
            assert_eq!(held.delivery.attempt, attempt, "on ladder {ladder}");
            assert_eq!(rig.scene.messages().await, 0, "there is more than what is in hand");
            if attempt < ATTEMPTS_MAX {
                held.retry();
                continue;
            }
            let content = held.received.letter(Dead::Process).content;
            give_up(held);
            rig.scene.take(Dead::Process.name()).await;
            if ladder < 3 {
                rig.publisher
                    .send_again(Dead::Process, &content, "entry")
                    .await
                    .unwrap();
            }
        }
    }
    assert!(!rig.has_more());
    assert_eq!(rig.scene.messages().await, 0);
    rig.stop().await;
}

#[tokio::test]
async fn the_attempt_is_ours_and_none_of_the_brokers_counters() {
    let mut rig = Rig::hasty("own-attempt", 1).await;
    let mut death = FieldTable::default();
    death.insert("count".into(), AMQPValue::LongLongInt(99));
    death.insert("reason".into(), AMQPValue::LongString("expired".into()));
    death.insert("queue".into(), AMQPValue::LongString("orders.process".into()));
    let mut headers = FieldTable::default();
    let deaths = FieldArray::from(vec![AMQPValue::FieldTable(death)]);
    headers.insert("x-death".into(), AMQPValue::FieldArray(deaths));
    headers.insert("x-retry-count".into(), AMQPValue::LongLongInt(99));
    let properties = BasicProperties::default().with_headers(headers);
    rig.scene.inject(process(1).body.as_bytes(), properties).await;
    for attempt in 1..=ATTEMPTS_MAX {
        let held = rig.next().await;
        assert_eq!((held.delivery.attempt, held.delivery.returns), (attempt, 0));
        rig.crash().await;
        drop(held);
        let again = rig.next().await;
        assert_eq!((again.delivery.attempt, again.delivery.returns), (attempt, 1));
        if attempt < ATTEMPTS_MAX {
            again.retry();
        } else {
            give_up(again);
        }
    }
    rig.scene.take(Dead::Process.name()).await;
    rig.stop().await;
}

#[tokio::test]
async fn ten_good_orders_finish_while_a_bad_one_climbs_its_ladder() {
    let mut rig = Rig::hasty("bad-first", 1).await;
    rig.publish(0..=10).await;
    let mut order = vec![];
    loop {
        let held = rig.next().await;
        order.push(held.number());
        match (held.number(), held.delivery.attempt) {
            (0, ATTEMPTS_MAX) => {
                give_up(held);
                break;
            }
            (0, _) => held.retry(),
            _ => held.complete(),
        }
    }
    let bad = order.iter().filter(|number| **number == 0).count();
    assert_eq!((order.len() - bad, bad), (10, 6), "{order:?}");
    let last_good = order.iter().rposition(|number| *number != 0).unwrap();
    let before = order[..last_good].iter().filter(|number| **number == 0).count();
    assert!(before < 4, "the good ones waited for the bad one: {order:?}");
    rig.stop().await;
}

/// On the real first rung: rests of 0.75, 1 and 1.25 s.
#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_that_fail_together_do_not_return_together() {
    const ALL: u16 = 300;
    let mut rig = Rig::start("spread", ALL).await;
    rig.is_green().await;
    rig.publish(1..=ALL.into()).await;
    let mut together = vec![];
    for _ in 0..ALL {
        together.push(rig.next_now().await);
    }
    together.into_iter().for_each(Held::retry);
    let failed_at = Instant::now();
    let mut per_100_ms = BTreeMap::<u128, u32>::new();
    for _ in 0..ALL {
        let again = rig.next_now().await;
        assert_eq!(again.delivery.attempt, 2);
        *per_100_ms.entry(failed_at.elapsed().as_millis() / 100).or_default() += 1;
        again.complete();
    }
    eprintln!("returned per 100 ms: {per_100_ms:?}");
    let peak = per_100_ms.values().max().unwrap();
    assert!(*peak <= 200, "{per_100_ms:?}");
    assert!(per_100_ms.len() >= 3, "{per_100_ms:?}");
    rig.stop().await;
}
