//! What the storage promises, told on both databases.

mod blobs;
mod databases;
mod keys;
mod schema;
mod search;
