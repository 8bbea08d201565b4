//! Current and recent state of messaging, for operators: the traffic of each channel, alerts, and the activity of the
//! nodes.

mod alerts;
mod channels;
mod days;
mod figures;
mod statistics;

pub use days::count;
pub use figures::{Figures, figures};
use platform::{App, api::Api};
use tokio_util::sync::CancellationToken;

pub fn api() -> Api {
    channels::api().merge(alerts::api()).merge(statistics::api())
}

/// Counts past days until the node stops.
pub async fn count_forever(app: App, cancel: CancellationToken) {
    days::count_forever(app, cancel).await;
}
