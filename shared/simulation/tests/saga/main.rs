//! The saga matrix: every call of the road and of the undoing fails once before its effect, once after it, is busy, fails
//! for ever, is refused; every delivery comes twice. What each comes to is written out.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod road;
mod stage;
mod undo;
