//! The signed-in person: profile, preferences, features.

pub mod features;
pub mod http;
pub mod upgrade;
