//! A message as a row: finding, locking and changing it, its place in lists, its notes, and the people named with it.

pub mod assignment_expiry;
pub mod colleagues;
pub mod kinds;
pub mod list;
pub mod notes;
pub mod passes;
pub mod patients;
pub mod plans;
pub mod queries;
pub mod rules;
