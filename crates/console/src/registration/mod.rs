//! Self-registration of practices: the sealed form waits until its e-mail address is confirmed, and then becomes an
//! organization with its administrator.

pub mod http;
mod mail;
pub mod queries;
pub mod rules;
pub mod types;
