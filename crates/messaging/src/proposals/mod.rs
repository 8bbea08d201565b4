//! Proposals of document type and reviewer for an Intake message, by what staff of the organization chose for messages
//! with a common feature: the sender, a word of the subject, or both
//! ([`crate::indexes::evidence`]).
//!
//! Choices are counted in the transaction that processes a message, and removed when it is reopened
//! ([`crate::indexes::choices`]).
//! Features are kept as tokens, without words of the patient's name.

pub mod http;
