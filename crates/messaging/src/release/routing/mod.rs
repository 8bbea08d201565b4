//! Routing of recipients to their interface instead of their Direct mailbox. [`rules`] decides, for the send workflow
//! and for dry runs alike; [`send`] hands messages over in the order in which they were sent.

mod accepted;
pub(super) mod content;
mod dry_run;
pub mod http;
mod rules;
pub(super) mod send;

pub(super) use rules::{Route, Verdict, load, of_message, wake_next};
