//! Setting an installation up: what it needs, step by step, each tested at once. `carepost setup` writes the
//! configuration file; the pages of the web app show the same steps (docs/adr/0016-setup.md).

pub mod checks;
pub mod dns;
pub mod file;
pub mod http;
pub mod operator;
pub mod steps;
