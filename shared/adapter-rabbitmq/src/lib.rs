//! The broker: its topology as data, publishing that counts only what is confirmed and routed, consuming that loses
//! nothing.
//!
//! Publishing and consuming never share a connection: under a memory alarm the broker stops reading from whoever
//! publishes, and acknowledgements behind a publish would wait with it. lapin's own recovery stays off, because it can
//! leave a consumer waiting for ever on a channel that is gone; [`supervisor`] builds everything anew instead.

mod bounds;
mod consumer;
mod failure;
mod link;
mod properties;
mod session;
mod settle;
mod stranded;

pub mod line;
pub mod management;
pub mod publisher;
pub mod received;
pub mod supervisor;
pub mod topology;
pub mod url;
