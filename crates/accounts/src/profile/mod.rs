//! The signed-in person: profile, preferences, features.

pub mod features;
pub mod http;
pub mod own;
pub mod upgrade;
pub mod wishes;
