//! What reaches the customer, over HTTP.

use std::collections::BTreeMap;

use async_trait::async_trait;
use contracts::close::CloseRequest;
use contracts::notifications::{CloseAnswer, ORDER_CONFIRMED, SendAnswer, SendRequest};
use pipeline::happened::Apology;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::order::Order;
use pipeline::ports::{CallError, Notifications, Told};
use pipeline::steps::{Notice, Shipment};

use super::Api;

/// How a customer is told.
const CHANNELS: [&str; 2] = ["email", "push"];

/// [`Notifications`] over HTTP.
pub struct HttpNotifications(pub Api);

#[async_trait]
impl Notifications for HttpNotifications {
    async fn confirm(&self, key: &IdempotencyKey, order: &Order, shipments: &[Shipment]) -> Result<Notice, CallError> {
        let joined = |part: fn(&Shipment) -> &str| shipments.iter().map(part).collect::<Vec<_>>().join(", ");
        let last_day = shipments.iter().map(|shipment| &shipment.estimated_delivery).max();
        let data = [
            ("total", order.content.total.to_string()),
            ("carriers", joined(|shipment| &shipment.carrier)),
            ("tracking_numbers", joined(|shipment| &shipment.tracking_number)),
            ("estimated_delivery", last_day.cloned().unwrap_or_default()),
        ];
        let request = notice(key, order, ORDER_CONFIRMED, data);
        let channels = request.channels.clone();
        let answer = self.send(key, &request).await?;
        Ok(Notice {
            id: answer.notification_id,
            channels,
        })
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<Told, CallError> {
        let request = CloseRequest {
            order_id: order.to_string(),
            generation: generation.0,
        };
        let answer: CloseAnswer = self.0.post_json("/notifications/close", None, &request).await?;
        Ok(Told {
            confirmed: answer.sent.iter().any(|template| template == ORDER_CONFIRMED),
        })
    }

    async fn apologise(&self, key: &IdempotencyKey, order: &Order, apology: Apology) -> Result<(), CallError> {
        let data = [("refund_total", order.content.total.to_string())];
        let request = notice(key, order, apology.template(), data);
        let _sent = self.send(key, &request).await?;
        Ok(())
    }
}

impl HttpNotifications {
    async fn send(&self, key: &IdempotencyKey, request: &SendRequest) -> Result<SendAnswer, CallError> {
        let answer: SendAnswer = self
            .0
            .post_json("/notifications/send", Some(key.as_str()), request)
            .await?;
        if answer.notification_id.is_empty() {
            return Err(CallError::Unknown {
                service: "notifications",
                source: "the notice has no id".into(),
            });
        }
        Ok(answer)
    }
}

fn notice<const N: usize>(
    key: &IdempotencyKey,
    order: &Order,
    template: &str,
    data: [(&str, String); N],
) -> SendRequest {
    let content = &order.content;
    let mut data: BTreeMap<_, _> = data.map(|(name, value)| (name.to_owned(), value)).into();
    data.insert("country".to_owned(), content.address.country.clone());
    SendRequest {
        order_id: content.order.to_string(),
        generation: order.generation.0,
        idempotency_key: Some(key.to_string()),
        customer_id: content.customer.to_string(),
        template: template.to_owned(),
        channels: CHANNELS.map(str::to_owned).to_vec(),
        data,
    }
}
