//! A virtual host with the topology in it, and a way in beside the console.

use adapter_rabbitmq::management::Management;
use adapter_rabbitmq::topology;
use adapter_rabbitmq::url::BrokerUrl;
use lapin::message::BasicGetMessage;
use lapin::options::{BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties};
use testkit::broker::TestBroker;
use testkit::wait::until_some;

pub struct Broker {
    pub broker: TestBroker,
    beside: Connection,
}

impl Broker {
    pub async fn set(test: &str) -> Self {
        let broker = TestBroker::create(test).await;
        let (user, password) = broker.administrator();
        let url = broker.management_url().parse().unwrap();
        let management = Management::new(url, user, password.clone(), broker.vhost()).unwrap();
        assert_eq!(topology::apply(&management).await.unwrap().remaining, []);
        let url = broker.url();
        let beside = Connection::connect(&url, ConnectionProperties::default());
        let beside = beside.await.unwrap();
        Self { broker, beside }
    }

    pub fn url(&self) -> BrokerUrl {
        self.broker.url().parse().unwrap()
    }

    async fn channel(&self) -> Channel {
        self.beside.create_channel().await.unwrap()
    }

    /// Publishes anything; returns once the broker has it in a queue.
    pub async fn publish(&self, exchange: &str, key: &str, body: &[u8], properties: BasicProperties) {
        let channel = self.channel().await;
        channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let sent = channel.basic_publish(exchange.into(), key.into(), options, body, properties);
        let confirmation = sent.await.unwrap().await.unwrap();
        assert!(matches!(confirmation, Confirmation::Ack(None)), "{confirmation:?}");
    }

    /// Messages in the queue, in a consumer's hands or not.
    pub async fn held(&self, queue: &str) -> u64 {
        let told = self.broker.get(&["queues", self.broker.vhost(), queue]).await;
        told["messages"].as_u64().unwrap_or_default()
    }

    /// Takes the next message out of the queue, as soon as there is one.
    pub async fn take(&self, queue: &str) -> BasicGetMessage {
        let channel = self.channel().await;
        let got = until_some(&format!("a message is in {queue}"), async || {
            let got = channel.basic_get(queue.into(), BasicGetOptions::default());
            got.await.unwrap()
        })
        .await;
        assert!(got.ack(BasicAckOptions::default()).await.unwrap());
        got
    }

    /// Whether the queue has no message that nobody holds.
    pub async fn is_empty(&self, queue: &str) -> bool {
        let channel = self.channel().await;
        let got = channel.basic_get(queue.into(), BasicGetOptions::default());
        // Whatever was got goes back with its channel.
        got.await.unwrap().is_none()
    }
}

/// Properties of a message that one of us made a dead letter; `None` where the broker did.
pub fn dead(order: &str, class: Option<&str>) -> BasicProperties {
    let mut headers = FieldTable::default();
    headers.insert("generation".into(), AMQPValue::LongLongInt(1));
    if let Some(class) = class {
        headers.insert("failure-class".into(), AMQPValue::LongString(class.into()));
        headers.insert("last-error".into(), AMQPValue::LongString("nobody knows it".into()));
    }
    BasicProperties::default()
        .with_correlation_id(order.into())
        .with_headers(headers)
}
