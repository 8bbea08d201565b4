//! A practice registers itself: the form waits, sealed, until its e-mail address is confirmed, and becomes an
//! organization with its administrator then.

pub mod http;
mod mail;
pub mod queries;
pub mod rules;
