//! E-mails to people about messages: arrived, waiting, failed. They contain counts by organization, but neither people
//! nor subjects of messages.

pub mod chores;
mod mail;
mod queries;
