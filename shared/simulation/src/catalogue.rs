//! What is sold, and orders for it.

use adapter_memory::inventory::MemoryInventory;
use contracts::order_message::accept;
use pipeline::id::{Sku, WarehouseId};
use pipeline::ports::NewOrder;

use adapter_memory::chance::Chance;
use adapter_memory::clock::Clock;

/// What an order asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goods {
    /// One product, of which there is enough.
    One,
    /// Two products out of two warehouses.
    Two,
    /// A product that runs out.
    Scarce,
    /// A product that nobody knows.
    Unknown,
    /// A product that ends whatever worker handles its order.
    Killer,
}

const KILLER: &str = "KILLER";
const UNKNOWN: &str = "NO-SUCH";
const WAREHOUSES: [&str; 2] = ["WH-MX-1", "WH-MX-2"];

/// Units of the product that runs out, for each 10 orders.
const SCARCE_UNITS: u32 = 1;

impl Goods {
    /// What the next order asks for.
    pub(crate) fn draw(chance: &Chance) -> Self {
        match chance.draw(20) {
            0..7 => Self::One,
            7..12 => Self::Two,
            12..17 => Self::Scarce,
            17..19 => Self::Unknown,
            _ => Self::Killer,
        }
    }

    fn lines(self) -> &'static str {
        match self {
            Self::One => r#"{"sku":"PLENTY-1","qty":1,"warehouse_hint":"WH-MX-1"}"#,
            Self::Two => {
                r#"{"sku":"PLENTY-1","qty":2,"warehouse_hint":"WH-MX-1"},{"sku":"PLENTY-2","qty":1,"warehouse_hint":"WH-MX-2"}"#
            }
            Self::Scarce => r#"{"sku":"PLENTY-1","qty":1},{"sku":"SCARCE","qty":1}"#,
            Self::Unknown => r#"{"sku":"NO-SUCH","qty":1}"#,
            Self::Killer => r#"{"sku":"KILLER","qty":1}"#,
        }
    }
}

/// The document of the order of this number.
#[must_use]
pub fn document(number: usize, goods: Goods) -> String {
    let lines = goods.lines();
    format!(
        r#"{{"order_id":"ORD-{number}","timestamp":"2026-04-07T14:32:15Z","customer_id":"C-{number}","payment_id":"P-{number}","shipping_address":{{"country":"MX","city":"Mexico","zip":"06600","line1":"Reforma 222"}},"items":[{lines}],"total_amount":{{"value":100.00,"currency":"MXN"}},"idempotency_key":"ORD-{number}-v1"}}"#
    )
}

/// An order as checkout decodes it.
///
/// # Panics
///
/// Never: our own documents are valid.
#[must_use]
pub(crate) fn order(document: &str) -> NewOrder {
    accept(document.as_bytes(), None, Clock::at(0)).expect("our own documents are valid")
}

/// Whether the document's work can never succeed as it is.
pub(crate) fn is_bad(document: &str) -> bool {
    document.contains(UNKNOWN) || kills(document.as_bytes())
}

/// Whether the work on a message with this body ends its worker.
pub(crate) fn kills(body: &[u8]) -> bool {
    body.windows(KILLER.len()).any(|window| window == KILLER.as_bytes())
}

pub(crate) fn stock(inventory: &MemoryInventory, orders: usize) {
    let orders = u32::try_from(orders).unwrap_or(u32::MAX);
    let scarce = orders.div_ceil(10) * SCARCE_UNITS;
    for (sku, units) in [
        ("PLENTY-1", orders * 4),
        ("PLENTY-2", orders * 4),
        ("SCARCE", scarce),
        (KILLER, orders),
    ] {
        for warehouse in WAREHOUSES {
            if let (Ok(sku), Ok(warehouse)) = (Sku::parse(sku), WarehouseId::parse(warehouse)) {
                inventory.deliver(&sku, &warehouse, units);
            }
        }
    }
}
