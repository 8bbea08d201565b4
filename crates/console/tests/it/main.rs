//! Tests of the console over HTTP, on both databases. The isolation test does not call operations of the
//! platform.

mod activation;
mod brands;
mod carequality;
mod edit;
mod list;
mod lookups;
mod outside;
mod reports;
mod sessions;
mod targets;
mod world;
