//! What the storage promises, on both databases.

mod blobs;
mod bucket;
mod keys;
mod schema;
mod search;
mod transactions;
