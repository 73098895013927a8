//! Reading a list page by page.

use contracts::effects::PageQuery;
use contracts::limits::PAGE_ROWS_MAX;
use contracts::problem::Kind;

use super::Failure;

/// How many rows a page may have.
#[must_use]
pub fn page_limit(query: &PageQuery) -> i64 {
    i64::from(query.limit.unwrap_or(PAGE_ROWS_MAX).clamp(1, PAGE_ROWS_MAX))
}

/// Where a page of a log starts: after the row with this number.
///
/// # Errors
///
/// A problem when `after` is no number.
pub fn page_start(query: &PageQuery) -> Result<i64, Failure> {
    let Some(after) = &query.after else { return Ok(0) };
    let wrong = |_| {
        Failure::from(
            Kind::Malformed
                .problem("must be the number that the page before gave")
                .about("after"),
        )
    };
    after.parse().map_err(wrong)
}
