//! HTTP, both sides: [`client`] calls the services behind the pipeline's ports, [`server`] is what every server of ours
//! has in common.

pub mod client;
pub mod server;
