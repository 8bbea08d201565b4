//! Removes attempts after their retention time.

use chrono::Duration;
use platform::{App, Result, chores};
use std::time;
use tokio_util::sync::CancellationToken;

const INTERVAL: time::Duration = time::Duration::from_secs(3600);

pub async fn sweep_forever(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(INTERVAL, INTERVAL, cancel, "removal of old step attempts", || async move {
        sweep(app).await.map(drop)
    })
    .await;
}

/// Removes attempts that are older than their retention time. Returns their number.
pub async fn sweep(app: &App) -> Result<u64> {
    let before = app.clock.now() - Duration::days(app.config.workers.keep_attempts_days.into());
    Ok(workflow::sweep_attempts(&app.store, before).await?)
}
