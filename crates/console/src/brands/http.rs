//! `/api/brands`

use super::colors::palette;
use axum::{Json, extract::State, http::StatusCode};
use openssl::hash::{MessageDigest, hash};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    fields::FieldErrors,
    http::{Body, Created, Id, Page, Paged, Params},
    picture::{check_logo, from_data_url, to_data_url},
    records::{self, Record, refuse_in_use},
    sql,
    text::{Rule, SearchWords},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, Order, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt::Write};
use store::{
    Transaction,
    entities::{
        brand::{self, Column, Entity, Model},
        brand_cover, brand_logo, organization, terms,
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(list_brands, create_brand))
        .route(SYSADMINS, routes!(brand, update_brand, delete_brand))
}

/// Maximum number of host names of a brand.
const HOSTS_MAX: usize = 20;
/// The setting that stops the users of a brand from inviting providers.
const HIDES_INVITATIONS: &str = "hideProviderInvitations";

pub(crate) struct BrandRecord;

impl Record for BrandRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "brand";
    const NOUN: &'static str = "this brand";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[
        Column::Name,
        Column::DisplayName,
        Column::Color,
        Column::Hosts,
        Column::LogoDigest,
        Column::Settings,
        Column::HasOwnTerms,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", "Another brand has this short name.");
}

platform::text! {
    /// Short name in commands, reports and file names.
    pub BrandName = Rule::line(1, 50).pattern("[a-z0-9]([a-z0-9-]*[a-z0-9])?")
        .says("Please enter small letters, digits and inner hyphens.");
    /// Name for people.
    pub BrandDisplayName = Rule::line(1, 60);
    /// `#RRGGBB`
    pub BrandColor = Rule::line(0, 7).pattern("#[0-9A-Fa-f]{6}")
        .says("Please enter a colour such as #0B6570.");
    /// A host name without a port.
    pub BrandHost = Rule::line(1, 253)
        .pattern(r"([A-Za-z0-9]([A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9\-]{0,61}[A-Za-z0-9])?")
        .says("Please enter host names such as mail.clinic.example.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrandRow {
    pub id: Uuid,
    pub name: String,
    pub display_name: String,
    /// `#RRGGBB`; empty for the built-in palette.
    pub color: String,
    pub hosts: Vec<String>,
    pub has_own_terms: bool,
    /// Number of organizations with this brand.
    pub organizations: u64,
    pub version: i32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Brand {
    pub id: Uuid,
    pub name: String,
    pub display_name: String,
    /// `#RRGGBB`; empty for the built-in palette.
    pub color: String,
    /// As a `data:` address; empty if there is none.
    pub logo: String,
    pub hosts: Vec<String>,
    pub has_own_terms: bool,
    /// Whether its users cannot invite providers from the directory.
    pub hide_provider_invitations: bool,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrandForm {
    pub display_name: BrandDisplayName,
    pub name: BrandName,
    /// Base of the palette; empty for the built-in one.
    #[serde(default)]
    pub color: BrandColor,
    /// PNG or JPEG of at most 512 KiB, as a `data:` address; empty for none.
    #[serde(default)]
    pub logo: String,
    /// Host names at which the web app shows this brand before sign-in; at most 20.
    #[serde(default)]
    pub hosts: Vec<BrandHost>,
    /// Whether organizations accept the terms of the brand instead of those of the installation.
    #[serde(default)]
    pub has_own_terms: bool,
    #[serde(default)]
    pub hide_provider_invitations: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct BrandListQuery {
    /// Each word is contained in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// The brands, by short name
#[utoipa::path(get, path = "/api/brands", operation_id = "listBrands", tag = "brands", params(BrandListQuery),
    responses((status = 200, body = Paged<BrandRow>)))]
async fn list_brands(
    State(app): State<App>,
    Params(query): Params<BrandListQuery>,
) -> Result<Json<Paged<BrandRow>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let db = app.store.db();
    let rows =
        Entity::find().filter(sql::holds_words(Column::Name, query.search.as_deref().unwrap_or_default()));
    let found = sql::page(db, rows, &[(Column::Name, Order::Asc)], page).await?;
    let used: Vec<(Uuid, i64)> = organization::Entity::find()
        .select_only()
        .column(organization::Column::BrandId)
        .column_as(organization::Column::Id.count(), "n")
        .filter(organization::Column::DeletedAt.is_null())
        .filter(organization::Column::BrandId.is_in(found.items.iter().map(|row| row.id)))
        .group_by(organization::Column::BrandId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(Json(found.map(|row| BrandRow {
        organizations: used.iter().find(|(id, _)| *id == row.id).map_or(0, |(_, n)| *n as u64),
        id: row.id,
        name: row.name,
        display_name: row.display_name,
        color: row.color,
        hosts: row.hosts.0,
        has_own_terms: row.has_own_terms,
        version: row.version,
    })))
}

/// Reads a brand
#[utoipa::path(get, path = "/api/brands/{id}", operation_id = "brand", tag = "brands",
    params(("id" = Uuid, Path)), responses((status = 200, body = Brand)))]
async fn brand(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Brand>> {
    let found = Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    Ok(Json(shown(&app, found).await?))
}

async fn shown(app: &App, row: Model) -> Result<Brand> {
    let logo = brand_logo::Entity::find_by_id(row.id).one(app.store.db()).await?;
    Ok(Brand {
        logo: logo.map(|logo| to_data_url(&logo.media_type, &logo.content)).unwrap_or_default(),
        hide_provider_invitations: row.settings.0.get(HIDES_INVITATIONS).is_some_and(|value| value == "true"),
        id: row.id,
        name: row.name,
        display_name: row.display_name,
        color: row.color,
        hosts: row.hosts.0,
        has_own_terms: row.has_own_terms,
        version: row.version,
    })
}

/// Creates a brand
#[utoipa::path(post, path = "/api/brands", operation_id = "createBrand", tag = "brands", request_body = BrandForm,
    responses((status = 201, body = Brand)))]
async fn create_brand(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<BrandForm>,
) -> Result<Created<Brand>> {
    let logo = Logo::read(&app, &form.logo).await?;
    let txn = app.store.begin().await?;
    let id = Uuid::now_v7();
    check_hosts(&txn, &form, id).await?;
    let empty = Model {
        id,
        name: String::new(),
        display_name: String::new(),
        color: String::new(),
        colors: Vec::new().into(),
        hosts: Vec::new().into(),
        logo_digest: String::new(),
        settings: brand::BrandSettings::default(),
        has_own_terms: false,
        version: 1,
    };
    let mut row = empty.clone().into_active_model().reset_all();
    fill(&mut row, &empty, &form, logo.as_ref());
    let created = records::create_in::<BrandRecord>(&app, &txn, &Actor::platform(&caller), row).await?;
    Logo::keep(logo, &txn, id).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/brands/{id}"), shown(&app, created).await?))
}

/// Changes a brand
#[utoipa::path(put, path = "/api/brands/{id}", operation_id = "updateBrand", tag = "brands",
    params(("id" = Uuid, Path)), request_body = BrandForm,
    responses((status = 200, body = Brand), (status = 409, description = "Changed by somebody else")))]
async fn update_brand(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<BrandForm>,
) -> Result<Json<Brand>> {
    let logo = Logo::read(&app, &form.logo).await?;
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<BrandRecord>(&app, &actor, Entity::find_by_id(id), form.version).await?;
    check_hosts(&edit.txn, &form, id).await?;
    fill(&mut edit.row, &edit.before, &form, logo.as_ref());
    Logo::keep(logo, &edit.txn, id).await?;
    let saved = edit.save().await?;
    Ok(Json(shown(&app, saved).await?))
}

/// Deletes a brand without organizations
#[utoipa::path(delete, path = "/api/brands/{id}", operation_id = "deleteBrand", tag = "brands",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "In use, or the first brand of the installation")))]
async fn delete_brand(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let edit = records::lock::<BrandRecord>(&app, &Actor::platform(&caller), Entity::find_by_id(id)).await?;
    let users = organization::Entity::find().filter(organization::Column::BrandId.eq(id));
    refuse_in_use(users.count(&edit.txn).await?, "organization")?;
    let first = Entity::find().order_by_asc(Column::Id).one(&edit.txn).await?;
    if first.is_some_and(|first| first.id == id) {
        let text = "This brand is the default for all other host names, so it cannot be deleted.";
        return Err(Error::Conflict(text.into()));
    }
    let scope = format!("brand:{id}");
    if terms::Entity::find().filter(terms::Column::Scope.eq(scope)).count(&edit.txn).await? > 0 {
        let text = "This brand has terms that organizations may have accepted, so it cannot be deleted.";
        return Err(Error::Conflict(text.into()));
    }
    brand_cover::Entity::delete_by_id(id).exec(&edit.txn).await?;
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

fn fill(row: &mut brand::ActiveModel, before: &Model, form: &BrandForm, logo: Option<&Logo>) {
    row.name = Set(form.name.to_string());
    row.display_name = Set(form.display_name.to_string());
    set_color(row, before, &form.color);
    row.hosts = Set(hosts_of(form).into_iter().collect());
    row.logo_digest = Set(logo.map(|logo| logo.digest.clone()).unwrap_or_default());
    row.has_own_terms = Set(form.has_own_terms);
    let mut settings = before.settings.clone();
    settings.0.insert(HIDES_INVITATIONS.into(), form.hide_provider_invitations.to_string());
    row.settings = Set(settings);
}

/// A new colour gets a new palette; the same colour keeps its palette.
pub fn set_color(row: &mut brand::ActiveModel, before: &Model, color: &str) {
    let color = color.trim().to_uppercase();
    if color != before.color {
        row.colors = Set(palette(&color).unwrap_or_default());
        row.color = Set(color);
    }
}

fn hosts_of(form: &BrandForm) -> BTreeSet<String> {
    form.hosts.iter().map(|host| host.to_lowercase()).collect()
}

/// A host name belongs to one brand. Changes of hosts are serialized by a lock on the first brand's row.
async fn check_hosts(txn: &Transaction, form: &BrandForm, id: Uuid) -> Result<()> {
    let mut errors = FieldErrors::default();
    let hosts = hosts_of(form);
    errors.require(hosts.len() <= HOSTS_MAX, "hosts", format!("A brand has {HOSTS_MAX} host names at most."));
    Entity::find().order_by_asc(Column::Id).limit(1).lock_exclusive().one(txn).await?;
    for other in Entity::find().filter(Column::Id.ne(id)).all(txn).await? {
        if let Some(host) = other.hosts.0.iter().find(|host| hosts.contains(*host)) {
            errors.add("hosts", format!("{host} belongs to {}.", other.display_name));
        }
    }
    errors.check()
}

/// A checked logo.
struct Logo {
    media_type: &'static str,
    content: Vec<u8>,
    digest: String,
}

impl Logo {
    async fn read(app: &App, text: &str) -> Result<Option<Self>> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let picture =
            from_data_url(text.trim()).ok_or_else(|| Error::field("logo", "The image is incomplete."))?;
        let content = picture.checked(app, None, "logo").await?;
        let media_type = check_logo(app, &content).await.map_err(|text| Error::field("logo", text))?;
        let mut digest = String::new();
        for byte in hash(MessageDigest::sha256(), &content).map_err(Error::internal)?.iter() {
            let _ = write!(digest, "{byte:02x}");
        }
        Ok(Some(Self { media_type, content: content.to_vec(), digest }))
    }

    async fn keep(logo: Option<Self>, txn: &Transaction, brand_id: Uuid) -> Result<()> {
        brand_logo::Entity::delete_by_id(brand_id).exec(txn).await?;
        if let Some(Self { media_type, content, .. }) = logo {
            let row = brand_logo::ActiveModel {
                brand_id: Set(brand_id),
                media_type: Set(media_type.into()),
                content: Set(content),
            };
            row.insert(txn).await?;
        }
        Ok(())
    }
}
