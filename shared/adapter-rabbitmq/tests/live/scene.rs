//! What the live tests have in common: a virtual host with the topology in it, messages, and a look into the queue.

use std::num::NonZeroU16;

use adapter_rabbitmq::management::Management;
use adapter_rabbitmq::publisher::ConfirmPublisher;
use adapter_rabbitmq::topology::{self, PROCESS_QUEUE};
use adapter_rabbitmq::url::BrokerUrl;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicGetOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties};
use pipeline::id::{Generation, MessageId, OrderId};
use pipeline::outgoing::{Destination, Envelope};
use testkit::broker::TestBroker;
use time::OffsetDateTime;

/// A virtual host with the topology applied.
pub struct Scene {
    pub broker: TestBroker,
    pub management: Management,
}

impl Scene {
    pub async fn set(test: &str) -> Self {
        let broker = TestBroker::create(test).await;
        let management = as_administrator(&broker);
        let report = topology::apply(&management).await.unwrap();
        assert_eq!(report.remaining, []);
        Self { broker, management }
    }

    pub fn url(&self) -> BrokerUrl {
        self.broker.url().parse().unwrap()
    }

    pub fn publisher(&self, channels_max: u16) -> ConfirmPublisher {
        ConfirmPublisher::new(self.url(), "test-publisher", NonZeroU16::new(channels_max).unwrap())
    }

    /// A channel beside those under test.
    pub async fn channel(&self) -> Channel {
        let connection = Connection::connect(&self.broker.url(), ConnectionProperties::default())
            .await
            .unwrap();
        connection.create_channel().await.unwrap()
    }

    /// Messages in the queue that no consumer holds.
    pub async fn ready(&self) -> u32 {
        let options = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::durable()
        };
        let channel = self.channel().await;
        let queue = channel
            .queue_declare(PROCESS_QUEUE.into(), options, FieldTable::default())
            .await
            .unwrap();
        queue.message_count()
    }

    /// Takes everything out of the queue.
    pub async fn drain(&self) -> Vec<Delivery> {
        let channel = self.channel().await;
        let mut taken = vec![];
        while let Some(got) = channel
            .basic_get(PROCESS_QUEUE.into(), BasicGetOptions::default())
            .await
            .unwrap()
        {
            assert!(got.ack(BasicAckOptions::default()).await.unwrap());
            taken.push(got.delivery);
        }
        taken
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
