//! `/api/fax/settings`

use super::FaxSettings;
use crate::fax::scope;
use axum::{Json, extract::State};
use platform::{
    App, Caller, Result,
    access::MANAGERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Params},
};
use sea_orm::{ActiveValue::Set, EntityTrait, sea_query::OnConflict};
use serde::Deserialize;
use store::entities::fax_setting;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(MANAGERS, routes!(fax_settings, save_fax_settings))
}

/// Whose fax is managed.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct OfOrganization {
    /// The caller's own when absent; operators must say it.
    pub organization_id: Option<Uuid>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxSettingsForm {
    /// The caller's own when absent; operators must say it.
    pub organization_id: Option<Uuid>,
    #[serde(flatten)]
    pub settings: FaxSettings,
}

/// How an organization faxes
#[utoipa::path(get, path = "/api/fax/settings", operation_id = "faxSettings", tag = "fax",
    params(OfOrganization), responses((status = 200, body = FaxSettings)))]
async fn fax_settings(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<OfOrganization>,
) -> Result<Json<FaxSettings>> {
    let id = scope::organization(&app, &caller, params.organization_id).await?;
    Ok(Json(FaxSettings::of(app.store.db(), id).await?))
}

/// Changes how an organization faxes
#[utoipa::path(put, path = "/api/fax/settings", operation_id = "saveFaxSettings", tag = "fax",
    request_body = FaxSettingsForm, responses((status = 200, body = FaxSettings)))]
async fn save_fax_settings(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<FaxSettingsForm>,
) -> Result<Json<FaxSettings>> {
    let id = scope::organization(&app, &caller, form.organization_id).await?;
    let settings = form.settings.checked()?;
    let row = fax_setting::ActiveModel {
        organization_id: Set(id),
        value: Set(serde_json::to_value(&settings).map_err(platform::Error::internal)?),
        modified_at: Set(app.clock.now()),
    };
    let txn = app.store.begin().await?;
    fax_setting::Entity::insert(row)
        .on_conflict(
            OnConflict::column(fax_setting::Column::OrganizationId)
                .update_columns([fax_setting::Column::Value, fax_setting::Column::ModifiedAt])
                .to_owned(),
        )
        .exec_without_returning(&txn)
        .await?;
    let act = Act::new(event::CHANGED, "faxsettings", id);
    audit::record(&app, &txn, &scope::actor(&caller, id), act).await?;
    txn.commit().await?;
    Ok(Json(settings))
}
