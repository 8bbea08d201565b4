//! What an organization asks of whoever signs in to it, as its administrators set it.

pub mod http;
mod queries;
mod rules;
