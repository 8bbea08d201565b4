//! `/api/branding`, `/api/entitysettings/Brand/{brandId}`

use super::queries;
use axum::{
    Json,
    extract::{Request, State},
    http::header,
    response::IntoResponse,
};
use platform::{
    App, Error, Result,
    access::{PUBLIC, SIGNED_IN},
    api::Api,
    config::Mode,
    http::{HostName, Id},
    session::{self, bearer_token, source_ip},
};
use sea_orm::EntityTrait;
use serde::Serialize;
use std::collections::BTreeMap;
use store::entities::{brand, brand_logo};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(PUBLIC, routes!(branding))
        .route(PUBLIC, routes!(brand_logo))
        .route(SIGNED_IN, routes!(brand_settings))
}

/// An account of the demo data. Shown in demo mode only.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoAccount {
    pub user_name: &'static str,
    pub role: &'static str,
    pub organization: &'static str,
    pub password: &'static str,
}

pub const DEMO_PASSWORD: &str = "Carepost-demo-2026";

const fn account(user_name: &'static str, role: &'static str, organization: &'static str) -> DemoAccount {
    DemoAccount { user_name, role, organization, password: DEMO_PASSWORD }
}

/// One account per role and situation.
pub const DEMO_ACCOUNTS: &[DemoAccount] = &[
    account("dana@carepost.example", "Administrator", "Larkfield Family Medicine"),
    account("priya@carepost.example", "User", "Larkfield Family Medicine"),
    account("sam@carepost.example", "Administrator", "Summit Orthopedics"),
    account("nia@carepost.example", "Administrator", "Bayline Imaging (not activated)"),
    account("fern@carepost.example", "Administrator", "Fernhill Family Practice (new)"),
    account("cora@carepost.example", "Administrator", "Tarn Sleep Center (cancelled)"),
    account("gwen@carepost.example", "Administrator", "Granite Falls Podiatry (in its grace period)"),
    account("mara@carepost.example", "NetworkAdmin", "Meridian Exchange"),
    account("ops@carepost.example", "SysAdmin", ""),
    account("rita@carepost.example", "SysAdminReporting", ""),
];

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Branding {
    pub brand_id: Option<Uuid>,
    pub name: String,
    pub display_name: String,
    /// Ten steps from light to dark; empty for the built-in palette.
    pub brand_colors: Vec<String>,
    /// Address of the logo; empty without one.
    pub logo: String,
    /// The installation runs on sample data.
    pub demo: bool,
    pub demo_accounts: Vec<DemoAccount>,
    /// Whether everybody may read the installation's e-mails.
    pub demo_mailbox: bool,
    /// Whether practices may register themselves.
    pub registration: bool,
}

/// The brand of the caller's organization, or else of the requested host name
#[utoipa::path(get, path = "/api/branding", operation_id = "branding", tag = "branding",
    responses((status = 200, body = Branding)))]
async fn branding(State(app): State<App>, host: HostName, request: Request) -> Result<Json<Branding>> {
    let organization = match bearer_token(&request) {
        // With a refused token, the visitor sees the brand of the host.
        Some(token) => session::authenticate(&app, token, source_ip(&request)).await.ok(),
        None => None,
    };
    let brand =
        queries::brand_for(&app, organization.and_then(|caller| caller.organization_id), &host.0).await?;
    let demo = app.config.mode == Mode::Demo;
    Ok(Json(Branding {
        logo: brand.as_ref().map(logo_address).unwrap_or_default(),
        brand_id: brand.as_ref().map(|b| b.id),
        name: brand.as_ref().map_or("carepost".into(), |b| b.name.clone()),
        display_name: brand.as_ref().map_or("Carepost".into(), |b| b.display_name.clone()),
        brand_colors: brand.map(|b| b.colors.0).unwrap_or_default(),
        demo,
        demo_accounts: if demo { DEMO_ACCOUNTS.to_vec() } else { Vec::new() },
        demo_mailbox: app.config.has_demo_mailbox(),
        registration: app.config.registers_practices(),
    }))
}

/// The digest changes the address whenever the picture changes.
fn logo_address(brand: &brand::Model) -> String {
    match brand.logo_digest.get(..16) {
        Some(digest) => format!("/api/branding/{}/logo/{digest}", brand.id),
        None => String::new(),
    }
}

/// The logo of a brand
#[utoipa::path(get, path = "/api/branding/{brandId}/logo/{digest}", operation_id = "brandLogo", tag = "branding",
    params(("brandId" = Uuid, Path), ("digest" = String, Path, description = "From the answer of `branding`")),
    responses((status = 200, body = Vec<u8>, content_type = "image/*")))]
async fn brand_logo(State(app): State<App>, path: Id<(Uuid, String)>) -> Result<impl IntoResponse> {
    let Id((id, _digest)) = path;
    let logo = brand_logo::Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let headers = [
        (header::CONTENT_TYPE, logo.media_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable".into()),
    ];
    Ok((headers, logo.content))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrandSettings {
    pub brand_id: Uuid,
    pub name: String,
    pub display_name: String,
    pub brand_colors: Vec<String>,
    /// Settings as text; an element with a setting is shown if its value is the text `true`.
    pub settings: BTreeMap<String, String>,
}

/// Settings of a brand
#[utoipa::path(get, path = "/api/entitysettings/Brand/{brandId}", operation_id = "brandSettings", tag = "branding",
    params(("brandId" = Uuid, Path)), responses((status = 200, body = BrandSettings)))]
async fn brand_settings(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<BrandSettings>> {
    let brand = brand::Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    Ok(Json(BrandSettings {
        brand_id: brand.id,
        name: brand.name,
        display_name: brand.display_name,
        brand_colors: brand.colors.0,
        settings: brand.settings.0,
    }))
}
