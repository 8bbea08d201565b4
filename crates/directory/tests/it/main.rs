//! What the provider directory promises, on both databases.

mod import;
mod invite;
mod own;
mod search;
