//! How much of anything is accepted. Enforced at checkout and again at the worker.

/// An order's document, in bytes (256 KiB).
pub const BODY_BYTES_MAX: usize = 256 * 1024;

/// A stock delivery, in bytes (16 MiB).
pub const STOCK_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Lines of an order.
pub const LINES_MAX: usize = 1_000;

/// Units of one line.
pub const QUANTITY_MAX: u32 = 10_000;

/// Characters of a text field.
pub const TEXT_LENGTH_MAX: usize = 200;

/// Objects and arrays inside each other.
pub const DEPTH_MAX: usize = 16;

/// Rows in one page of a list.
pub const PAGE_ROWS_MAX: u32 = 1_000;

/// Weight of one unit, in grams (10 t).
pub const WEIGHT_GRAMS_MAX: u32 = 10_000_000;
