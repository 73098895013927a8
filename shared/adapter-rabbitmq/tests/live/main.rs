//! The adapter against a live broker; each test has a virtual host of its own.
#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test may")]

mod consuming;
mod losing;
mod publishing;
mod rig;
mod scene;
mod topology;
