//! The whole stack on real servers: orders survive the death of any process, and the audit finds what is wrong.

mod batch;
mod kills;
mod planted;
