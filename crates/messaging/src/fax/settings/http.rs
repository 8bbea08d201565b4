//! `/api/fax/settings`: fax settings of an organization.

use super::FaxSettings;
use axum::{Json, extract::State};
use platform::{
    App, Error, Manager, Result,
    access::MANAGERS,
    api::Api,
    audit::{self, Act, event},
    http::Body,
};
use sea_orm::{ActiveValue::Set, EntityTrait, QuerySelect, sea_query::OnConflict};
use store::entities::fax_setting;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(MANAGERS, routes!(fax_settings, save_fax_settings))
}

/// The fax settings of an organization
#[utoipa::path(get, path = "/api/fax/settings", operation_id = "faxSettings", tag = "fax",
    params(Manager), responses((status = 200, body = FaxSettings)))]
async fn fax_settings(State(app): State<App>, manager: Manager) -> Result<Json<FaxSettings>> {
    Ok(Json(FaxSettings::of(app.store.db(), manager.organization_id).await?))
}

/// Changes the fax settings of an organization
#[utoipa::path(put, path = "/api/fax/settings", operation_id = "saveFaxSettings", tag = "fax",
    params(Manager), request_body = FaxSettings, responses((status = 200, body = FaxSettings)))]
async fn save_fax_settings(
    State(app): State<App>,
    manager: Manager,
    Body(settings): Body<FaxSettings>,
) -> Result<Json<FaxSettings>> {
    let id = manager.organization_id;
    let mut settings = settings.checked()?;
    let txn = app.store.begin().await?;
    let row = fax_setting::Entity::find_by_id(id).lock_exclusive().one(&txn).await?;
    let kept = FaxSettings::read(row)?.version.unwrap_or_default();
    Error::unless_current(settings.version, &kept, "these settings")?;
    settings.version = Some(kept + 1);
    let row = fax_setting::ActiveModel {
        organization_id: Set(id),
        value: Set(serde_json::to_value(&settings).map_err(platform::Error::internal)?),
        modified_at: Set(app.clock.now()),
    };
    fax_setting::Entity::insert(row)
        .on_conflict(
            OnConflict::column(fax_setting::Column::OrganizationId)
                .update_columns([fax_setting::Column::Value, fax_setting::Column::ModifiedAt])
                .to_owned(),
        )
        .exec_without_returning(&txn)
        .await?;
    let act = Act::new(event::CHANGED, "faxsettings", id);
    audit::record(&app, &txn, &manager.actor(), act).await?;
    txn.commit().await?;
    Ok(Json(settings))
}
