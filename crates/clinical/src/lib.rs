//! Clinical documents and messages: their patient and contents, and safe rendering.
//!
//! Each standard has its own folder. Nothing here uses a database, the network or files: bytes in, values out.

pub mod cda;
pub mod ebrim;
pub mod embedded;
pub mod hl7;
pub mod record_number;
pub mod referral;
