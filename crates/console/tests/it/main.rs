//! What the console promises, over HTTP and on both databases: the isolation test calls no operation of the platform.

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
