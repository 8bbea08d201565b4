//! Guarantees of workflows, on both databases.

mod attempts;
mod crashed;
mod faults;
mod lanes;
mod leases;
mod stages;
mod tries;
mod world;
