//! The fiscal documents, over HTTP.

use async_trait::async_trait;
use contracts::close::CloseRequest;
use contracts::documents::{CloseAnswer, GenerateAnswer, GenerateRequest, InvoiceLine, ShipmentRef};
use contracts::money::WireMoney;
use pipeline::id::{Generation, IdempotencyKey, OrderId};
use pipeline::message::Line;
use pipeline::order::Order;
use pipeline::ports::{CallError, Documents};
use pipeline::steps::{self, Reservation, Shipment};

use super::Api;

/// What is asked for.
const KIND: &str = "invoice_and_shipping_label";

/// [`Documents`] over HTTP.
pub struct HttpDocuments(pub Api);

#[async_trait]
impl Documents for HttpDocuments {
    async fn generate(
        &self,
        key: &IdempotencyKey,
        order: &Order,
        reservation: &Reservation,
        shipments: &[Shipment],
    ) -> Result<steps::Documents, CallError> {
        let content = &order.content;
        let parcel = |shipment: &Shipment| ShipmentRef {
            carrier: shipment.carrier.clone(),
            tracking_number: shipment.tracking_number.clone(),
        };
        let priced = |line: &Line| {
            line.unit_price.map(|price| InvoiceLine {
                sku: line.sku.to_string(),
                qty: line.quantity,
                unit_price: WireMoney(price),
            })
        };
        let request = GenerateRequest {
            order_id: content.order.to_string(),
            generation: order.generation.0,
            idempotency_key: Some(key.to_string()),
            kind: KIND.to_owned(),
            customer_id: content.customer.to_string(),
            reservation_id: reservation.id.to_string(),
            shipments: shipments.iter().map(parcel).collect(),
            lines: content.lines.iter().filter_map(priced).collect(),
            shipping_fee: content.shipping_fee.map(WireMoney),
            total: WireMoney(content.total),
        };
        let answer: GenerateAnswer = self
            .0
            .post_json("/documents/generate", Some(key.as_str()), &request)
            .await?;
        if answer.cfdi_uuid.is_empty() || answer.shipping_label_urls.len() != shipments.len() {
            return Err(CallError::Unknown {
                service: "documents",
                source: "the answer lacks the invoice or a label".into(),
            });
        }
        Ok(steps::Documents {
            fiscal_id: answer.cfdi_uuid,
            invoice_url: answer.invoice_url,
            label_urls: answer.shipping_label_urls,
        })
    }

    async fn close(&self, order: &OrderId, generation: Generation) -> Result<(), CallError> {
        let request = CloseRequest {
            order_id: order.to_string(),
            generation: generation.0,
        };
        let _told: CloseAnswer = self.0.post_json("/documents/close", None, &request).await?;
        Ok(())
    }
}
