//! Messages that belong to no order and go back to where they came from.

use contracts::console::ActAnswer;
use lapin::types::AMQPValue;
use pipeline::dead_letters::Queue;
use pipeline::failure::{Class, Failed};

use crate::base::{console, console_at, letter};
use crate::broker::Broker;

#[tokio::test]
async fn a_message_of_no_order_is_sent_again_byte_for_byte_to_where_its_work_is_done() {
    let broker = Broker::set("console-again").await;
    let it = console_at("again", &broker.broker.url()).await;
    for (from, to) in [
        (Queue::Process, "orders.process"),
        (Queue::Invalid, "orders.process"),
        (Queue::Compensation, "orders.compensation"),
    ] {
        let entry = it.stray(from, b"{\"odd\": 1.00}\0\xff").await;
        let answer: ActAnswer = it.act(entry, "replay").await.ok();
        assert_eq!((answer.id, answer.done.as_str()), (entry.to_string(), "replayed"));
        assert_eq!(it.view(entry).await.row.state, "replayed");
        let sent = broker.take(to).await;
        assert_eq!(sent.data, b"{\"odd\": 1.00}\0\xff", "out of {}", from.name());
        let headers = sent.properties.headers().as_ref().unwrap().inner();
        let replay = AMQPValue::LongString(entry.to_string().into());
        assert_eq!(headers.get("replay"), Some(&replay));
        for queue in ["orders.process", "orders.compensation"] {
            assert!(broker.is_empty(queue).await, "{queue}");
        }
        let again = it.act(entry, "replay").await;
        assert_eq!((again.status, again.problem().as_str()), (409, "not-waiting"));
    }
}

#[tokio::test]
async fn an_undo_message_that_nobody_understood_goes_back_to_where_it_is_undone() {
    let broker = Broker::set("console-again-undo").await;
    let it = console_at("again_undo", &broker.broker.url()).await;
    let mut undo = letter(Queue::Invalid, "ORD-9", Failed::new(Class::Invalid, None, "no JSON", 1));
    undo.content.properties = r#"{"type": "order.compensate"}"#.to_owned();
    let entry = it.kept(&undo).await;
    assert_eq!(it.act(entry, "replay").await.status, 200);
    assert_eq!(broker.take("orders.compensation").await.data, undo.content.body);
    assert!(broker.is_empty("orders.process").await);
}

#[tokio::test]
async fn a_message_that_nobody_confirmed_still_waits() {
    let it = console("again_nowhere").await;
    let entry = it.stray(Queue::Process, b"{}").await;
    let reply = it.act(entry, "replay").await;
    assert_eq!((reply.status, reply.problem().as_str()), (503, "unavailable"));
    assert_eq!(it.view(entry).await.row.state, "open");
}
