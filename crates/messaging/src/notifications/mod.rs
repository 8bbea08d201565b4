//! E-mails to people about messages: what arrived, what waits, what failed. They say how many, and of which
//! organization; never who or what a message is about.

pub mod chores;
mod mail;
mod queries;
