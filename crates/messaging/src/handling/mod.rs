//! What staff do with one message: open, file, assign, delete and restore it, and account for its disclosures.

pub mod disclosures;
pub mod http;
pub mod names;
pub mod notes;
pub mod process;
pub mod reindex;
pub mod restore;
