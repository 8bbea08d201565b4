//! The end of grace periods.

use super::queries;
use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use std::time::Duration;
use store::entities::organization;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const ROUND: Duration = Duration::from_secs(300);

/// Ends subscriptions whose grace period is over, until the node stops.
pub async fn end_grace_forever(app: App, cancel: CancellationToken) {
    chores::every(ROUND, Duration::ZERO, cancel, "grace periods", || end_grace(&app)).await;
}

/// Cancels the organizations whose grace period is over.
pub async fn end_grace(app: &App) -> Result<()> {
    let over: Vec<Uuid> = organization::Entity::find()
        .select_only()
        .column(organization::Column::Id)
        .filter(organization::Column::IsPendingCancellation.eq(true))
        .filter(organization::Column::GraceUntil.lte(app.clock.now()))
        .into_tuple()
        .all(app.store.db())
        .await?;
    for id in over {
        queries::end(app, id).await?;
    }
    Ok(())
}
