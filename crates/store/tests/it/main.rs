//! Guarantees of the storage, on both databases.

mod blobs;
mod bucket;
mod keys;
mod schema;
mod search;
mod transactions;
