//! How messaging is at this moment and was in the last days, for operators: what goes through each channel, what is wrong,
//! and what the nodes do.

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

/// Counts the days that are over until the node stops.
pub async fn count_forever(app: App, cancel: CancellationToken) {
    days::count_forever(app, cancel).await;
}
