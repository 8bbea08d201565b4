//! `/api/admin/documentsources`: the fax numbers of an organization, and providers of numbers.

use super::queries::{self, Filter};
use super::types::{FaxProvider, FaxSource, FaxSourceForm, FaxStatus};
use crate::fax::{
    accounts::{is_for_operators, offered, provider_name, queries as accounts},
    settings::FaxSettings,
};
use axum::{Json, extract::State};
use fax::FaxNumber;
use platform::{
    App, Caller, Error, Manager, Result, Role,
    access::MANAGERS,
    api::Api,
    http::{Body, Data, Id, Items, Page, Paged, Params},
    text::SearchWords,
};
use sea_orm::Iterable;
use serde::Deserialize;
use store::entities::fax_account::ProviderKind;
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(document_sources, create_document_source))
        .route(MANAGERS, routes!(document_source_exists))
        .route(MANAGERS, routes!(fax_providers))
        .route(MANAGERS, routes!(document_source, update_document_source, delete_document_source))
        .route(MANAGERS, routes!(activate_document_source))
        .route(MANAGERS, routes!(fax_status))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct SourceParams {
    /// `asc` or `desc`, by number.
    sort_dir: Option<String>,
    page_number: Option<u64>,
    /// Default 25, maximum 100.
    page_size: Option<u64>,
    /// `fax`
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Part of a number or name.
    search: Option<SearchWords>,
}

/// The fax numbers of an organization
#[utoipa::path(get, path = "/api/admin/documentsources", operation_id = "documentSources", tag = "fax",
    params(Manager, SourceParams), responses((status = 200, body = Paged<FaxSource>)))]
async fn document_sources(
    State(app): State<App>,
    manager: Manager,
    Params(params): Params<SourceParams>,
) -> Result<Json<Paged<FaxSource>>> {
    if params.kind.is_some_and(|kind| !kind.is_empty() && kind != "fax") {
        return Err(Error::BadRequest("Only fax numbers are managed here.".into()));
    }
    let filter = Filter {
        organization_id: manager.organization_id,
        search: params.search.map(String::from).unwrap_or_default(),
        is_descending: params.sort_dir.is_some_and(|dir| dir.eq_ignore_ascii_case("desc")),
    };
    let page = Page::new(params.page_number, params.page_size, 25, 100)?;
    let (items, total) = queries::page(app.store.db(), &filter, page).await?;
    Ok(Json(Paged::capped(items, total)))
}

/// One fax number
#[utoipa::path(get, path = "/api/admin/documentsources/{id}", operation_id = "documentSource", tag = "fax",
    params(("id" = Uuid, Path)), responses((status = 200, body = FaxSource)))]
async fn document_source(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<FaxSource>> {
    Ok(Json(queries::find(app.store.db(), &caller, id).await?))
}

/// Adds a fax number
#[utoipa::path(post, path = "/api/admin/documentsources", operation_id = "createDocumentSource", tag = "fax",
    params(Manager), request_body = FaxSourceForm, responses((status = 200, body = FaxSource)))]
async fn create_document_source(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<FaxSourceForm>,
) -> Result<Json<FaxSource>> {
    Ok(Json(queries::create(&app, &manager, form).await?))
}

/// Changes a fax number
#[utoipa::path(put, path = "/api/admin/documentsources/{id}", operation_id = "updateDocumentSource", tag = "fax",
    params(("id" = Uuid, Path)), request_body = FaxSourceForm, responses((status = 200, body = FaxSource)))]
async fn update_document_source(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<FaxSourceForm>,
) -> Result<Json<FaxSource>> {
    Ok(Json(queries::update(&app, &caller, id, form).await?))
}

/// Deletes a fax number, after its pending faxes
#[utoipa::path(delete, path = "/api/admin/documentsources/{id}", operation_id = "deleteDocumentSource", tag = "fax",
    params(("id" = Uuid, Path)), responses((status = 200, body = FaxSource)))]
async fn delete_document_source(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<FaxSource>> {
    Ok(Json(queries::remove(&app, &caller, id).await?))
}

/// Asks the provider about a number, and activates it if there is no problem
#[utoipa::path(post, path = "/api/admin/documentsources/activate/{id}", operation_id = "activateDocumentSource",
    tag = "fax", params(("id" = Uuid, Path)), responses((status = 200, body = FaxSource)))]
async fn activate_document_source(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<FaxSource>> {
    Ok(Json(queries::activate(&app, &caller, id).await?))
}

/// Asks the provider for the state of a number
#[utoipa::path(get, path = "/api/admin/documentsources/{id}/faxstatus", operation_id = "faxStatus", tag = "fax",
    params(("id" = Uuid, Path)), responses((status = 200, body = FaxStatus)))]
async fn fax_status(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<Json<FaxStatus>> {
    Ok(Json(queries::status(&app, &caller, id).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Existing {
    val: String,
}

/// Whether a fax number is in use in this installation
#[utoipa::path(get, path = "/api/admin/documentsources/exists", operation_id = "documentSourceExists", tag = "fax",
    params(Existing), responses((status = 200, body = Data)))]
async fn document_source_exists(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<Existing>,
) -> Result<Json<Data>> {
    let db = app.store.db();
    let own = caller.organization_id.filter(|_| !caller.has(Role::SysAdmin));
    let settings = match own {
        Some(own) => FaxSettings::of(db, own).await?,
        None => FaxSettings::default(),
    };
    let number = FaxNumber::parse(&params.val, &settings.home());
    let number = number.map_err(|error| Error::field("val", error.to_string()))?;
    Ok(Json(Data { data: Some(queries::is_taken(db, own.unwrap_or_default(), &number).await?) }))
}

/// The providers of fax calls
#[utoipa::path(get, path = "/api/fax/providers", operation_id = "faxProviders", tag = "fax",
    params(Manager), responses((status = 200, body = Items<FaxProvider>)))]
async fn fax_providers(State(app): State<App>, manager: Manager) -> Result<Json<Items<FaxProvider>>> {
    let accounts = accounts::list(app.store.db(), manager.organization_id).await?;
    let offered = offered(&app, manager.organization_id).await?;
    let provider = |kind| FaxProvider {
        provider: kind,
        name: provider_name(kind).into(),
        is_configured: accounts.iter().any(|account| account.provider == kind),
        is_for_operators: is_for_operators(kind),
    };
    let providers = ProviderKind::iter().map(provider);
    let items = providers.filter(|p| p.is_configured || offered.contains(&p.provider)).collect();
    Ok(Json(Items { items }))
}
