//! The Carepost binary: assembly of the areas, command line, listeners, and the embedded web app.

pub mod areas;
pub mod commands;
pub mod crash;
pub mod demo;
pub mod http;
pub mod installation;
pub mod monitoring;
pub mod node;
pub mod openapi;
pub mod setup;
pub mod storage;
mod tls;
