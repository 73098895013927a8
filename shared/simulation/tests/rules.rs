//! Each rule of the order protocol: with it nothing is violated, without it something is.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
