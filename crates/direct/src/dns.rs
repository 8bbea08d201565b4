//! DNS: certificates of recipients (CERT, RFC 4398), mail servers (MX), and the responder that publishes the
//! certificates of hosted domains.

mod client;
mod responder;
mod tlsa;

pub use client::{CertRecord, DnsClient, DnsError, DnsSettings, DnsSource, MailHosts};
pub use responder::{DnsResponder, HostedZone, PublishedZones, ZonesUnreadable};
pub use tlsa::Tlsa;
