//! `acuse orders latency`: how long completed orders took, and how many there were a second.

use std::time::Duration;

use contracts::checkout::OrderSummary;
use serde::Serialize;
use time::OffsetDateTime;

use crate::failure::{Failure, Outcome};
use crate::percentiles::{Durations, Percentiles};
use crate::servers::{Go, Server, each_row};
use crate::settings::Settings;
use crate::terminal::print;

/// From accepted to completed, over all completed orders.
#[derive(Debug, PartialEq, Serialize)]
pub struct Latency {
    count: u64,
    /// From the first that was accepted to the last that was finished.
    orders_per_s: f64,
    #[serde(flatten)]
    percentiles: Option<Percentiles>,
}

/// Prints it.
///
/// # Errors
///
/// When checkout cannot be read.
pub async fn latency(settings: &Settings<'_>, json: bool) -> Result<Outcome, Failure> {
    let api = Server::Checkout.api(settings, 1)?;
    let mut sum = Sum::default();
    each_row(&api, "/orders", |order: OrderSummary| {
        sum.add(&order);
        Ok(Go::On)
    })
    .await?;
    let latency = sum.latency();
    print(&if json {
        serde_json::to_string(&latency).map_err(|error| Failure::Failed(error.to_string()))? + "\n"
    } else {
        latency.text()
    })?;
    Ok(Outcome::Fine)
}

/// Orders added up one by one.
#[derive(Debug, Default)]
pub struct Sum {
    count: u64,
    durations: Durations,
    span: Option<(OffsetDateTime, OffsetDateTime)>,
}

impl Sum {
    /// Adds an order, if it is completed.
    pub fn add(&mut self, order: &OrderSummary) {
        let Some(end) = order.finished_at.filter(|_| order.state == "completed") else {
            return;
        };
        let start = order.accepted_at;
        self.count += 1;
        // Two clocks may disagree by a little; nothing takes less than no time.
        self.durations
            .add(Duration::try_from(end - start).unwrap_or(Duration::ZERO));
        self.span = Some(match self.span {
            None => (start, end),
            Some((first, last)) => (first.min(start), last.max(end)),
        });
    }

    /// What they come to.
    #[must_use]
    pub fn latency(&self) -> Latency {
        let seconds = self.span.map_or(0.0, |(first, last)| (last - first).as_seconds_f64());
        #[expect(
            clippy::cast_precision_loss,
            reason = "a figure to look at, of far fewer orders than 2^52"
        )]
        let per_second = if seconds > 0.0 {
            self.count as f64 / seconds
        } else {
            0.0
        };
        Latency {
            count: self.count,
            orders_per_s: (per_second * 10.0).round() / 10.0,
            percentiles: self.durations.percentiles(),
        }
    }
}

impl Latency {
    fn text(&self) -> String {
        match &self.percentiles {
            None => "no completed orders\n".to_owned(),
            Some(percentiles) => format!(
                "{} completed orders, {}/s; from accepted to completed {percentiles}\n",
                self.count, self.orders_per_s
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn only_completed_orders_count_and_the_rate_is_over_the_whole_span() {
        let mut sum = Sum::default();
        assert_eq!(sum.latency().text(), "no completed orders\n");
        let start = datetime!(2026-11-27 12:00 UTC);
        let mut order = OrderSummary {
            order_id: "o".to_owned(),
            state: "completed".to_owned(),
            generation: 1,
            accepted_at: start,
            finished_at: Some(start + Duration::from_millis(250)),
        };
        sum.add(&order);
        order.accepted_at = start + Duration::from_secs(3);
        order.finished_at = Some(start + Duration::from_secs(4));
        sum.add(&order);
        order.state = "compensated".to_owned();
        sum.add(&order);
        order.finished_at = None;
        sum.add(&order);
        let json = serde_json::to_string(&sum.latency()).unwrap();
        assert_eq!(
            json,
            r#"{"count":2,"orders_per_s":0.5,"p50_ms":250.0,"p95_ms":1000.0,"p99_ms":1000.0}"#
        );
    }
}
