//! Foundation of every area of Carepost: configuration, application context, access and roles, audit, errors, the
//! HTTP kit, hubs and the event bus. It does not depend on any area.

pub mod access;
pub mod api;
mod app;
pub mod audit;
pub mod bus;
pub mod capture;
pub mod checks;
pub mod chores;
pub mod config;
pub mod csv;
pub mod download;
pub mod error;
pub mod fields;
pub mod health;
pub mod http;
pub mod hub;
pub mod integrations;
pub mod interoperability;
pub mod malware;
mod manager;
pub mod network_features;
pub mod nodes;
pub mod picture;
pub mod records;
pub mod secret;
pub mod security;
pub mod service;
pub mod session;
pub mod settings;
pub mod sql;
pub mod terms;
pub mod text;
pub mod upload;

pub use access::{Caller, Member, Role};
pub use app::{App, Parts};
pub use config::Config;
pub use error::{Error, Result};
pub use manager::{Manager, MemberOrOperator};

// For the types defined by `text!`.
#[doc(hidden)]
pub use {serde, utoipa};
