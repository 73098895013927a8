//! Values for tests.

use time::OffsetDateTime;

use crate::id::{CustomerId, Generation, IdempotencyKey, OrderId, PaymentId, ReservationId, Sku, WarehouseId};
use crate::message::{Address, Line, OrderMessage};
use crate::money::{Currency, Money};
use crate::order::{Order, Progress, State};
use crate::steps::{Documents, Notice, Reservation, ReservedLine, Shipment};

pub(crate) fn order() -> Order {
    let id = OrderId::parse("ORD-1").unwrap();
    let content = OrderMessage {
        key: IdempotencyKey::of_order(&id, Generation::FIRST),
        order: id,
        placed_at: OffsetDateTime::UNIX_EPOCH,
        customer: CustomerId::parse("C-1").unwrap(),
        payment: PaymentId::parse("P-1").unwrap(),
        address: Address {
            country: "MX".to_owned(),
            city: "Puebla".to_owned(),
            zip: "72000".to_owned(),
            line1: "Calle 5".to_owned(),
        },
        lines: vec![Line {
            sku: Sku::parse("A").unwrap(),
            quantity: 2,
            warehouse_hint: None,
            unit_price: None,
        }],
        shipping_fee: None,
        total: Money::parse("285.00", Currency::parse("MXN").unwrap()).unwrap(),
        not_before: None,
    };
    Order {
        content,
        document: "{}".into(),
        generation: Generation::FIRST,
        state: State::Accepted,
        progress: Progress::default(),
    }
}

pub(crate) fn reservation() -> Reservation {
    Reservation {
        id: ReservationId::parse("RSV-1").unwrap(),
        expires_at: OffsetDateTime::UNIX_EPOCH,
        lines: vec![ReservedLine {
            sku: Sku::parse("A").unwrap(),
            quantity: 2,
            warehouse: WarehouseId::parse("WH-MX-1").unwrap(),
            weight_grams: 100,
        }],
    }
}

pub(crate) fn shipment() -> Shipment {
    Shipment {
        origin: WarehouseId::parse("WH-MX-1").unwrap(),
        carrier: "Carrier".to_owned(),
        service: "Standard".to_owned(),
        estimated_delivery: "2026-04-09".to_owned(),
        tracking_number: "T-1".to_owned(),
        cost: order().content.total,
    }
}

pub(crate) fn documents() -> Documents {
    Documents {
        fiscal_id: "F-1".to_owned(),
        invoice_url: "http://d/1".to_owned(),
        label_urls: vec!["http://d/2".to_owned()],
    }
}

pub(crate) fn notice() -> Notice {
    Notice {
        id: "N-1".to_owned(),
        channels: vec!["email".to_owned()],
    }
}
