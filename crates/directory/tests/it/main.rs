//! The provider directory on both databases.

mod import;
mod invite;
mod own;
mod properties;
mod search;
mod targets;
