//! Refusals and failures as problems.

use adapter_http::server::Failure;
use contracts::problem::Kind;

use crate::store::{Failed, Refusal};

/// Products that are named in a sentence.
const NAMED_MAX: usize = 5;

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Refused(refusal) => refused(refusal),
            Failed::Store(error) => error.into(),
        }
    }
}

fn refused(refusal: Refusal) -> Failure {
    let problem = match refusal {
        Refusal::UnknownSku(sku) => {
            let told = format!("{sku} was never delivered; a delivery of 0 units makes it known");
            Kind::UnknownSku.problem(told).about("items")
        }
        Refusal::OutOfStock(lines) => {
            let names: Vec<_> = lines.iter().take(NAMED_MAX).map(|line| line.sku.as_str()).collect();
            let more = if lines.len() > NAMED_MAX { " and more" } else { "" };
            let told = format!("no warehouse has enough of {}{more}", names.join(", "));
            let mut problem = Kind::OutOfStock.problem(told).about("items");
            problem.lines = lines;
            problem
        }
        Refusal::UnknownReservation => Kind::UnknownReservation
            .problem("this generation of the order has no such reservation")
            .about("reservation_id"),
        Refusal::ReservationExpired => Kind::ReservationExpired
            .problem("its time is over and its goods are available again; reserve again")
            .about("reservation_id"),
        Refusal::AlreadyDelivered => Kind::AlreadyExists
            .problem("a delivery of this name was counted with another content")
            .about("delivery_id"),
        Refusal::OtherWeight(sku, grams) => {
            let told = format!("{sku} is known with {grams} g; the weight of a product does not change");
            Kind::Invalid.problem(told).about("rows")
        }
        Refusal::TooMany => Kind::Invalid
            .problem("with what is there, more units of a product in one warehouse than can be counted")
            .about("rows"),
    };
    Failure::from(problem)
}
