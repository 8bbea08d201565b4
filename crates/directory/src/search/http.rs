//! `POST /api/directory/search`

use super::{
    queries::{self, Found},
    rules::{Criteria, Typed},
};
use crate::entry::Kind;
use axum::{Json, extract::State};
use platform::{
    App, Result, Role,
    api::Api,
    http::{Body, Page},
};
use serde::{Deserialize, Serialize};
use store::entities::directory_entry;
use utoipa::ToSchema;
use utoipa_axum::routes;

const PAGE_SIZE: u64 = 10;
const LARGEST_PAGE: u64 = 100;

/// Staff of organizations, and service accounts of networks.
const SEARCHERS: &[Role] = &[Role::User, Role::Admin, Role::Service];

pub fn api() -> Api {
    Api::new().route(SEARCHERS, routes!(search_directory))
}

/// Search criteria, at least one. Each text is a prefix; in the organization's name each word is one.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DirectorySearchRequest {
    pub first_name: String,
    pub last_name: String,
    pub organization_name: String,
    pub city: String,
    /// Two letters.
    pub state: String,
    /// Up to nine digits.
    pub zip: String,
    pub provider_page_start: Option<u64>,
    pub organization_page_start: Option<u64>,
    pub page_size: Option<u64>,
}

/// A person or organization in the directory. Unknown fields are empty.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryResult {
    pub direct_address: String,
    pub organization_name: String,
    pub first_name: String,
    pub last_name: String,
    pub middle_name: String,
    pub clinic_name: String,
    pub phone_primary: String,
    pub fax: String,
    pub standardized_address_line1: String,
    pub standardized_city: String,
    pub standardized_state: String,
    pub standardized_zip: String,
}

impl From<directory_entry::Model> for DirectoryResult {
    fn from(entry: directory_entry::Model) -> Self {
        Self {
            direct_address: entry.direct_address,
            organization_name: entry.organization_name,
            first_name: entry.first_name,
            last_name: entry.last_name,
            middle_name: entry.middle_name,
            clinic_name: entry.clinic_name,
            phone_primary: entry.phone,
            fax: entry.fax,
            standardized_address_line1: entry.address_line,
            standardized_city: entry.city,
            standardized_state: entry.state,
            standardized_zip: entry.zip,
        }
    }
}

/// A page of each list. Totals are exact up to 100 and up to the end of the next page; larger ones are reported as that
/// limit. No page goes beyond row 10,000.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectorySearchResponse {
    pub providers: Vec<DirectoryResult>,
    pub total_providers_count: u64,
    pub organizations: Vec<DirectoryResult>,
    pub total_organizations_count: u64,
}

/// Finds people and organizations that documents can be sent to
#[utoipa::path(post, path = "/api/directory/search", operation_id = "searchDirectory", tag = "directory",
    request_body = DirectorySearchRequest, responses((status = 200, body = DirectorySearchResponse)))]
async fn search_directory(
    State(app): State<App>,
    Body(body): Body<DirectorySearchRequest>,
) -> Result<Json<DirectorySearchResponse>> {
    let criteria = Criteria::read(Typed {
        first_name: &body.first_name,
        last_name: &body.last_name,
        organization_name: &body.organization_name,
        city: &body.city,
        state: &body.state,
        zip: &body.zip,
    })?;
    let page = |number| Page::new(number, body.page_size, PAGE_SIZE, LARGEST_PAGE);
    let db = app.store.db();
    let (providers, organizations) = tokio::try_join!(
        queries::search(db, &criteria, Kind::Provider, page(body.provider_page_start)?),
        queries::search(db, &criteria, Kind::Organization, page(body.organization_page_start)?),
    )?;
    let (providers, total_providers_count) = shown(providers);
    let (organizations, total_organizations_count) = shown(organizations);
    Ok(Json(DirectorySearchResponse {
        providers,
        total_providers_count,
        organizations,
        total_organizations_count,
    }))
}

fn shown(found: Found) -> (Vec<DirectoryResult>, u64) {
    (found.entries.into_iter().map(Into::into).collect(), found.total)
}
