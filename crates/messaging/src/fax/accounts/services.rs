//! `/api/efax/account` and `/api/westfax/account`: accounts at online fax services.

use super::{
    queries,
    types::{AccountForm, AccountView, deleted},
};
use crate::fax::{
    calls,
    numbers::{
        queries as numbers,
        types::{FaxSource, FaxSourceForm},
    },
};
use axum::{Json, extract::State};
use platform::{
    App, Error, Manager, Result,
    access::MANAGERS,
    api::Api,
    http::{Body, Id, Message},
};
use sea_orm::ActiveEnum;
use serde::{Deserialize, Serialize};
use store::entities::{document_source::SourceKind, fax_account::ProviderKind};
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(save_efax_account, remove_efax_account))
        .route(MANAGERS, routes!(save_westfax_account, remove_westfax_account))
        .route(MANAGERS, routes!(sync_westfax_account))
        .route(MANAGERS, routes!(add_westfax_number))
        .route(MANAGERS, routes!(remove_westfax_number))
}

/// Creates or changes the account at eFax Corporate
#[utoipa::path(put, path = "/api/efax/account", operation_id = "saveEfaxAccount", tag = "fax",
    params(Manager), request_body = AccountForm, responses((status = 200, body = AccountView)))]
async fn save_efax_account(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<AccountForm>,
) -> Result<Json<AccountView>> {
    Ok(Json(queries::save(&app, &manager, ProviderKind::EFax, form).await?))
}

/// Deletes the account at eFax Corporate, unless it has numbers
#[utoipa::path(delete, path = "/api/efax/account", operation_id = "removeEfaxAccount", tag = "fax",
    params(Manager), responses((status = 200, body = Message)))]
async fn remove_efax_account(State(app): State<App>, manager: Manager) -> Result<Json<Message>> {
    queries::remove(&app, &manager, ProviderKind::EFax).await?;
    Ok(deleted())
}

/// Creates or changes the account at WestFax
#[utoipa::path(put, path = "/api/westfax/account", operation_id = "saveWestfaxAccount", tag = "fax",
    params(Manager), request_body = AccountForm, responses((status = 200, body = AccountView)))]
async fn save_westfax_account(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<AccountForm>,
) -> Result<Json<AccountView>> {
    Ok(Json(queries::save(&app, &manager, ProviderKind::WestFax, form).await?))
}

/// Deletes the account at WestFax, unless it has numbers
#[utoipa::path(delete, path = "/api/westfax/account", operation_id = "removeWestfaxAccount", tag = "fax",
    params(Manager), responses((status = 200, body = Message)))]
async fn remove_westfax_account(State(app): State<App>, manager: Manager) -> Result<Json<Message>> {
    queries::remove(&app, &manager, ProviderKind::WestFax).await?;
    Ok(deleted())
}

/// Result of importing numbers from a service.
#[derive(Serialize, ToSchema)]
pub struct Synced {
    /// Numbers that were added and are usable.
    pub added: Vec<FaxSource>,
    /// Problems in plain words; empty if there are none.
    pub problems: Vec<String>,
}

/// Adds the numbers of the WestFax account
#[utoipa::path(post, path = "/api/westfax/account/sync", operation_id = "syncWestfaxAccount", tag = "fax",
    params(Manager), responses((status = 200, body = Synced)))]
async fn sync_westfax_account(State(app): State<App>, manager: Manager) -> Result<Json<Synced>> {
    let account = queries::find(app.store.db(), manager.organization_id, ProviderKind::WestFax).await?;
    let account = account.ok_or(Error::NotFound)?;
    let mut synced = Synced { added: Vec::new(), problems: queries::test(&app, &account).await? };
    if synced.problems.is_empty() {
        match calls::westfax(&app, &account).await?.numbers().await {
            Ok(listed) => add_listed(&app, &manager, listed, &mut synced).await?,
            Err(error) => synced.problems.push(format!("WestFax does not list the numbers: {error}")),
        }
    }
    Ok(Json(synced))
}

async fn add_listed(app: &App, manager: &Manager, listed: Vec<String>, synced: &mut Synced) -> Result<()> {
    for number in listed {
        if numbers::by_number(app.store.db(), manager.organization_id, &number).await?.is_some() {
            continue;
        }
        let form = form(number.clone(), String::new());
        match add(app, manager, form).await {
            Ok(source) => synced.added.push(source),
            Err(Error::Invalid(errors)) => {
                let sentences = errors.0.into_values().flatten();
                synced.problems.extend(sentences.map(|sentence| format!("{number}: {sentence}")));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn form(full_address: String, display_name: String) -> FaxSourceForm {
    FaxSourceForm {
        direct_address_type: SourceKind::Fax.to_value(),
        full_address,
        display_name,
        provider: ProviderKind::WestFax,
        callers: Vec::new(),
        sender_ids: Vec::new(),
        version: None,
    }
}

async fn add(app: &App, manager: &Manager, form: FaxSourceForm) -> Result<FaxSource> {
    let added = numbers::create(app, manager, form).await?;
    numbers::activate(app, &manager.caller, added.id).await
}

/// A number of the WestFax account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WestfaxNumber {
    number: String,
    #[serde(default)]
    display_name: String,
}

/// Adds a number of the WestFax account, and activates it if the account works
#[utoipa::path(post, path = "/api/westfax/account/numbers", operation_id = "addWestfaxNumber", tag = "fax",
    params(Manager), request_body = WestfaxNumber, responses((status = 200, body = FaxSource)))]
async fn add_westfax_number(
    State(app): State<App>,
    manager: Manager,
    Body(number): Body<WestfaxNumber>,
) -> Result<Json<FaxSource>> {
    let added = add(&app, &manager, form(number.number, number.display_name)).await;
    Ok(Json(added.map_err(at_number)?))
}

/// Renames the field of an error to its name here.
fn at_number(error: Error) -> Error {
    let Error::Invalid(mut errors) = error else { return error };
    if let Some(sentences) = errors.0.remove("fullAddress") {
        errors.0.insert("number".into(), sentences);
    }
    Error::Invalid(errors)
}

/// Deletes a number of the WestFax account, after its pending faxes
#[utoipa::path(delete, path = "/api/westfax/account/numbers/{number}", operation_id = "removeWestfaxNumber",
    tag = "fax", params(("number" = String, Path), Manager), responses((status = 200, body = FaxSource)))]
async fn remove_westfax_number(
    State(app): State<App>,
    manager: Manager,
    Id(number): Id<String>,
) -> Result<Json<FaxSource>> {
    let found = numbers::by_number(app.store.db(), manager.organization_id, &number).await?;
    let found = found.filter(|source| source.provider == ProviderKind::WestFax).ok_or(Error::NotFound)?;
    Ok(Json(numbers::remove(&app, &manager.caller, found.id).await?))
}
