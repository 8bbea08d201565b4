//! The provider directory: people and organizations that documents can be sent to. It holds those of this installation
//! ([`own`]) and entries of imported lists ([`import`]); staff search it ([`search`]) and invite people who are not in it
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

/// How often the entries of this installation are refreshed.
const REFRESH_INTERVAL: Duration = Duration::from_secs(60);

/// All routes of the directory.
pub fn api() -> Api {
    search::http::api().merge(invite::api())
}

/// Keeps the entries of this installation up to date until `cancel`.
pub async fn background(app: App, cancel: CancellationToken) {
    chores::every(REFRESH_INTERVAL, Duration::ZERO, cancel, "the directory's own entries", || {
        own::refresh(&app)
    })
    .await;
}
