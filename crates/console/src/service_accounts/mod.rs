//! The service accounts of organizations: systems that read the directory and the Intake of their organization with a
//! token. How tokens are taken is in [`platform::service`].

pub mod http;
mod queries;
pub mod types;
