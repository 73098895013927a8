//! The adapter against a live broker; each test has a virtual host of its own.
#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test may")]

mod conformance;
mod consuming;
mod deep;
mod ladder;
mod losing;
mod odd;
mod publishing;
mod raw;
mod rig;
mod roads;
mod scene;
mod stranded;
mod suspects;
mod topology;
