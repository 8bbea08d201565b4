//! Proof of an administrator's identity: questions if an identity service is available, else a photo ID that an
//! operator reviews.

pub mod desk;
pub mod embedded;
pub mod http;
pub mod identity;
pub mod mail;
pub mod port;
pub mod queries;
pub mod review;
pub mod rules;
pub mod types;
pub mod upload;
