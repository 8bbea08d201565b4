//! What the console promises, told over HTTP on both databases.

mod access;
mod activation;
mod carequality;
mod databases;
mod edit;
mod list;
mod lookups;
mod reports;
mod sessions;
mod world;
