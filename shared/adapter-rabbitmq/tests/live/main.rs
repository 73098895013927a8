//! The adapter against a live broker; each test has a virtual host of its own.

mod consuming;
mod losing;
mod publishing;
mod rig;
mod scene;
mod topology;
