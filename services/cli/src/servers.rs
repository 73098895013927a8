//! The servers that this command talks to over HTTP.

use std::fmt::Write as _;

use adapter_http::client::{Api, Bounds};
use contracts::effects::Page;
use contracts::limits::PAGE_ROWS_MAX;
use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::settings::Settings;

/// From the start of a call to its answer: a page of a large log takes its time.
const CALL_MS: u64 = 30_000;

/// Pages of one list; more is a server that goes round in circles.
const PAGES_MAX: usize = 1_000_000;

/// A server of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// Takes orders.
    Checkout,
    /// Keeps the stock.
    Inventory,
    /// Calculates shipments.
    Logistics,
    /// Issues documents.
    Documents,
    /// Tells customers.
    Notifications,
}

impl Server {
    fn name(self) -> &'static str {
        match self {
            Self::Checkout => "checkout",
            Self::Inventory => "inventory",
            Self::Logistics => "logistics",
            Self::Documents => "documents",
            Self::Notifications => "notifications",
        }
    }

    /// The setting that holds its URL.
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::Checkout => "ACUSE_CHECKOUT_URL",
            Self::Inventory => "ACUSE_INVENTORY_URL",
            Self::Logistics => "ACUSE_LOGISTICS_URL",
            Self::Documents => "ACUSE_DOCUMENTS_URL",
            Self::Notifications => "ACUSE_NOTIFICATIONS_URL",
        }
    }

    /// A way to it for `in_flight_max` calls at once; nothing is connected yet.
    ///
    /// # Errors
    ///
    /// When URL or token are not set, or cannot be used.
    pub fn api(self, settings: &Settings<'_>, in_flight_max: usize) -> Result<Api, Failure> {
        let url = settings.required(self.setting())?;
        let token = settings.secret("ACUSE_TOKEN")?;
        let bounds = Bounds {
            in_flight_max,
            call_ms: CALL_MS,
        };
        Ok(Api::new(self.name(), &url, &token, bounds)?)
    }
}

/// Hands every row of a list to `row`, page by page, until it says that it has enough.
///
/// # Errors
///
/// When a page cannot be read, or the pages do not end.
pub async fn each_row<T: DeserializeOwned>(
    api: &Api,
    path: &str,
    mut row: impl FnMut(T) -> Result<Go, Failure>,
) -> Result<(), Failure> {
    let mut after: Option<String> = None;
    for _ in 0..PAGES_MAX {
        let page: Page<T> = api.get_json(&page_path(path, after.as_deref())).await?;
        for found in page.rows {
            if row(found)? == Go::Enough {
                return Ok(());
            }
        }
        if page.next.is_none() {
            return Ok(());
        }
        if page.next == after {
            break;
        }
        after = page.next;
    }
    Err(Failure::Failed(format!("the pages of {path} do not end")))
}

/// Whether to go on with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// Further rows, please.
    On,
    /// No more.
    Enough,
}

fn page_path(path: &str, after: Option<&str>) -> String {
    let mut query = format!("{path}?limit={PAGE_ROWS_MAX}");
    if let Some(after) = after {
        query.push_str("&after=");
        for byte in after.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                query.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _written = write!(query, "%{byte:02X}");
            }
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_passes_through_a_query_unharmed() {
        assert_eq!(page_path("/effects", None), "/effects?limit=1000");
        assert_eq!(
            page_path("/orders", Some("a&b=é/ 1")),
            "/orders?limit=1000&after=a%26b%3D%C3%A9%2F%201"
        );
    }
}
