//! `/api/admin/reports`

use super::{
    chosen::{DownloadProfiles, IntakeRules},
    events::{self, Events},
    queries::{self, DirectAddresses, Organizations, Unassigned, Users},
    types::{ChoiceQuery, DevicesQuery, EventsQuery, OrganizationIds, ReportOrganization},
    usage::{Contacts, Devices},
};
use axum::{Json, extract::State, response::Response};
use platform::{
    App, Caller, Error, Result,
    access::OPERATORS,
    api::Api,
    audit::{self, Act, event},
    csv,
    http::{Body, Items, Params},
};
use serde_json::{Value, json};
use store::entities::organization;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(OPERATORS, routes!(direct_addresses))
        .route(OPERATORS, routes!(organizations))
        .route(OPERATORS, routes!(users))
        .route(OPERATORS, routes!(message_events))
        .route(OPERATORS, routes!(contacts_statistics))
        .route(OPERATORS, routes!(devices))
        .route(OPERATORS, routes!(unassigned_addresses))
        .route(OPERATORS, routes!(intake_rules))
        .route(OPERATORS, routes!(download_profiles))
        .route(OPERATORS, routes!(organization_choices))
}

/// The Direct addresses of all organizations
#[utoipa::path(get, path = "/api/admin/reports/directaddresses", operation_id = "directAddressesReport",
    tag = "reports", responses((status = 200, content_type = "text/csv", body = String)))]
async fn direct_addresses(State(app): State<App>, caller: Caller) -> Result<Response> {
    recorded(&app, &caller, "directaddresses", Value::Null).await?;
    Ok(csv::download(app, "direct-addresses.csv", DirectAddresses::default()))
}

/// All organizations
#[utoipa::path(get, path = "/api/admin/reports/organizations", operation_id = "organizationsReport",
    tag = "reports", responses((status = 200, content_type = "text/csv", body = String)))]
async fn organizations(State(app): State<App>, caller: Caller) -> Result<Response> {
    recorded(&app, &caller, "organizations", Value::Null).await?;
    Ok(csv::download(app, "organizations.csv", Organizations::default()))
}

/// All users, with a line for each of their organizations
#[utoipa::path(get, path = "/api/admin/reports/users", operation_id = "usersReport",
    tag = "reports", responses((status = 200, content_type = "text/csv", body = String)))]
async fn users(State(app): State<App>, caller: Caller) -> Result<Response> {
    recorded(&app, &caller, "users", Value::Null).await?;
    Ok(csv::download(app, "users.csv", Users::default()))
}

/// Events of the messages of all organizations, newest first
#[utoipa::path(get, path = "/api/admin/reports/events", operation_id = "eventsReport",
    tag = "reports", params(EventsQuery), responses((status = 200, content_type = "text/csv", body = String)))]
async fn message_events(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<EventsQuery>,
) -> Result<Response> {
    let span = events::checked(&query, app.clock.now())?;
    recorded(&app, &caller, "events", span.detail()).await?;
    Ok(csv::download(app, "messages.csv", Events::new(span)))
}

/// Numbers of contacts of organizations, and of those used within 30 days
#[utoipa::path(get, path = "/api/admin/reports/contacts-usage-statistics", operation_id = "contactsStatisticsReport",
    tag = "reports", responses((status = 200, content_type = "text/csv", body = String)))]
async fn contacts_statistics(State(app): State<App>, caller: Caller) -> Result<Response> {
    recorded(&app, &caller, "contacts-usage-statistics", Value::Null).await?;
    Ok(csv::download(app, "contacts-statistics.csv", Contacts::default()))
}

/// The devices of sign-ins between two dates
#[utoipa::path(get, path = "/api/admin/reports/devices", operation_id = "devicesReport",
    tag = "reports", params(DevicesQuery), responses((status = 200, content_type = "text/csv", body = String)))]
async fn devices(
    State(app): State<App>,
    caller: Caller,
    Params(DevicesQuery { start_date, end_date }): Params<DevicesQuery>,
) -> Result<Response> {
    let fields = ["startDate", "endDate"];
    let (since, until) = events::checked_dates(start_date, end_date, app.clock.now(), fields)?;
    recorded(&app, &caller, "devices", json!({ "start": since, "end": until })).await?;
    Ok(csv::download(app, "devices.csv", Devices::new(since, until)))
}

/// The Direct addresses of organizations without assigned users
#[utoipa::path(post, path = "/api/admin/reports/addresses/unassigned", operation_id = "unassignedAddressesReport",
    tag = "reports", request_body = OrganizationIds, responses((status = 200, content_type = "text/csv", body = String)))]
async fn unassigned_addresses(
    State(app): State<App>,
    caller: Caller,
    Body(OrganizationIds(ids)): Body<OrganizationIds>,
) -> Result<Response> {
    let organizations = chosen(&app, &caller, "unassignedaddresses", ids).await?;
    Ok(csv::download(app, "unassigned-addresses.csv", Unassigned::new(organizations)))
}

/// The intake rules of organizations, with the people they assign to
#[utoipa::path(post, path = "/api/admin/reports/intakerules", operation_id = "intakeRulesReport",
    tag = "reports", request_body = OrganizationIds, responses((status = 200, content_type = "text/csv", body = String)))]
async fn intake_rules(
    State(app): State<App>,
    caller: Caller,
    Body(OrganizationIds(ids)): Body<OrganizationIds>,
) -> Result<Response> {
    let organizations = chosen(&app, &caller, "intakerules", ids).await?;
    Ok(csv::download(app, "intake-rules.csv", IntakeRules::new(organizations)))
}

/// The download settings of organizations
#[utoipa::path(post, path = "/api/admin/reports/downloadprofiles", operation_id = "downloadProfilesReport",
    tag = "reports", request_body = OrganizationIds, responses((status = 200, content_type = "text/csv", body = String)))]
async fn download_profiles(
    State(app): State<App>,
    caller: Caller,
    Body(OrganizationIds(ids)): Body<OrganizationIds>,
) -> Result<Response> {
    let organizations = chosen(&app, &caller, "downloadprofiles", ids).await?;
    Ok(csv::download(app, "download-profiles.csv", DownloadProfiles::new(organizations)))
}

/// The organizations of a report, which are audited.
async fn chosen(
    app: &App,
    caller: &Caller,
    report: &str,
    ids: Vec<Uuid>,
) -> Result<Vec<organization::Model>> {
    let organizations = queries::chosen(app, ids).await?;
    let ids: Vec<Uuid> = organizations.iter().map(|o| o.id).collect();
    recorded(app, caller, report, json!({ "organizations": ids })).await?;
    Ok(organizations)
}

/// Organizations that can be chosen for a report: the first by name
#[utoipa::path(get, path = "/api/admin/reports/organizationchoices", operation_id = "reportOrganizations",
    tag = "reports", params(ChoiceQuery), responses((status = 200, body = Items<ReportOrganization>)))]
async fn organization_choices(
    State(app): State<App>,
    Params(query): Params<ChoiceQuery>,
) -> Result<Json<Items<ReportOrganization>>> {
    let items = queries::choices(&app, query.search.as_deref().unwrap_or_default()).await?;
    Ok(Json(Items { items }))
}

async fn recorded(app: &App, caller: &Caller, report: &str, detail: Value) -> Result<(), Error> {
    audit::record_read(app, caller, Act::new(event::DOWNLOADED, "report", report).detail(detail)).await
}
