//! `/api/efax/account` and `/api/westfax/account`: accounts at fax services on the web

use super::{
    http::{AccountForm, AccountView, remove},
    queries,
};
use crate::fax::{
    calls,
    numbers::{
        http::{FaxSource, FaxSourceForm},
        queries as numbers,
    },
    scope,
    settings::http::OfOrganization,
};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Error, Result,
    access::MANAGERS,
    api::Api,
    http::{Body, Id, Message, Params},
};
use sea_orm::ActiveEnum;
use serde::{Deserialize, Serialize};
use store::entities::{document_source::SourceKind, fax_account::ProviderKind};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(save_efax_account, remove_efax_account))
        .route(MANAGERS, routes!(save_westfax_account, remove_westfax_account))
        .route(MANAGERS, routes!(sync_westfax_account))
        .route(MANAGERS, routes!(add_westfax_number))
        .route(MANAGERS, routes!(remove_westfax_number))
}

/// Makes or changes the account at eFax Corporate
#[utoipa::path(put, path = "/api/efax/account", operation_id = "saveEfaxAccount", tag = "fax",
    request_body = AccountForm, responses((status = 200, body = AccountView)))]
async fn save_efax_account(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<AccountForm>,
) -> Result<Json<AccountView>> {
    Ok(Json(queries::save(&app, &caller, ProviderKind::EFax, form).await?))
}

/// Deletes the account at eFax Corporate, once it has no numbers
#[utoipa::path(delete, path = "/api/efax/account", operation_id = "removeEfaxAccount", tag = "fax",
    params(OfOrganization), responses((status = 200, body = Message)))]
async fn remove_efax_account(
    State(app): State<App>,
    caller: Caller,
    Params(of): Params<OfOrganization>,
) -> Result<Json<Message>> {
    remove(&app, &caller, ProviderKind::EFax, of).await
}

/// Makes or changes the account at WestFax
#[utoipa::path(put, path = "/api/westfax/account", operation_id = "saveWestfaxAccount", tag = "fax",
    request_body = AccountForm, responses((status = 200, body = AccountView)))]
async fn save_westfax_account(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<AccountForm>,
) -> Result<Json<AccountView>> {
    Ok(Json(queries::save(&app, &caller, ProviderKind::WestFax, form).await?))
}

/// Deletes the account at WestFax, once it has no numbers
#[utoipa::path(delete, path = "/api/westfax/account", operation_id = "removeWestfaxAccount", tag = "fax",
    params(OfOrganization), responses((status = 200, body = Message)))]
async fn remove_westfax_account(
    State(app): State<App>,
    caller: Caller,
    Params(of): Params<OfOrganization>,
) -> Result<Json<Message>> {
    remove(&app, &caller, ProviderKind::WestFax, of).await
}

/// What was brought over from a service.
#[derive(Serialize, ToSchema)]
pub struct Synced {
    /// Numbers that were added and can be used.
    pub added: Vec<FaxSource>,
    /// What went wrong, in plain words; nothing when all is well.
    pub problems: Vec<String>,
}

/// Adds the numbers that the account has at WestFax
#[utoipa::path(post, path = "/api/westfax/account/sync", operation_id = "syncWestfaxAccount", tag = "fax",
    params(OfOrganization), responses((status = 200, body = Synced)))]
async fn sync_westfax_account(
    State(app): State<App>,
    caller: Caller,
    Params(of): Params<OfOrganization>,
) -> Result<Json<Synced>> {
    let organization_id = scope::organization(&app, &caller, of.organization_id).await?;
    let account = queries::find(app.store.db(), organization_id, ProviderKind::WestFax).await?;
    let account = account.ok_or(Error::NotFound)?;
    let mut synced = Synced { added: Vec::new(), problems: queries::test(&app, &account).await? };
    if synced.problems.is_empty() {
        match calls::westfax(&app, &account).await?.numbers().await {
            Ok(listed) => add_listed(&app, &caller, organization_id, listed, &mut synced).await?,
            Err(error) => synced.problems.push(format!("WestFax does not list the numbers: {error}")),
        }
    }
    Ok(Json(synced))
}

async fn add_listed(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    listed: Vec<String>,
    synced: &mut Synced,
) -> Result<()> {
    for number in listed {
        if numbers::by_number(app.store.db(), organization_id, &number).await?.is_some() {
            continue;
        }
        let form = form(Some(organization_id), number.clone(), String::new());
        match add(app, caller, form).await {
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

fn form(organization_id: Option<Uuid>, full_address: String, display_name: String) -> FaxSourceForm {
    FaxSourceForm {
        organization_id,
        direct_address_type: SourceKind::Fax.to_value(),
        full_address,
        display_name,
        provider: ProviderKind::WestFax,
        callers: Vec::new(),
        sender_ids: Vec::new(),
    }
}

async fn add(app: &App, caller: &Caller, form: FaxSourceForm) -> Result<FaxSource> {
    let added = numbers::create(app, caller, form).await?;
    numbers::activate(app, caller, added.id).await
}

/// A number that the organization has at WestFax.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WestfaxNumber {
    /// The caller's own when absent; operators must say it.
    organization_id: Option<Uuid>,
    number: String,
    #[serde(default)]
    display_name: String,
}

/// Adds a number of the account at WestFax, and activates it when the account works
#[utoipa::path(post, path = "/api/westfax/account/numbers", operation_id = "addWestfaxNumber", tag = "fax",
    request_body = WestfaxNumber, responses((status = 200, body = FaxSource)))]
async fn add_westfax_number(
    State(app): State<App>,
    caller: Caller,
    Body(number): Body<WestfaxNumber>,
) -> Result<Json<FaxSource>> {
    let WestfaxNumber { organization_id, number, display_name } = number;
    let added = add(&app, &caller, form(organization_id, number, display_name)).await;
    Ok(Json(added.map_err(at_number)?))
}

/// What is wrong with the number stands at the field as it is called here.
fn at_number(error: Error) -> Error {
    let Error::Invalid(mut errors) = error else { return error };
    if let Some(sentences) = errors.0.remove("fullAddress") {
        errors.0.insert("number".into(), sentences);
    }
    Error::Invalid(errors)
}

/// Deletes a number of the account at WestFax, once what is being sent from it is through
#[utoipa::path(delete, path = "/api/westfax/account/numbers/{number}", operation_id = "removeWestfaxNumber",
    tag = "fax", params(("number" = String, Path), OfOrganization), responses((status = 200, body = FaxSource)))]
async fn remove_westfax_number(
    State(app): State<App>,
    caller: Caller,
    Id(number): Id<String>,
    Params(of): Params<OfOrganization>,
) -> Result<Json<FaxSource>> {
    let organization_id = scope::organization(&app, &caller, of.organization_id).await?;
    let found = numbers::by_number(app.store.db(), organization_id, &number).await?;
    let found = found.filter(|source| source.provider == ProviderKind::WestFax).ok_or(Error::NotFound)?;
    Ok(Json(numbers::remove(&app, &caller, found.id).await?))
}
