//! Faxes that came to numbers which nobody has, for operators to decide about.

pub mod http;
