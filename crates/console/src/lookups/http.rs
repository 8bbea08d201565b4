//! Types, specialties, brands, resellers and the switch of API capture.

use super::{API_CAPTURE_SETTING, kind};
use axum::{Json, extract::State};
use platform::{
    App, Result,
    access::{SIGNED_IN, SYSADMINS},
    api::Api,
    http::{Items, Page, Params},
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use serde::{Deserialize, Serialize};
use store::entities::{brand, installation, reference_item, reseller};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(organization_types))
        .route(SYSADMINS, routes!(organization_specialties))
        .route(SYSADMINS, routes!(brands))
        .route(SYSADMINS, routes!(resellers))
        .route(SIGNED_IN, routes!(api_capture_config))
}

#[derive(Serialize, ToSchema)]
pub struct NamedItem {
    pub id: Uuid,
    pub name: String,
}

impl From<reference_item::Model> for NamedItem {
    fn from(item: reference_item::Model) -> Self {
        Self { id: item.id, name: item.name }
    }
}

fn reference_items(kind: &str) -> Select<reference_item::Entity> {
    reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind))
        .order_by_asc(reference_item::Column::Position)
        .order_by_asc(reference_item::Column::Id)
}

/// A small list in its order.
pub async fn named_items(app: &App, kind: &str) -> Result<Json<Items<NamedItem>>> {
    let rows = reference_items(kind).all(app.store.db()).await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// The types that an organization can have
#[utoipa::path(get, path = "/api/organizations/types", operation_id = "organizationTypes", tag = "organizations",
    responses((status = 200, body = Items<NamedItem>)))]
async fn organization_types(State(app): State<App>) -> Result<Json<Items<NamedItem>>> {
    named_items(&app, kind::ORGANIZATION_TYPE).await
}

/// The specialties that an organization can have
#[utoipa::path(get, path = "/api/organizations/specialties", operation_id = "organizationSpecialties",
    tag = "organizations", responses((status = 200, body = Items<NamedItem>)))]
async fn organization_specialties(State(app): State<App>) -> Result<Json<Items<NamedItem>>> {
    named_items(&app, kind::ORGANIZATION_SPECIALTY).await
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
pub struct Reseller {
    pub id: Uuid,
    pub name: String,
    /// `Licensing` or `Affiliate`
    #[serde(rename = "type")]
    pub kind: String,
}

/// The resellers of the platform
#[utoipa::path(get, path = "/api/resellers", operation_id = "resellers", tag = "organizations",
    responses((status = 200, body = Items<Reseller>)))]
async fn resellers(State(app): State<App>) -> Result<Json<Items<Reseller>>> {
    let rows = reseller::Entity::find().order_by_asc(reseller::Column::Name).all(app.store.db()).await?;
    let items = rows.into_iter().map(|r| Reseller { id: r.id, name: r.name, kind: r.kind }).collect();
    Ok(Json(Items { items }))
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
    let api_capture_enabled = is_api_capture_enabled(app.store.db()).await?;
    Ok(Json(ApiCaptureConfig { api_capture_enabled }))
}

/// Off unless the installation says otherwise.
pub(crate) async fn is_api_capture_enabled(db: &impl ConnectionTrait) -> Result<bool> {
    let setting = installation::Entity::find_by_id(API_CAPTURE_SETTING.to_owned()).one(db).await?;
    Ok(setting.is_some_and(|s| s.value == "true"))
}
