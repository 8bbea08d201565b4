//! Steps of an administrator before the organization can be used: terms and proof of identity.

pub mod activation;
pub mod chores;
pub mod http;
pub mod proofing;
pub mod terms;
