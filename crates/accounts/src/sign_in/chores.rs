//! Tokens that nobody can use any more are removed.

use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use std::time::Duration;
use store::entities::{access_token, hub_ticket, refresh_token};
use tokio_util::sync::CancellationToken;

const ROUND: Duration = Duration::from_secs(600);

/// Removes expired tokens now and then until the node stops.
pub async fn purge_forever(app: App, cancel: CancellationToken) {
    chores::every(ROUND, Duration::ZERO, cancel, "expired tokens", || purge(&app)).await;
}

/// Removes expired access tokens, renewal tokens and hub tickets. Sessions stay, as the record of who was here.
pub async fn purge(app: &App) -> Result<()> {
    let (db, now) = (app.store.db(), app.clock.now());
    access_token::Entity::delete_many().filter(access_token::Column::ExpiresAt.lte(now)).exec(db).await?;
    refresh_token::Entity::delete_many().filter(refresh_token::Column::ExpiresAt.lte(now)).exec(db).await?;
    hub_ticket::Entity::delete_many().filter(hub_ticket::Column::ExpiresAt.lte(now)).exec(db).await?;
    Ok(())
}
