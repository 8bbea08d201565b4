//! Statements about the Direct protocol library, tried against outside programs where they exist.

mod certificates;
mod corpus;
mod dane;
mod discovering;
mod hostile_servers;
mod names;
mod notices;
mod paths;
mod reading;
mod receiving;
mod reference_messages;
mod sealing;
mod sending;
mod smtp_in;
mod smtp_out;
mod support;
mod targets;
mod trusting;
