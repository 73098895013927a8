//! Orders that the suites speak of.

use contracts::order_message;
use pipeline::change::{Actor, Commit, change};
use pipeline::failure::{Class, Failed};
use pipeline::happened::{Apology, Happened, Operated, Refund, Short};
use pipeline::id::{Generation, MessageId, OrderId, ReservationId, Sku, Version, WarehouseId};
use pipeline::order::{Order, Progress, State};
use pipeline::ports::NewOrder;
use pipeline::steps::{CommittedReservation, Documents, Notice, Reservation, ReservedLine, Shipment, StockCheck};
use time::macros::datetime;

/// The product that every order here wants, unless it says otherwise.
pub const SKU: &str = "ACC-HDMI-007";

/// Where it lies.
pub const WAREHOUSE: &str = "WH-MX-CDMX";

/// An order's id.
///
/// # Panics
///
/// When `text` is none.
#[must_use]
pub fn id(text: &str) -> OrderId {
    OrderId::parse(text).expect("an order id")
}

/// The document of a paid order for `units` of [`SKU`]; it has a member that nobody knows.
#[must_use]
pub fn document(order: &str, units: u32) -> String {
    format!(
        r#"{{"order_id":"{order}","timestamp":"2026-04-07T14:32:15Z","customer_id":"C-1","payment_id":"P-{order}",
            "shipping_address":{{"country":"MX","city":"Puebla","zip":"72000","line1":"Reforma 222"}},
            "items":[{{"sku":"{SKU}","qty":{units}}}],"total_amount":{{"value":285.00,"currency":"MXN"}},
            "idempotency_key":"{order}-v1","gift":"ñandú"}}"#
    )
}

/// The order that a document says, as checkout takes it in.
///
/// # Panics
///
/// When it says none.
#[must_use]
pub fn new_order(document: &str) -> NewOrder {
    let now = datetime!(2026-04-07 14:32:15 UTC);
    order_message::accept(document.as_bytes(), None, now).expect("a valid order")
}

/// An accepted order for `units` of [`SKU`], in one of its generations, without a past.
///
/// # Panics
///
/// When `order` is no id.
#[must_use]
pub fn order(order: &str, generation: u32, units: u32) -> Order {
    let NewOrder { content, document, .. } = new_order(&document(order, units));
    Order {
        content,
        document: document.into(),
        generation: Generation(generation),
        state: State::Accepted,
        progress: Progress::default(),
    }
}

/// Who works, in these suites: the second try of the order's message.
#[must_use]
pub fn actor(order: &Order) -> Actor {
    let message = MessageId::derive(&order.content.order, order.generation, "order.process");
    Actor {
        name: "worker-1".to_owned(),
        attempt: 2,
        message: Some(message),
    }
}

/// What `happened` makes of an order: the order after it, and the change to store.
///
/// # Panics
///
/// When it cannot happen.
#[must_use]
pub fn changed(order: &Order, version: Version, happened: Happened) -> (Order, Commit) {
    change(order, version, happened, &actor(order)).expect("it can happen")
}

/// Units of [`SKU`], taken from [`WAREHOUSE`].
///
/// # Panics
///
/// When `name` is no id.
#[must_use]
pub fn reservation(name: &str, units: u32) -> Reservation {
    Reservation {
        id: ReservationId::parse(name).expect("a reservation id"),
        expires_at: datetime!(2026-04-07 15:32:15 UTC),
        lines: vec![ReservedLine {
            sku: Sku::parse(SKU).expect("a SKU"),
            quantity: units,
            warehouse: warehouse(),
            weight_grams: 500,
        }],
    }
}

/// [`WAREHOUSE`].
///
/// # Panics
///
/// Never.
#[must_use]
pub fn warehouse() -> WarehouseId {
    WarehouseId::parse(WAREHOUSE).expect("a warehouse id")
}

/// A parcel out of [`WAREHOUSE`].
#[must_use]
pub fn shipment(order: &Order, tracking_number: &str) -> Shipment {
    Shipment {
        origin: warehouse(),
        carrier: "FedEx Mexico".to_owned(),
        service: "Express".to_owned(),
        estimated_delivery: "2026-04-09".to_owned(),
        tracking_number: tracking_number.to_owned(),
        cost: order.content.total,
    }
}

/// The straight road of an order, from its first step to its last.
///
/// # Panics
///
/// Never.
#[must_use]
pub fn road(order: &Order) -> Vec<Happened> {
    let held = reservation("RSV-1", 1);
    vec![
        Happened::CheckStock(StockCheck { available: true }),
        Happened::Reserve(held.clone()),
        Happened::CalculateShipment(vec![shipment(order, "FMX1")]),
        Happened::CommitReservation(CommittedReservation { id: held.id }),
        Happened::IssueDocuments(Documents {
            fiscal_id: "F-1".to_owned(),
            invoice_url: "http://documents/F-1".to_owned(),
            label_urls: vec!["http://documents/FMX1".to_owned()],
        }),
        Happened::NotifyCustomer(Notice {
            id: "NOTIF-1".to_owned(),
            channels: vec!["email".to_owned()],
        }),
    ]
}

/// A failure at a step.
#[must_use]
pub fn failed() -> Failed {
    Failed::new(Class::Refused, Some("check_stock"), "unknown-sku: «Ñ»", 2)
}

/// The goods ran out.
#[must_use]
pub fn out_of_stock() -> Happened {
    Happened::OutOfStock(vec![Short {
        sku: SKU.to_owned(),
        wanted: 1,
        available: 0,
    }])
}

/// The order is undone.
#[must_use]
pub fn refund(order: &Order) -> Refund {
    Refund {
        payment: order.content.payment.clone(),
        amount: order.content.total,
        notice: Apology::OutOfStock,
    }
}

/// An operator's deed.
#[must_use]
pub fn operated() -> Operated {
    Operated {
        by: "ana".to_owned(),
        reason: "the shop says so".to_owned(),
    }
}
