//! Direct secure messaging as a Health Information Service Provider (HISP) speaks it.
//!
//! The crate covers the Applicability Statement for Secure Health Transport (S/MIME over SMTP, certificate discovery,
//! trust anchors) and the Implementation Guide for Delivery Notification. It knows nothing of tenants, databases or
//! HTTP interfaces: the caller passes keys, anchors, mail and time, and gets verdicts and bytes.
//!
//! An outgoing message: [`mime`] builds it, [`send`] finds certificates ([`discovery`], [`dns`],
//! [`trust`]) and plans the transmissions, [`smime`] signs and encrypts, [`smtp::client`] hands it over.
//! An incoming one: [`smtp::server`] accepts it, [`receive`] opens it and verifies its signers,
//! [`notice`] decides which notices are due and builds them.

pub mod address;
mod ber;
pub mod cert;
pub mod discovery;
pub mod dns;
pub mod mime;
pub mod notice;
pub mod receive;
pub mod send;
pub mod smime;
pub mod smtp;
pub mod trust;

pub use address::DirectAddress;

/// Internal parsers for the fuzz targets and property tests of this crate. Not part of its interface.
#[doc(hidden)]
pub mod inner {
    pub use crate::smime::open::check_signatures;
    pub use crate::smtp::client::dialogue::{Stuffer, reply_line as smtp_reply_line};
    pub use crate::smtp::server::command::{BadCommand, Command, parse as smtp_command};
    pub use crate::smtp::server::data::DataDecoder;
}
