//! Recurring chores, which run as long as the node.

use crate::Result;
use std::{future::Future, time::Duration};
use tokio::time::{Instant, interval_at};
use tokio_util::sync::CancellationToken;

/// Runs a chore after `first`, and then once per period until the node stops. A failure is logged with its name, and
/// the chore is tried again in the next period.
pub async fn every<F: Future<Output = Result<()>>>(
    period: Duration,
    first: Duration,
    cancel: CancellationToken,
    name: &'static str,
    chore: impl Fn() -> F,
) {
    let mut tick = interval_at(Instant::now() + first, period);
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            _ = tick.tick() => {}
        }
        if let Err(error) = chore().await {
            tracing::error!(chore = name, ?error, "a chore failed");
        }
    }
}
