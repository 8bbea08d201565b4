//! What durable work promises, told on both databases.

#[path = "../../../store/tests/it/databases.rs"]
#[allow(dead_code, reason = "shared with the tests of the storage, which use all of it")]
mod databases;
mod faults;
mod leases;
mod stages;
mod tries;
mod world;
