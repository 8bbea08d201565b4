//! The proof that the administrator of an organization is who they say: questions where a service for them is there,
//! else a photo ID that an operator looks at.

pub mod desk;
pub mod embedded;
pub mod http;
pub mod identity;
pub mod mail;
pub mod port;
pub mod queries;
pub mod review;
pub mod rules;
pub mod upload;
