//! The servers that this command talks to over HTTP.

use std::collections::BTreeMap;
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
    /// Keeps dead letters.
    Console,
}

impl Server {
    fn name(self) -> &'static str {
        match self {
            Self::Checkout => "checkout",
            Self::Inventory => "inventory",
            Self::Logistics => "logistics",
            Self::Documents => "documents",
            Self::Notifications => "notifications",
            Self::Console => "console",
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
            Self::Console => "ACUSE_CONSOLE_URL",
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

/// What to read of a list.
#[derive(Debug, Clone)]
pub struct Listing<'a> {
    path: &'a str,
    /// Filters, by the parameter's name.
    query: BTreeMap<&'static str, String>,
    page_rows: u32,
}

impl<'a> Listing<'a> {
    /// The rows of `path` that pass the filters `query`; a page has up to `page_rows` of them.
    #[must_use]
    pub fn new(path: &'a str, query: BTreeMap<&'static str, String>, page_rows: u32) -> Self {
        Self {
            path,
            query,
            page_rows: page_rows.min(PAGE_ROWS_MAX),
        }
    }

    fn page(&self, after: Option<&str>) -> String {
        let mut page = format!("{}?limit={}", self.path, self.page_rows);
        let after = after.map(|after| ("after", after));
        let filters = self.query.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in filters.chain(after) {
            // Writing to a string cannot fail.
            let _written = write!(page, "&{name}=");
            encode(value, &mut page);
        }
        page
    }
}

impl<'a> From<&'a str> for Listing<'a> {
    /// All of it.
    fn from(path: &'a str) -> Self {
        Self::new(path, BTreeMap::new(), PAGE_ROWS_MAX)
    }
}

/// Hands every row of a list to `row`, page by page, until it says that it has enough.
///
/// # Errors
///
/// When a page cannot be read, or the pages do not end.
pub async fn each_row<T: DeserializeOwned>(
    api: &Api,
    listing: impl Into<Listing<'_>>,
    mut row: impl FnMut(T) -> Result<Go, Failure>,
) -> Result<(), Failure> {
    let listing = listing.into();
    let mut after: Option<String> = None;
    for _ in 0..PAGES_MAX {
        let page: Page<T> = api.get_json(&listing.page(after.as_deref())).await?;
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
    Err(Failure::Failed(format!("the pages of {} do not end", listing.path)))
}

/// Whether to go on with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// Further rows, please.
    On,
    /// No more.
    Enough,
}

/// Appends a query's value so that it arrives as it is.
fn encode(value: &str, query: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            query.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _written = write!(query, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_and_a_cursor_pass_through_a_query_unharmed() {
        assert_eq!(Listing::from("/effects").page(None), "/effects?limit=1000");
        let filters = BTreeMap::from([("queue", "a+b".to_owned())]);
        assert_eq!(
            Listing::new("/orders", filters, 5_000).page(Some("a&b=é/ 1")),
            "/orders?limit=1000&queue=a%2Bb&after=a%26b%3D%C3%A9%2F%201"
        );
    }
}
