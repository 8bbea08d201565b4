//! `/api/admin/lists/{list}`: organization types, HISP providers, purposes of use, classifications, job functions; the
//! applications and types of licences.

use super::{
    application_types,
    items::{self, Entry},
};
use accounts::reference_items::kind;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::{SIGNED_IN, SYSADMINS},
    api::Api,
    http::{Body, Created, Id, Items, Page, Paged, Params},
    text::{Rule, SearchWords},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::entities::reference_item;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(list_entries, create_list_entry))
        .route(SYSADMINS, routes!(list_entry, update_list_entry, delete_list_entry))
        .route(SIGNED_IN, routes!(purposes_of_use))
}

/// A list that operators maintain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListName {
    OrganizationTypes,
    HispProviders,
    PurposesOfUse,
    Classifications,
    JobFunctions,
    Applications,
    LicenceTypes,
}

impl ListName {
    fn kind(self) -> &'static str {
        match self {
            Self::OrganizationTypes => kind::ORGANIZATION_TYPE,
            Self::HispProviders => kind::HISP_PROVIDER,
            Self::PurposesOfUse => kind::PURPOSE_OF_USE,
            Self::Classifications => kind::CLASSIFICATION,
            Self::JobFunctions => kind::JOB_FUNCTION,
            Self::Applications => kind::APPLICATION,
            Self::LicenceTypes => kind::LICENCE_TYPE,
        }
    }

    /// Its name in paths.
    fn path(self) -> &'static str {
        match self {
            Self::OrganizationTypes => "organizationtypes",
            Self::HispProviders => "hispproviders",
            Self::PurposesOfUse => "purposesofuse",
            Self::Classifications => "classifications",
            Self::JobFunctions => "jobfunctions",
            Self::Applications => "applications",
            Self::LicenceTypes => "licencetypes",
        }
    }
}

platform::text! {
    /// Name of an entry.
    pub EntryName = Rule::line(2, 100).says("Please enter a name of 2 to 100 characters.");
    /// Code of an entry in other systems; empty if there is none.
    pub EntryCode = Rule::line(0, 64).pattern("[A-Za-z0-9._:-]+")
        .says("Please enter a code of letters, digits, dots, colons and hyphens, without spaces.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListEntry {
    pub id: Uuid,
    pub name: String,
    /// Empty if other systems have no code for it.
    pub code: String,
    /// No longer offered; records that have it keep it.
    pub is_retired: bool,
    /// The licence types of an application; null for entries of other lists.
    pub license_type_ids: Option<BTreeSet<Uuid>>,
    /// Send it back when saving.
    pub version: i32,
}

impl ListEntry {
    async fn of(app: &App, item: reference_item::Model) -> Result<Self> {
        Self::all(app, vec![item]).await?.pop().ok_or(Error::NotFound)
    }

    /// Entries of one list, in the same order.
    async fn all(app: &App, items: Vec<reference_item::Model>) -> Result<Vec<Self>> {
        let is_application = |item: &reference_item::Model| item.kind == kind::APPLICATION;
        let applications = items.iter().filter(|item| is_application(item)).map(|item| item.id);
        let mut types = application_types::of(app.store.db(), applications).await?;
        let entry = |item: reference_item::Model| Self {
            license_type_ids: is_application(&item).then(|| types.remove(&item.id).unwrap_or_default()),
            id: item.id,
            name: item.name,
            code: item.code,
            is_retired: item.is_retired,
            version: item.version,
        };
        Ok(items.into_iter().map(entry).collect())
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListEntryForm {
    pub name: EntryName,
    /// Required for purposes of use and classifications, and fixed while in use. Null keeps the present one.
    pub code: Option<EntryCode>,
    #[serde(default)]
    pub is_retired: bool,
    /// For applications: the entries of the list of licence types that it can be licensed under. Null keeps the
    /// present ones, and gives a new application all offered ones.
    pub license_type_ids: Option<Vec<Uuid>>,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl ListEntryForm {
    fn into_entry(self) -> Entry {
        Entry {
            name: self.name.into(),
            code: self.code.map(Into::into),
            is_retired: self.is_retired,
            license_types: self.license_type_ids,
        }
    }
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Words contained in the name, or the code.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

impl ListQuery {
    pub fn page(&self) -> Result<Page> {
        Page::new(self.page_number, self.page_size, 10, 100)
    }

    pub fn words(&self) -> &str {
        self.search.as_deref().unwrap_or_default()
    }
}

/// The entries of a list, by name
#[utoipa::path(get, path = "/api/admin/lists/{list}", operation_id = "listEntries", tag = "lists",
    params(("list" = inline(ListName), Path), ListQuery), responses((status = 200, body = Paged<ListEntry>)))]
async fn list_entries(
    State(app): State<App>,
    Id(list): Id<ListName>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Paged<ListEntry>>> {
    let found = items::page(&app, list.kind(), query.words(), query.page()?).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Json(Paged { items: ListEntry::all(&app, items).await?, total_count, total_is_capped }))
}

/// Adds an entry to a list
#[utoipa::path(post, path = "/api/admin/lists/{list}", operation_id = "createListEntry", tag = "lists",
    params(("list" = inline(ListName), Path)), request_body = ListEntryForm,
    responses((status = 201, body = ListEntry)))]
async fn create_list_entry(
    State(app): State<App>,
    caller: Caller,
    Id(list): Id<ListName>,
    Body(form): Body<ListEntryForm>,
) -> Result<Created<ListEntry>> {
    let created = items::create(&app, &caller, list.kind(), form.into_entry()).await?;
    Ok(Created(
        format!("/api/admin/lists/{}/{}", list.path(), created.id),
        ListEntry::of(&app, created).await?,
    ))
}

/// Reads an entry of a list
#[utoipa::path(get, path = "/api/admin/lists/{list}/{id}", operation_id = "listEntry", tag = "lists",
    params(("list" = inline(ListName), Path), ("id" = Uuid, Path)), responses((status = 200, body = ListEntry)))]
async fn list_entry(State(app): State<App>, Id((list, id)): Id<(ListName, Uuid)>) -> Result<Json<ListEntry>> {
    let found = items::read(&app, list.kind(), id).await?;
    Ok(Json(ListEntry::of(&app, found).await?))
}

/// Changes or retires an entry of a list
#[utoipa::path(put, path = "/api/admin/lists/{list}/{id}", operation_id = "updateListEntry", tag = "lists",
    params(("list" = inline(ListName), Path), ("id" = Uuid, Path)), request_body = ListEntryForm,
    responses((status = 200, body = ListEntry), (status = 409, description = "Changed by somebody else")))]
async fn update_list_entry(
    State(app): State<App>,
    caller: Caller,
    Id((list, id)): Id<(ListName, Uuid)>,
    Body(form): Body<ListEntryForm>,
) -> Result<Json<ListEntry>> {
    let version = form.version;
    let saved = items::update(&app, &caller, (list.kind(), id), version, form.into_entry()).await?;
    Ok(Json(ListEntry::of(&app, saved).await?))
}

/// Removes an entry that nothing uses
#[utoipa::path(delete, path = "/api/admin/lists/{list}/{id}", operation_id = "deleteListEntry", tag = "lists",
    params(("list" = inline(ListName), Path), ("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "It is in use")))]
async fn delete_list_entry(
    State(app): State<App>,
    caller: Caller,
    Id((list, id)): Id<(ListName, Uuid)>,
) -> Result<StatusCode> {
    items::delete(&app, &caller, list.kind(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurposeOfUse {
    pub code: String,
    pub name: String,
    /// No longer offered; organizations that have it keep it.
    pub is_retired: bool,
}

/// The purposes of use for document requests
#[utoipa::path(get, path = "/api/query/purposesofuse", operation_id = "purposesOfUse", tag = "lists",
    responses((status = 200, body = Items<PurposeOfUse>)))]
async fn purposes_of_use(State(app): State<App>) -> Result<Json<Items<PurposeOfUse>>> {
    let rows = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind::PURPOSE_OF_USE))
        .order_by_asc(reference_item::Column::Position)
        .order_by_asc(reference_item::Column::NameKey)
        .all(app.store.db())
        .await?;
    let item = |row: reference_item::Model| PurposeOfUse {
        code: row.code,
        name: row.name,
        is_retired: row.is_retired,
    };
    Ok(Json(Items { items: rows.into_iter().map(item).collect() }))
}
