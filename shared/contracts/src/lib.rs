//! The wire. What travels between processes, and the limits of it; every reader of outside text is in here.

pub mod amqp;
pub mod canonical;
pub mod checkout;
pub mod close;
pub mod console;
pub mod documents;
pub mod effects;
pub mod events;
pub mod inventory;
pub mod limits;
pub mod logistics;
pub mod money;
pub mod notifications;
pub mod order_message;
pub mod outgoing;
pub mod problem;
pub mod undo_message;
