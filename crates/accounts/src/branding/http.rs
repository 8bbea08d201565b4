//! `/api/branding`, `/api/entitysettings/Brand/{brandId}`

use axum::{Json, extract::State};
use platform::{
    App, Error, Result,
    access::{PUBLIC, SIGNED_IN},
    api::Api,
    config::Mode,
    http::Id,
};
use sea_orm::{EntityTrait, QueryOrder};
use serde::Serialize;
use std::collections::BTreeMap;
use store::entities::brand;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(PUBLIC, routes!(branding)).route(SIGNED_IN, routes!(brand_settings))
}

/// An account that the demo data brings. Shown in demo mode only.
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
    /// The installation runs on sample data.
    pub demo: bool,
    pub demo_accounts: Vec<DemoAccount>,
    /// Everybody may read the e-mails of the installation.
    pub demo_mailbox: bool,
    /// Practices may register themselves.
    pub registration: bool,
}

/// The look of the sign-in page
#[utoipa::path(get, path = "/api/branding", operation_id = "branding", tag = "branding",
    responses((status = 200, body = Branding)))]
async fn branding(State(app): State<App>) -> Result<Json<Branding>> {
    let brand = brand::Entity::find().order_by_asc(brand::Column::Id).one(app.store.db()).await?;
    let demo = app.config.mode == Mode::Demo;
    let (brand_id, name, display_name, colors) = match brand {
        Some(b) => (Some(b.id), b.name, b.display_name, b.colors.0),
        None => (None, "carepost".into(), "Carepost".into(), Vec::new()),
    };
    let demo_mailbox = app.config.has_demo_mailbox();
    let demo_accounts = if demo { DEMO_ACCOUNTS.to_vec() } else { Vec::new() };
    let registration = app.config.registers_practices();
    Ok(Json(Branding {
        brand_id,
        name,
        display_name,
        brand_colors: colors,
        demo,
        demo_accounts,
        demo_mailbox,
        registration,
    }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrandSettings {
    pub brand_id: Uuid,
    pub name: String,
    pub display_name: String,
    pub brand_colors: Vec<String>,
    /// Settings as text; an element tied to one is shown when its value is the text `true`.
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
