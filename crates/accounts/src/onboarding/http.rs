//! `/api/account/activationnotice`

use super::{proofing, terms};
use axum::{extract::State, http::StatusCode};
use platform::{App, Caller, Result, access::ADMINS, api::Api};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, sea_query::OnConflict};
use store::entities::dismissed_notice;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(ADMINS, routes!(dismiss_activation_notice))
        .merge(terms::http::api())
        .merge(proofing::http::api())
        .merge(proofing::review::api())
}

/// The notice that activation takes some days.
pub const ACTIVATION_NOTICE: &str = "activation";

/// Permanently dismisses the notice that activation takes some days
#[utoipa::path(delete, path = "/api/account/activationnotice", operation_id = "dismissActivationNotice",
    tag = "onboarding", responses((status = 204)))]
async fn dismiss_activation_notice(State(app): State<App>, caller: Caller) -> Result<StatusCode> {
    dismiss(app.store.db(), caller.user_id, ACTIVATION_NOTICE).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Dismisses a notice for a user. It may be repeated.
pub async fn dismiss(db: &impl ConnectionTrait, user_id: Uuid, notice: &str) -> Result<()> {
    use dismissed_notice::Column;
    let row = dismissed_notice::ActiveModel { user_id: Set(user_id), notice: Set(notice.to_owned()) };
    let once = OnConflict::columns([Column::UserId, Column::Notice]).do_nothing().to_owned();
    dismissed_notice::Entity::insert(row).on_conflict(once).exec_without_returning(db).await?;
    Ok(())
}

/// Whether a user has dismissed a notice.
pub async fn is_dismissed(db: &impl ConnectionTrait, user_id: Uuid, notice: &str) -> Result<bool> {
    let row = dismissed_notice::Entity::find_by_id((user_id, notice.to_owned())).one(db).await?;
    Ok(row.is_some())
}
