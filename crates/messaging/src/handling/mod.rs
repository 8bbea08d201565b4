//! Actions of staff on a message: open, file, assign, delete, restore, and account for disclosures.

pub mod disclosures;
pub mod http;
pub mod names;
pub mod notes;
pub mod process;
pub mod reindex;
pub mod restore;
pub mod types;
