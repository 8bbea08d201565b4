//! Types, specialties, brands and the availability of API capture.

use accounts::reference_items::{NamedItem, kind, reference_items};
use axum::{Json, extract::State};
use platform::{
    App, Result,
    access::{SIGNED_IN, SYSADMINS},
    api::Api,
    capture,
    http::{Items, Page, Params},
};
use sea_orm::{EntityTrait, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use store::entities::{brand, reference_item};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(organization_types))
        .route(SYSADMINS, routes!(organization_specialties))
        .route(SYSADMINS, routes!(brands))
        .route(SIGNED_IN, routes!(api_capture_config))
}

/// An entry of a list for forms.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChoiceItem {
    pub id: Uuid,
    pub name: String,
    /// No longer offered; records that have it keep it.
    pub is_retired: bool,
}

impl From<reference_item::Model> for ChoiceItem {
    fn from(item: reference_item::Model) -> Self {
        Self { id: item.id, name: item.name, is_retired: item.is_retired }
    }
}

/// A small list in order, including retired entries.
async fn choices(app: &App, kind: &str) -> Result<Json<Items<ChoiceItem>>> {
    let rows = reference_items(kind).all(app.store.db()).await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// The organization types
#[utoipa::path(get, path = "/api/organizations/types", operation_id = "organizationTypes", tag = "organizations",
    responses((status = 200, body = Items<ChoiceItem>)))]
async fn organization_types(State(app): State<App>) -> Result<Json<Items<ChoiceItem>>> {
    choices(&app, kind::ORGANIZATION_TYPE).await
}

/// The specialties of organizations
#[utoipa::path(get, path = "/api/organizations/specialties", operation_id = "organizationSpecialties",
    tag = "organizations", responses((status = 200, body = Items<ChoiceItem>)))]
async fn organization_specialties(State(app): State<App>) -> Result<Json<Items<ChoiceItem>>> {
    choices(&app, kind::ORGANIZATION_SPECIALTY).await
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct BrandQuery {
    pub page_size: Option<u64>,
}

#[derive(Serialize, ToSchema)]
pub struct BrandList {
    pub data: Vec<NamedItem>,
}

/// The brands of the platform
#[utoipa::path(get, path = "/api/admin/brands", operation_id = "brands", tag = "organizations",
    params(BrandQuery), responses((status = 200, body = BrandList)))]
async fn brands(State(app): State<App>, Params(query): Params<BrandQuery>) -> Result<Json<BrandList>> {
    let page = Page::new(None, query.page_size, 100, 100)?;
    let rows =
        brand::Entity::find().order_by_asc(brand::Column::Name).limit(page.size).all(app.store.db()).await?;
    let data = rows.into_iter().map(|b| NamedItem { id: b.id, name: b.display_name }).collect();
    Ok(Json(BrandList { data }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiCaptureConfig {
    pub api_capture_enabled: bool,
}

/// Whether this installation offers API capture
#[utoipa::path(get, path = "/api/apicaptureconfig", operation_id = "apiCaptureConfig", tag = "organizations",
    responses((status = 200, body = ApiCaptureConfig)))]
async fn api_capture_config(State(app): State<App>) -> Result<Json<ApiCaptureConfig>> {
    let api_capture_enabled = capture::is_offered(&app, app.store.db()).await?;
    Ok(Json(ApiCaptureConfig { api_capture_enabled }))
}
