//! The signed-in person: profile, preferences, features.

pub mod features;
pub mod http;
pub mod notifications;
pub mod own;
pub mod upgrade;
