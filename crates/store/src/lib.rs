//! Carepost's storage: connections, migrations, entities, tenant scoping, sealed fields, blobs and the search index.
//!
//! It knows nothing of HTTP, protocols or business rules.

pub mod batching;
pub mod blobs;
pub mod clock;
mod connect;
pub mod cost;
mod database;
pub mod dialect;
pub mod entities;
mod flush;
pub mod keys;
pub mod migrations;
pub mod organization_names;
pub mod permissions;
mod postgres;
mod problem;
mod reader;
pub mod search;
mod sqlite;
mod statistics;
pub mod tenant;
mod transaction;
mod turns;
mod writer;

pub use clock::Clock;
pub use connect::{ConnectError, DatabaseRole, Store};
pub use database::Database;
pub use problem::describe;
pub use sea_orm;
pub use transaction::Transaction;
