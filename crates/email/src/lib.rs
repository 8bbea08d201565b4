//! E-mail to people: invitations, links, codes and news about their organization. Direct messages are another thing
//! (crate `messaging`).
//!
//! A kind of e-mail is a folder under `templates/email` (subject, text and HTML) and a struct with what its templates
//! show ([`Email`]). [`prepare`] renders it in the look of the organization's brand and seals it; [`Prepared::enqueue`]
//! puts it into the transaction of whatever causes it. A workflow hands it to the configured mail server, or, in demo
//! mode without one, leaves it in the mailbox that everybody can open ([`http`]).

pub mod http;
mod letter;
mod outbox;
mod send;
mod templates;

pub use letter::{Email, Recipient};
pub use outbox::{EMAIL_WORKFLOW, Prepared, SEND_EMAIL, is_available, prepare, reseal};
pub use send::{registry, send_test};
