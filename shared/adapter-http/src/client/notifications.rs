//! What reaches the customer, over HTTP.

use std::collections::BTreeMap;

use async_trait::async_trait;
use contracts::notifications::{ORDER_CONFIRMED, SendAnswer, SendRequest};
use pipeline::id::IdempotencyKey;
use pipeline::order::Order;
use pipeline::ports::{CallError, Notifications};
use pipeline::steps::{Notice, Shipment};

use super::Api;

/// How a customer is told.
const CHANNELS: [&str; 2] = ["email", "push"];

/// [`Notifications`] over HTTP.
pub struct HttpNotifications(pub Api);

#[async_trait]
impl Notifications for HttpNotifications {
    async fn confirm(&self, key: &IdempotencyKey, order: &Order, shipments: &[Shipment]) -> Result<Notice, CallError> {
        let content = &order.content;
        let joined = |part: fn(&Shipment) -> &str| shipments.iter().map(part).collect::<Vec<_>>().join(", ");
        let data = [
            ("country", content.address.country.clone()),
            ("total", content.total.to_string()),
            ("carriers", joined(|shipment| &shipment.carrier)),
            ("tracking_numbers", joined(|shipment| &shipment.tracking_number)),
            (
                "estimated_delivery",
                shipments
                    .iter()
                    .map(|s| s.estimated_delivery.clone())
                    .max()
                    .unwrap_or_default(),
            ),
        ];
        let channels = CHANNELS.map(str::to_owned).to_vec();
        let request = SendRequest {
            order_id: content.order.to_string(),
            generation: order.generation.0,
            idempotency_key: Some(key.to_string()),
            customer_id: content.customer.to_string(),
            template: ORDER_CONFIRMED.to_owned(),
            channels: channels.clone(),
            data: data
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
        };
        let answer: SendAnswer = self
            .0
            .post_json("/notifications/send", Some(key.as_str()), &request)
            .await?;
        if answer.notification_id.is_empty() {
            return Err(CallError::Unknown {
                service: "notifications",
                source: "the notice has no id".into(),
            });
        }
        Ok(Notice {
            id: answer.notification_id,
            channels,
        })
    }
}
