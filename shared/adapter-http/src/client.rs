//! The client side: one [`Api`] per service, and the pipeline's ports on top of it.

mod api;
mod documents;
mod inventory;
mod logistics;
mod notifications;

pub use api::{Api, ApiError, BadUrl, Bounds};
pub use documents::HttpDocuments;
pub use inventory::HttpInventory;
pub use logistics::HttpLogistics;
pub use notifications::HttpNotifications;
