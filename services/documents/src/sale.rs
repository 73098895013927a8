//! What was sold: the content of a request, already valid.

use pipeline::id::{self, CustomerId, Generation, Id, OrderId, ReservationId, Sku};
use pipeline::money::Money;
use uuid::Uuid;

/// The kind of [`TrackingNumber`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tracking {}

impl id::Kind for Tracking {
    const NAME: &'static str = "tracking number";
}

/// What a carrier calls a parcel.
pub type TrackingNumber = Id<Tracking>;

/// A sale that documents are to be issued for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// For which order.
    pub order: OrderId,
    /// For which generation of it.
    pub generation: Generation,
    /// Who is invoiced.
    pub customer: CustomerId,
    /// The goods.
    pub reservation: ReservationId,
    /// The parcels: at least one, no two with one number.
    pub parcels: Vec<Parcel>,
    /// What was sold, where the order states unit prices; together with the fee it makes the total.
    pub lines: Vec<Line>,
    /// Cost of shipping, where stated.
    pub shipping_fee: Option<Money>,
    /// What was paid.
    pub total: Money,
}

/// A parcel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// Who carries it.
    pub carrier: String,
    /// What the carrier calls it.
    pub number: TrackingNumber,
}

/// A sold product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The product.
    pub sku: Sku,
    /// How many.
    pub quantity: u32,
    /// Price of one.
    pub unit_price: Money,
    /// Price of all.
    pub amount: Money,
}

/// Fixed for ever: another value would give invoices that exist another name.
const NAMESPACE: Uuid = Uuid::from_u128(0x1d0c_77f5_5e0b_4c3d_8a52_c0de_5a1e_0002);

impl Sale {
    /// The fiscal id of its invoice: the same for the same generation of an order, at whatever time.
    #[must_use]
    pub fn fiscal_id(&self) -> Uuid {
        // An id has no '/', so no two pairs give one text.
        Uuid::new_v5(&NAMESPACE, format!("{}/{}", self.order, self.generation.0).as_bytes())
    }
}
