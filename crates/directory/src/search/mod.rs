//! Search of the directory ("Find Provider").

pub mod http;
mod queries;
mod rules;
