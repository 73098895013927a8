//! The server side: what every server of ours has in common. The service's own store decides in its transaction; this
//! reads keys and tokens and renders what came of it.

mod answer;
mod body;
mod caller;
mod dials;
pub mod field;
mod gate;
mod health;
mod key;
mod latency;
mod listen;
mod outcome;
mod paging;
mod service;

pub use answer::{Answer, Failure, Stored};
pub use body::{BodyJson, QueryOf};
pub use caller::{BadCallers, Caller, Callers, require_caller};
pub use dials::{BadPercent, Dials, Percent};
pub use health::health;
pub use key::{KeyHeader, RequestKey};
pub use latency::{BadLatency, Latency};
pub use listen::{Listen, serve};
pub use outcome::{Outcome, StoreError};
pub use paging::{page_limit, page_start};
pub use service::{Routes, Surroundings};
