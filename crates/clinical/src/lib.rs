//! Clinical documents as the exchange sees them: what they say about the patient, and how to show them safely.
//!
//! Each standard has a folder of its own. Nothing here touches a database, a network or a file: bytes in,
//! values out.

pub mod cda;
pub mod embedded;
pub mod record_number;
pub mod referral;
