//! The document type and the reviewer that are proposed for a message of the Intake, by what staff of the organization
//! chose for messages that had something in common with it: the sender, a word of the subject, or both ([`evidence`]).
//!
//! It is counted in the transaction that processes a message, and taken back with it ([`memory`]). What the messages had in
//! common is kept as tokens, and words that name the patient are left out.

pub mod http;
