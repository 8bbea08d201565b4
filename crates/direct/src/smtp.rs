//! SMTP in both directions (RFC 5321), with STARTTLS.

pub mod client;
pub mod server;
pub mod sts;
