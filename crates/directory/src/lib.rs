//! The provider directory: to whom documents can be sent. It holds the people and organizations of this installation
//! ([`own`]) and entries of imported lists ([`import`]); staff search it ([`search`]) and invite who is missing
//! ([`invite`]).

mod entry;
pub mod import;
mod invite;
mod names;
pub mod own;
mod search;

use platform::{App, api::Api, chores};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub use entry::{Entry, write};

/// How soon a change of people and organizations of this installation shows.
const ROUND: Duration = Duration::from_secs(60);

/// All routes of the directory.
pub fn api() -> Api {
    search::http::api().merge(invite::api())
}

/// Keeps the entries of this installation up to date until the node stops.
pub async fn background(app: App, cancel: CancellationToken) {
    chores::every(ROUND, Duration::ZERO, cancel, "the directory's own entries", || own::refresh(&app)).await;
}
