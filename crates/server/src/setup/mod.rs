//! Setting up an installation step by step, with a test of each step. `carepost setup` writes the configuration file;
//! the pages of the web app show the same steps (docs/adr/0016-setup.md).

pub mod checks;
pub mod dns;
pub mod file;
pub mod http;
pub mod operator;
pub mod steps;
