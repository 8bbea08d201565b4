//! `/api/admin/eulas`: the versions of the terms of service and of the privacy terms, and their acceptance.

use accounts::onboarding::terms::{
    paper::{self, Terms},
    queries as terms_queries,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
    response::Response,
};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    fields::FieldErrors,
    http::{Created, Data, Id, Items, Page, Paged, Params},
    terms::{PRIVACY, RESELLER, STANDARD, brand_scope, privacy_scope, reseller_scope},
    text::SearchWords,
    upload::{Checked, FileForm},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use store::entities::{brand, reseller, terms, terms_acceptance};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const FILE_MAX: usize = 1 << 20;
const VERSION_MAX: usize = 10;

const FILE_NEEDED: &str = "You must select a file.";
const NOT_HTML: &str = "You must select a html file.";
const TOO_LARGE: &str = "Your file exceeds the maximum (1MB) allowed size.";
const TYPE_NEEDED: &str = "Please choose EULA or Privacy.";
const BRAND_NEEDED: &str = "Please choose a brand.";
const VERSION_WRONG: &str = "Please enter a number of at most 10 characters, such as 2.1.";
const VERSION_TAKEN: &str = "This eula version already exists, please enter a different version number.";
const IS_ACTIVE: &str = "This version is active, so it cannot be deleted.";

/// Served texts are sanitized; in addition, browsers must not run anything in them.
const INERT: &str = "default-src 'none'; sandbox";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(eulas))
        .upload(SYSADMINS, routes!(create_eula), FILE_MAX)
        .route(SYSADMINS, routes!(eula_brands))
        .route(SYSADMINS, routes!(eula_version_exists))
        .route(SYSADMINS, routes!(eula, delete_eula))
        .route(SYSADMINS, routes!(eula_html))
        .route(SYSADMINS, routes!(eula_pdf))
        .route(SYSADMINS, routes!(activate_eula))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum EulaType {
    #[serde(rename = "EULA")]
    Eula,
    Privacy,
}

/// The scope of a version.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EulaBrand {
    /// Id of a brand or a reseller; `standard` or `reseller` for those without their own terms.
    pub id: String,
    pub name: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Eula {
    pub id: Uuid,
    pub r#type: EulaType,
    pub brand: EulaBrand,
    pub version: String,
    pub active: bool,
    /// Number of people who accepted it for their organization.
    pub total_users: u64,
}

/// All scopes that can have terms, by id.
async fn brands_by_scope(db: &impl ConnectionTrait) -> Result<Vec<(String, EulaBrand)>> {
    let named = |scope: String, id: &str, name: String| (scope, EulaBrand { id: id.to_owned(), name });
    let mut all = vec![
        named(STANDARD.into(), STANDARD, "All brands without their own terms".into()),
        named(RESELLER.into(), RESELLER, "Customers of resellers with their own terms".into()),
    ];
    let mut brands: Vec<_> = brand::Entity::find().all(db).await?;
    brands.sort_by_cached_key(|b| b.display_name.to_lowercase());
    for b in brands {
        all.push(named(brand_scope(b.id), &b.id.to_string(), b.display_name));
    }
    let resellers = reseller::Entity::find().filter(reseller::Column::BypassTos.eq(true)).all(db).await?;
    for r in resellers {
        all.push(named(reseller_scope(r.id), &r.id.to_string(), r.name));
    }
    Ok(all)
}

fn split(scope: &str) -> (EulaType, &str) {
    match scope.strip_prefix(PRIVACY) {
        Some(rest) => (EulaType::Privacy, rest),
        None => (EulaType::Eula, scope),
    }
}

#[derive(FromQueryResult)]
struct Accepted {
    terms_id: Uuid,
    users: i64,
}

/// Versions in the shape of the API, in the same order.
async fn shown(db: &impl ConnectionTrait, rows: Vec<terms::Model>) -> Result<Vec<Eula>> {
    use terms_acceptance::Column;
    let brands: HashMap<String, EulaBrand> = brands_by_scope(db).await?.into_iter().collect();
    let accepted: HashMap<Uuid, i64> = terms_acceptance::Entity::find()
        .select_only()
        .column(Column::TermsId)
        .column_as(Expr::col(Column::UserId).count_distinct(), "users")
        .filter(Column::TermsId.is_in(rows.iter().map(|row| row.id)))
        .group_by(Column::TermsId)
        .into_model::<Accepted>()
        .all(db)
        .await?
        .into_iter()
        .map(|found| (found.terms_id, found.users))
        .collect();
    let eula = |row: terms::Model| {
        let (kind, scope) = split(&row.scope);
        // The reseller may no longer have its own terms.
        let gone = || EulaBrand { id: scope.to_owned(), name: "A reseller without its own terms".into() };
        Eula {
            r#type: kind,
            brand: brands.get(scope).cloned().unwrap_or_else(gone),
            total_users: accepted.get(&row.id).map_or(0, |n| n.unsigned_abs()),
            id: row.id,
            version: row.version,
            active: row.is_active,
        }
    };
    Ok(rows.into_iter().map(eula).collect())
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EulaSort {
    #[default]
    Version,
    Brand,
    Type,
    Active,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EulaOrder {
    #[serde(alias = "ascending")]
    Asc,
    #[default]
    #[serde(alias = "descending")]
    Desc,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct EulaQuery {
    /// Contained in the brand, the type or the version.
    #[param(inline)]
    pub search: Option<SearchWords>,
    #[serde(default)]
    #[param(inline, required = false)]
    pub sort_by: EulaSort,
    #[serde(default)]
    #[param(inline, required = false)]
    pub sort_dir: EulaOrder,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// Versions are numbers.
fn number(version: &str) -> f64 {
    version.parse().unwrap_or(0.0)
}

/// The versions of the terms
#[utoipa::path(get, path = "/api/admin/eulas", operation_id = "eulas", tag = "terms", params(EulaQuery),
    responses((status = 200, body = Paged<Eula>)))]
async fn eulas(State(app): State<App>, Params(query): Params<EulaQuery>) -> Result<Json<Paged<Eula>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let db = app.store.db();
    // Operators upload a few versions a year, so all rows are read, without their texts.
    let rows = terms::Entity::find().select_only().columns([
        terms::Column::Id,
        terms::Column::Scope,
        terms::Column::Version,
        terms::Column::IsActive,
    ]);
    let rows = rows
        .column_as(Expr::val(""), "html")
        .columns([terms::Column::CreatedAt, terms::Column::ActivatedAt])
        .all(db)
        .await?;
    let mut found = shown(db, rows).await?;
    let words = query.search.as_deref().unwrap_or_default().to_lowercase();
    let name = |kind: EulaType| if kind == EulaType::Eula { "eula" } else { "privacy" };
    found.retain(|e| {
        let text = format!("{} {} {}", e.brand.name.to_lowercase(), name(e.r#type), e.version);
        words.split_whitespace().all(|word| text.contains(word))
    });
    let brand = |e: &Eula| e.brand.name.to_lowercase();
    found.sort_by(|a, b| {
        let order = match query.sort_by {
            EulaSort::Version => number(&a.version).total_cmp(&number(&b.version)),
            EulaSort::Brand => brand(a).cmp(&brand(b)),
            EulaSort::Type => name(a.r#type).cmp(name(b.r#type)),
            EulaSort::Active => a.active.cmp(&b.active),
        };
        let order = if query.sort_dir == EulaOrder::Asc { order } else { order.reverse() };
        order.then_with(|| brand(a).cmp(&brand(b))).then_with(|| a.id.cmp(&b.id))
    });
    let total = found.len() as u64;
    let start = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let items = found.into_iter().skip(start).take(usize::try_from(page.size).unwrap_or(100)).collect();
    Ok(Json(Paged::capped(items, total)))
}

/// The scopes that can have terms
#[utoipa::path(get, path = "/api/admin/eulas/brands", operation_id = "eulaBrands", tag = "terms",
    responses((status = 200, body = Items<EulaBrand>)))]
async fn eula_brands(State(app): State<App>) -> Result<Json<Items<EulaBrand>>> {
    let all = brands_by_scope(app.store.db()).await?;
    Ok(Json(Items { items: all.into_iter().map(|(_, brand)| brand).collect() }))
}

async fn find(db: &impl ConnectionTrait, id: Uuid) -> Result<terms::Model> {
    terms::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)
}

async fn shown_one(db: &impl ConnectionTrait, row: terms::Model) -> Result<Eula> {
    shown(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// A version of the terms
#[utoipa::path(get, path = "/api/admin/eulas/{id}", operation_id = "eula", tag = "terms",
    params(("id" = Uuid, Path)), responses((status = 200, body = Eula)))]
async fn eula(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Eula>> {
    let db = app.store.db();
    Ok(Json(shown_one(db, find(db, id).await?).await?))
}

/// The sanitized text of a version
#[utoipa::path(get, path = "/api/admin/eulas/{id}/html", operation_id = "eulaHtml", tag = "terms",
    params(("id" = Uuid, Path)), responses((status = 200, body = String, content_type = "text/html")))]
async fn eula_html(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<([(HeaderName, &'static str); 2], String)> {
    let found = find(app.store.db(), id).await?;
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, INERT)];
    Ok((headers, found.html))
}

/// A version as a document for download
#[utoipa::path(get, path = "/api/admin/eulas/{id}/pdf", operation_id = "eulaPdf", tag = "terms",
    params(("id" = Uuid, Path)), responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn eula_pdf(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Response> {
    let db = app.store.db();
    let row = find(db, id).await?;
    let title = match split(&row.scope).0 {
        EulaType::Eula => "Terms of service",
        EulaType::Privacy => "Privacy terms",
    };
    let (html, at) = (row.html.clone(), row.created_at.naive_utc());
    let eula = shown_one(db, row).await?;
    let file_name = format!("{title} {}.pdf", eula.version);
    let about = format!("{}, version {}", eula.brand.name, eula.version);
    paper::download(Terms { title: title.into(), about, texts: vec![html], at }, &file_name).await
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VersionQuery {
    #[param(inline)]
    pub brand: SearchWords,
    #[param(inline)]
    pub version: SearchWords,
}

/// Whether a brand already has this version
#[utoipa::path(get, path = "/api/admin/eulas/version/exists", operation_id = "eulaVersionExists", tag = "terms",
    params(VersionQuery), responses((status = 200, body = Data)))]
async fn eula_version_exists(
    State(app): State<App>,
    Params(query): Params<VersionQuery>,
) -> Result<Json<Data>> {
    let db = app.store.db();
    let scope = scope_of(db, &query.brand).await?.ok_or(Error::NotFound)?;
    Ok(Json(Data { data: Some(has_version(db, &scope, &query.version).await?) }))
}

async fn scope_of(db: &impl ConnectionTrait, brand: &str) -> Result<Option<String>> {
    let found = brands_by_scope(db).await?.into_iter().find(|(_, known)| known.id == brand);
    Ok(found.map(|(scope, _)| scope))
}

/// Versions are unique per brand, regardless of their type; 2.1 is 2.10.
async fn has_version(db: &impl ConnectionTrait, scope: &str, version: &str) -> Result<bool> {
    let versions: Vec<String> = terms::Entity::find()
        .select_only()
        .column(terms::Column::Version)
        .filter(terms::Column::Scope.is_in([scope.to_owned(), privacy_scope(scope)]))
        .into_tuple()
        .all(db)
        .await?;
    Ok(versions.iter().any(|known| number(known).total_cmp(&number(version)).is_eq()))
}

/// The parts of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the multipart form")]
struct EulaForm {
    #[schema(format = Binary, content_media_type = "text/html")]
    file: Vec<u8>,
    r#type: EulaType,
    /// The id of one of the brands.
    brand: String,
    /// A number of at most 10 characters.
    version: String,
}

/// Result of an upload.
#[derive(Default)]
struct Upload {
    file: Option<Checked>,
    is_html: bool,
    kind: Option<EulaType>,
    brand: String,
    version: String,
}

/// Adds a version, which applies once it is activated
#[utoipa::path(post, path = "/api/admin/eulas", operation_id = "createEula", tag = "terms",
    request_body(content = EulaForm, content_type = "multipart/form-data"),
    responses((status = 201, body = Eula)))]
async fn create_eula(State(app): State<App>, caller: Caller, form: FileForm) -> Result<Created<Eula>> {
    let upload = receive(&app, form).await?;
    let txn = app.store.begin().await?;
    let scope = scope_of(&txn, &upload.brand).await?;
    let html = upload.html();
    let mut errors = FieldErrors::default();
    errors.extend("file", html.as_ref().err().copied());
    errors.require(upload.kind.is_some(), "type", TYPE_NEEDED);
    errors.require(scope.is_some(), "brand", BRAND_NEEDED);
    let is_version = is_version(&upload.version);
    errors.require(is_version, "version", VERSION_WRONG);
    if let Some(scope) = scope.as_ref().filter(|_| is_version) {
        errors.require(!has_version(&txn, scope, &upload.version).await?, "version", VERSION_TAKEN);
    }
    errors.check()?;
    let (Ok(html), Some(kind), Some(scope)) = (html, upload.kind, scope) else {
        return Err(Error::internal("the form was checked"));
    };
    let scope = if kind == EulaType::Privacy { privacy_scope(&scope) } else { scope };
    let mut row = terms_queries::version(Uuid::now_v7(), &scope, &upload.version, html, app.clock.now());
    row.is_active = Set(false);
    let created = row.insert(&txn).await?;
    record(&app, &txn, &caller, event::CREATED, &created).await?;
    let eula = shown_one(&txn, created).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/admin/eulas/{}", eula.id), eula))
}

fn is_version(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    text.len() <= VERSION_MAX && is_digits(whole) && is_digits(part)
}

async fn receive(app: &App, mut form: FileForm) -> Result<Upload> {
    let mut upload = Upload::default();
    while let Some(part) = form.next(TOO_LARGE).await? {
        match part.name() {
            "file" => {
                let file = part.file(FILE_MAX).await?.checked(app, None, "file").await?;
                let name = file.name().to_lowercase();
                upload.is_html = name.ends_with(".html") || name.ends_with(".htm");
                upload.file = Some(file);
            }
            "type" => upload.kind = serde_json::from_value(part.text(FILE_MAX).await?.into()).ok(),
            "brand" => upload.brand = part.text(FILE_MAX).await?,
            "version" => upload.version = part.text(FILE_MAX).await?.trim().to_owned(),
            _ => {}
        }
    }
    Ok(upload)
}

impl Upload {
    /// The text of the file, if it is HTML and not empty.
    fn html(&self) -> std::result::Result<&str, &'static str> {
        let bytes = self.file.as_deref().filter(|bytes| !bytes.is_empty()).ok_or(FILE_NEEDED)?;
        let text = std::str::from_utf8(bytes).map_err(|_| NOT_HTML)?.trim_start_matches('\u{feff}');
        let has_tags = text.contains('<') && text.contains('>');
        let fits = self.is_html && has_tags && !text.contains('\0') && terms_queries::has_words(text);
        if fits { Ok(text) } else { Err(NOT_HTML) }
    }
}

async fn record(
    app: &App,
    txn: &store::Transaction,
    caller: &Caller,
    event: &'static str,
    row: &terms::Model,
) -> Result<()> {
    let detail = json!({ "scope": row.scope, "version": row.version, "active": row.is_active });
    audit::record(app, txn, &Actor::platform(caller), Act::new(event, "terms", row.id).detail(detail)).await
}

/// Activates a version in place of the active one of the same type and brand; everybody has to accept it before
/// anything else
#[utoipa::path(put, path = "/api/admin/eulas/{id}/activate", operation_id = "activateEula", tag = "terms",
    params(("id" = Uuid, Path)), responses((status = 200, body = Eula)))]
async fn activate_eula(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<Json<Eula>> {
    let txn = app.store.begin().await?;
    let row = terms::Entity::find_by_id(id).lock_exclusive().one(&txn).await?.ok_or(Error::NotFound)?;
    if row.is_active {
        return Ok(Json(shown_one(&txn, row).await?));
    }
    terms::Entity::update_many()
        .col_expr(terms::Column::IsActive, Expr::value(false))
        .filter(terms::Column::Scope.eq(&*row.scope))
        .filter(terms::Column::IsActive.eq(true))
        .exec(&txn)
        .await?;
    let mut row = row.into_active_model();
    row.is_active = Set(true);
    row.activated_at = Set(Some(app.clock.now()));
    let saved = row.update(&txn).await?;
    record(&app, &txn, &caller, event::CHANGED, &saved).await?;
    let eula = shown_one(&txn, saved).await?;
    txn.commit().await?;
    Ok(Json(eula))
}

/// Deletes a version that is not active and that nobody has accepted
#[utoipa::path(delete, path = "/api/admin/eulas/{id}", operation_id = "deleteEula", tag = "terms",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "It is active or was accepted")))]
async fn delete_eula(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let txn = app.store.begin().await?;
    let row = terms::Entity::find_by_id(id).lock_exclusive().one(&txn).await?.ok_or(Error::NotFound)?;
    if row.is_active {
        return Err(Error::Conflict(IS_ACTIVE.into()));
    }
    match shown_one(&txn, row.clone()).await?.total_users {
        0 => {}
        1 => return Err(Error::Conflict("1 person accepted this version, so it cannot be deleted.".into())),
        n => {
            let text = format!("{n} people accepted this version, so it cannot be deleted.");
            return Err(Error::Conflict(text.into()));
        }
    }
    terms::Entity::delete_by_id(id).exec(&txn).await?;
    record(&app, &txn, &caller, event::DELETED, &row).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ADA-R-311 ADA-R-312
    #[test]
    fn a_version_is_a_number_of_at_most_10_characters() {
        for good in ["1", "2.1", "10.25", "1234567.89"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["", "v2", "1.2.3", "1.", ".5", "-1", "1e3", "12345678901"] {
            assert!(!is_version(bad), "{bad}");
        }
    }
}
