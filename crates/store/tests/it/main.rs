//! What the storage promises, told on both databases.

mod blobs;
mod bucket;
mod databases;
mod keys;
mod schema;
mod search;
mod transactions;
