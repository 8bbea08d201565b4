//! What durable work promises, on both databases.

mod attempts;
mod faults;
mod lanes;
mod leases;
mod stages;
mod tries;
mod world;
