//! Removal of old deliveries.

use chrono::Duration;
use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::time;
use store::entities::webhook_delivery::{Column, DeliveryStatus, Entity};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const INTERVAL: time::Duration = time::Duration::from_secs(3600);
/// Rows of one transaction.
const BATCH: u64 = 1_000;

pub async fn sweep_forever(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(INTERVAL, INTERVAL, cancel, "sweeping of webhook deliveries", || async move {
        sweep(app).await.map(drop)
    })
    .await;
}

/// Removes deliveries older than the retention of the log, except waiting ones. Returns their number.
pub async fn sweep(app: &App) -> Result<u64> {
    let before = app.clock.now() - Duration::days(app.config.webhooks.keep_days.into());
    let mut removed = 0;
    loop {
        let old: Vec<Uuid> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::CreatedAt.lt(before))
            .filter(Column::Status.ne(DeliveryStatus::Waiting))
            .order_by_asc(Column::CreatedAt)
            .limit(BATCH)
            .into_tuple()
            .all(app.store.db())
            .await?;
        if old.is_empty() {
            return Ok(removed);
        }
        let gone = Entity::delete_many().filter(Column::Id.is_in(old)).exec(app.store.db()).await?;
        removed += gone.rows_affected;
    }
}
