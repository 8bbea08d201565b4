//! Removal of expired tokens.

use crate::{challenges, lockout::places};
use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use std::time::Duration;
use store::entities::{access_token, account_link, hub_ticket, refresh_token, registration};
use tokio_util::sync::CancellationToken;

/// Time for which an expired link is still recognized as such.
const LINKS_KEPT: chrono::Duration = chrono::Duration::days(7);

const INTERVAL: Duration = Duration::from_secs(600);

/// Removes expired tokens periodically until the node stops.
pub async fn purge_forever(app: App, cancel: CancellationToken) {
    chores::every(INTERVAL, Duration::ZERO, cancel, "expired tokens", || purge(&app)).await;
}

/// Removes expired tokens, challenges, hub tickets, forgotten browsers and, a while later, links. Sessions stay as a
/// record of sign-ins.
pub async fn purge(app: &App) -> Result<()> {
    let (db, now) = (app.store.db(), app.clock.now());
    access_token::Entity::delete_many().filter(access_token::Column::ExpiresAt.lte(now)).exec(db).await?;
    refresh_token::Entity::delete_many().filter(refresh_token::Column::ExpiresAt.lte(now)).exec(db).await?;
    challenges::purge(db, now).await?;
    places::purge(db, now).await?;
    let long_over = now - LINKS_KEPT;
    account_link::Entity::delete_many()
        .filter(account_link::Column::ExpiresAt.lte(long_over))
        .exec(db)
        .await?;
    registration::Entity::delete_many()
        .filter(registration::Column::ExpiresAt.lte(long_over))
        .exec(db)
        .await?;
    hub_ticket::Entity::delete_many().filter(hub_ticket::Column::ExpiresAt.lte(now)).exec(db).await?;
    Ok(())
}
