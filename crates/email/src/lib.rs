//! E-mail to people: invitations, links, codes and notifications. Not Direct messages, which are in crate
//! `messaging`.
//!
//! A kind of e-mail is a folder under `templates/email` (subject, text and HTML) and a struct with the values of its
//! templates ([`Email`]). [`prepare`] renders it with the organization's branding and seals it; [`Prepared::enqueue`]
//! adds it to the transaction that causes it. A workflow sends it through the configured mail server, or, in demo
//! mode without one, leaves it in the demo mailbox ([`http`]).

pub mod http;
mod letter;
mod outbox;
mod send;
mod templates;

pub use letter::{Email, Recipient};
pub use outbox::{EMAIL_WORKFLOW, Prepared, SEND_EMAIL, is_available, prepare, reseal};
pub use send::{registry, send_test};
