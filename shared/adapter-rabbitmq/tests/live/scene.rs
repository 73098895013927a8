//! What the live tests have in common: a virtual host with the topology in it, messages, and a look into the queue.

use std::num::NonZeroU16;

use adapter_rabbitmq::management::Management;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::topology::{self, PROCESS_QUEUE, Setting};
use adapter_rabbitmq::url::BrokerUrl;
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties};
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::outgoing::{Destination, Envelope, Marks, ORDER_PROCESS};
use serde_json::{Map, Value, json};
use testkit::broker::TestBroker;
use testkit::wait;
use time::OffsetDateTime;
use tokio::sync::OnceCell;

/// A virtual host with the topology applied.
pub struct Scene {
    pub broker: TestBroker,
    pub management: Management,
    beside: OnceCell<Connection>,
}

impl Scene {
    pub async fn set(test: &str) -> Self {
        let broker = TestBroker::create(test).await;
        let management = as_administrator(&broker);
        let report = topology::apply(&management).await.unwrap();
        assert_eq!(report.remaining, []);
        Self {
            broker,
            management,
            beside: OnceCell::new(),
        }
    }

    /// Makes every rest a tenth of what it is.
    pub async fn hasten(&self) {
        for policy in &topology::topology().policies {
            let mut settings: Map<String, Value> = policy
                .definition
                .iter()
                .map(|(key, value)| {
                    let value = match value {
                        Setting::Number(number) => json!(number),
                        Setting::Text(text) => json!(text),
                    };
                    ((*key).to_owned(), value)
                })
                .collect();
            if let Some(rest) = settings.get("message-ttl").and_then(Value::as_i64) {
                settings.insert("message-ttl".to_owned(), (rest / 10).into());
                let body = json!({ "pattern": policy.pattern, "priority": policy.priority, "definition": settings });
                self.broker
                    .put(&["policies", self.broker.vhost(), &policy.name], &body)
                    .await;
            }
        }
    }

    pub fn url(&self) -> BrokerUrl {
        self.broker.url().parse().unwrap()
    }

    pub fn publisher(&self, channels_max: u16) -> ConfirmPublisher {
        ConfirmPublisher::new(self.url(), "test-publisher", NonZeroU16::new(channels_max).unwrap())
    }

    /// A channel on a connection beside those under test.
    pub async fn channel(&self) -> Channel {
        let url = self.broker.url();
        let connect = || Connection::connect(&url, ConnectionProperties::default());
        let connection = self.beside.get_or_try_init(connect).await.unwrap();
        connection.create_channel().await.unwrap()
    }

    /// Messages in `orders.process` that no consumer holds.
    pub async fn ready(&self) -> u32 {
        self.ready_in(PROCESS_QUEUE).await
    }

    /// Messages in `queue` that no consumer holds.
    pub async fn ready_in(&self, queue: &str) -> u32 {
        let options = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::durable()
        };
        let channel = self.channel().await;
        let declared = channel.queue_declare(queue.into(), options, FieldTable::default());
        declared.await.unwrap().message_count()
    }

    /// Takes everything out of `orders.process`.
    pub async fn drain(&self) -> Vec<Delivery> {
        self.drain_from(PROCESS_QUEUE).await
    }

    /// Takes everything out of `queue`.
    pub async fn drain_from(&self, queue: &str) -> Vec<Delivery> {
        let channel = self.channel().await;
        let mut taken = vec![];
        while let Some(got) = channel
            .basic_get(queue.into(), BasicGetOptions::default())
            .await
            .unwrap()
        {
            assert!(got.ack(BasicAckOptions::default()).await.unwrap());
            taken.push(got.delivery);
        }
        taken
    }

    /// Takes the one message out of `queue`, as soon as it is there.
    pub async fn take(&self, queue: &str) -> Delivery {
        wait::until("a message has come", async || self.ready_in(queue).await > 0).await;
        let mut taken = self.drain_from(queue).await;
        assert_eq!(taken.len(), 1, "in {queue}");
        taken.remove(0)
    }

    /// Messages in all queues that no consumer holds.
    pub async fn messages(&self) -> u32 {
        let mut messages = 0;
        for queue in &topology::topology().queues {
            messages += self.ready_in(&queue.name).await;
        }
        messages
    }

    /// Publishes anything to `orders.process`, as somebody else might; returns once the broker has it.
    pub async fn inject(&self, body: &[u8], properties: BasicProperties) {
        self.inject_to("orders", body, properties).await;
    }

    /// The same, to `exchange`.
    pub async fn inject_to(&self, exchange: &str, body: &[u8], properties: BasicProperties) {
        let channel = self.channel().await;
        channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let sent = channel.basic_publish(exchange.into(), ORDER_PROCESS.into(), options, body, properties);
        let confirmation = sent.await.unwrap().await.unwrap();
        assert!(matches!(confirmation, Confirmation::Ack(None)), "{confirmation:?}");
    }
}

pub fn as_administrator(broker: &TestBroker) -> Management {
    let (user, password) = broker.administrator();
    let url = broker.management_url().parse().unwrap();
    Management::new(url, user, password.clone(), broker.vhost()).unwrap()
}

/// The message of order number `n`.
pub fn process(n: u32) -> Envelope {
    let order = OrderId::parse(&format!("ORD-{n}")).unwrap();
    let body = format!(
        r#"{{"order_id":"{order}","timestamp":"2026-04-07T14:32:15Z","customer_id":"C-1","payment_id":"P-1",
            "shipping_address":{{"country":"MX","city":"Ciudad de Mexico","zip":"06600","line1":"Reforma 222"}},
            "items":[{{"sku":"ACC-HDMI-007","qty":2}}],"total_amount":{{"value":285.00,"currency":"MXN"}},
            "idempotency_key":"{order}-v1"}}"#
    );
    Envelope {
        id: MessageId::derive(&order, Generation::FIRST, "order.process"),
        destination: Destination::Orders,
        kind: "order.process".to_owned(),
        order,
        generation: Generation::FIRST,
        marks: Marks::default(),
        body,
        created_at: OffsetDateTime::from_unix_timestamp(1_775_572_335).unwrap(),
    }
}

/// A message that no queue is bound for.
pub fn nowhere(n: u32) -> Envelope {
    Envelope {
        kind: "order.nowhere".to_owned(),
        ..process(n)
    }
}
