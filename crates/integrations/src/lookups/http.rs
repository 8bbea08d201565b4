//! `/api/integrations/patients` and the lookups beside it.

use super::{
    rules,
    types::{
        ChartDocumentType, ChartPatientSearch, ConnectionParams, Facility, FacilityParams, NewChartPatient,
        Order, OrderSearch, PatientDetails, PatientResults, Reviewer, ReviewerGroup, ReviewerSearch, Visit,
        VisitSearch,
    },
    views,
};
use crate::ehr::{self, Ehr, Failure, For};
use axum::{Json, extract::State};
use fhir::model::PatientQuery;
use futures::{StreamExt, stream};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Items, Params},
};
use serde_json::json;
use store::entities::integration::Capability;
use tokio::time::Instant;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(lookup_patients))
        .route(MEMBERS, routes!(lookup_patient))
        .route(MEMBERS, routes!(add_chart_patient))
        .route(MEMBERS, routes!(lookup_visits))
        .route(MEMBERS, routes!(lookup_orders))
        .route(MEMBERS, routes!(lookup_reviewers))
        .route(MEMBERS, routes!(lookup_reviewer_groups))
        .route(MEMBERS, routes!(lookup_document_types))
        .route(MEMBERS, routes!(lookup_facilities))
}

/// Most found patients whose latest visit is read.
const WITH_VISITS: usize = 10;
/// Calls for these at the same time.
const AT_ONCE: usize = 4;

/// Opens the EHR for a member. A failure names the connection.
async fn open(app: &App, member: &Member, id: Option<Uuid>, capability: Capability) -> Result<Ehr> {
    let row = ehr::find(app, member.organization_id, id, capability).await?;
    let row = row.ok_or_else(|| Failure::NoConnection.error(None))?;
    let opened = Ehr::of(app, row.clone(), For::Person(member.caller.user_id)).await;
    opened.map_err(|failure| failure.error(Some(&row)))
}

/// An error of a call, which names the connection.
fn named(ehr: &Ehr) -> impl Fn(Failure) -> Error + '_ {
    |failure| failure.error(Some(ehr.row()))
}

/// Notes in the audit trail what was looked up, without its content.
async fn note(app: &App, member: &Member, ehr: &Ehr, what: &str) -> Result<()> {
    let act = Act::new(event::SEARCHED, "integration", ehr.row().id).detail(json!({ "of": what }));
    audit::record_read(app, &member.caller, act).await
}

/// Finds patients in the chart
#[utoipa::path(post, path = "/api/integrations/patients", operation_id = "lookupPatients", tag = "integrations",
    request_body = ChartPatientSearch, responses((status = 200, body = PatientResults)))]
async fn lookup_patients(
    State(app): State<App>,
    member: Member,
    Body(asked): Body<ChartPatientSearch>,
) -> Result<Json<PatientResults>> {
    let begun = Instant::now();
    let ehr = open(&app, &member, asked.integration_id, Capability::PatientLookup).await?;
    let query = rules::query(&asked, ehr.row().settings.requires_facility).map_err(Error::Invalid)?;
    note(&app, &member, &ehr, "patients").await?;
    let found = ehr.find_patients(&query).await.map_err(named(&ehr))?;
    let with_visits = ehr.row().can(Capability::VisitLookup);
    let items = stream::iter(found.items.into_iter().enumerate())
        .map(|(at, patient)| {
            let ehr = &ehr;
            async move {
                // A visit only helps to choose; the patient is shown without one, too.
                let visits = match with_visits && at < WITH_VISITS {
                    true => ehr.visits(&patient.id).await.map(|found| found.items),
                    false => Ok(Vec::new()),
                };
                views::found(patient, &visits.unwrap_or_default())
            }
        })
        .buffered(AT_ONCE)
        .collect()
        .await;
    Ok(Json(PatientResults {
        items,
        is_cut: found.is_cut,
        milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        integration_id: ehr.row().id,
        integration_name: ehr.row().name.clone(),
    }))
}

/// Reads a patient of the chart with all details
#[utoipa::path(get, path = "/api/integrations/patients/{id}", operation_id = "lookupPatient", tag = "integrations",
    params(("id" = String, Path), ConnectionParams), responses((status = 200, body = PatientDetails)))]
async fn lookup_patient(
    State(app): State<App>,
    member: Member,
    Id(id): Id<String>,
    Params(params): Params<ConnectionParams>,
) -> Result<Json<PatientDetails>> {
    let ehr = open(&app, &member, params.integration_id, Capability::PatientDetailsLookup).await?;
    note(&app, &member, &ehr, "patient").await?;
    let found = ehr.patient(&id).await.map_err(named(&ehr))?.ok_or(Error::NotFound)?;
    Ok(Json(PatientDetails {
        is_active: found.is_active,
        is_deceased: found.is_deceased,
        patient: views::patient(found, ehr.row().id),
    }))
}

/// Adds a patient to the EHR
///
/// Patients with the same last name and birth date are asked about first.
#[utoipa::path(post, path = "/api/integrations/patients/add", operation_id = "addChartPatient", tag = "integrations",
    request_body = NewChartPatient, responses((status = 200, body = PatientDetails)))]
async fn add_chart_patient(
    State(app): State<App>,
    member: Member,
    Body(wanted): Body<NewChartPatient>,
) -> Result<Json<PatientDetails>> {
    let patient = patients::rules::tidy(wanted.patient);
    rules::check_new(&patient, app.clock.now().date_naive()).map_err(Error::Invalid)?;
    let ehr = open(&app, &member, wanted.integration_id, Capability::PatientCreate).await?;
    let alike = PatientQuery {
        family: patient.last_name.clone(),
        born: patient.birth_date,
        include_inactive: true,
        ..PatientQuery::default()
    };
    let found = ehr.find_patients(&alike).await.map_err(named(&ehr))?;
    if !found.items.is_empty() && !wanted.accepts_duplicates {
        return Err(Error::field("acceptsDuplicates", ALIKE));
    }
    let act = Act::new(event::CREATED, "integration", ehr.row().id).detail(json!({ "of": "patient" }));
    audit::record_read(&app, &member.caller, act).await?;
    let new = views::new_patient(patient);
    let added = ehr.add_patient(&new).await.map_err(named(&ehr))?;
    Ok(Json(PatientDetails {
        is_active: added.is_active,
        is_deceased: added.is_deceased,
        patient: views::patient(added, ehr.row().id),
    }))
}

const ALIKE: &str = "The EHR has a patient with this last name and birth date. Please look at them first.";

/// The visits of a patient with their orders, newest first
#[utoipa::path(post, path = "/api/integrations/visits", operation_id = "lookupVisits", tag = "integrations",
    request_body = VisitSearch, responses((status = 200, body = Items<Visit>)))]
async fn lookup_visits(
    State(app): State<App>,
    member: Member,
    Body(asked): Body<VisitSearch>,
) -> Result<Json<Items<Visit>>> {
    let ehr = open(&app, &member, asked.integration_id, Capability::VisitLookup).await?;
    note(&app, &member, &ehr, "visits").await?;
    let visits = ehr.visits(&asked.patient_id).await.map_err(named(&ehr))?;
    let orders = match ehr.row().can(Capability::OrderLookup) {
        true => ehr.orders(&asked.patient_id, None).await.map_err(named(&ehr))?.items,
        false => Vec::new(),
    };
    Ok(Json(Items { items: visits.items.into_iter().map(|visit| views::visit(visit, &orders)).collect() }))
}

/// The orders of a visit, or of a patient
#[utoipa::path(post, path = "/api/integrations/orders", operation_id = "lookupOrders", tag = "integrations",
    request_body = OrderSearch, responses((status = 200, body = Items<Order>)))]
async fn lookup_orders(
    State(app): State<App>,
    member: Member,
    Body(asked): Body<OrderSearch>,
) -> Result<Json<Items<Order>>> {
    let ehr = open(&app, &member, asked.integration_id, Capability::OrderLookup).await?;
    note(&app, &member, &ehr, "orders").await?;
    let visit = asked.visit_id.as_deref();
    let orders = ehr.orders(&asked.patient_id, visit).await.map_err(named(&ehr))?;
    Ok(Json(Items { items: orders.items.into_iter().map(views::order).collect() }))
}

/// People in the EHR who can review documents
#[utoipa::path(post, path = "/api/integrations/reviewers", operation_id = "lookupReviewers", tag = "integrations",
    request_body = ReviewerSearch, responses((status = 200, body = Items<Reviewer>)))]
async fn lookup_reviewers(
    State(app): State<App>,
    member: Member,
    Body(asked): Body<ReviewerSearch>,
) -> Result<Json<Items<Reviewer>>> {
    let ehr = open(&app, &member, asked.integration_id, Capability::ReviewerLookup).await?;
    let found = ehr.reviewers(&asked.search).await.map_err(named(&ehr))?;
    let active = found.items.into_iter().filter(|reviewer| reviewer.is_active);
    Ok(Json(Items { items: active.map(views::reviewer).collect() }))
}

/// Groups in the EHR that can review documents
#[utoipa::path(get, path = "/api/integrations/reviewergroups", operation_id = "lookupReviewerGroups",
    tag = "integrations", params(ConnectionParams), responses((status = 200, body = Items<ReviewerGroup>)))]
async fn lookup_reviewer_groups(
    State(app): State<App>,
    member: Member,
    Params(params): Params<ConnectionParams>,
) -> Result<Json<Items<ReviewerGroup>>> {
    let ehr = open(&app, &member, params.integration_id, Capability::ReviewerGroupLookup).await?;
    let read = async {
        let found = ehr.reviewer_groups().await?;
        Ok(found.items.into_iter().map(views::group).collect::<Vec<_>>())
    };
    let items = ehr.list("groups", read).await.map_err(named(&ehr))?;
    Ok(Json(Items { items }))
}

/// The document types of the EHR
#[utoipa::path(get, path = "/api/integrations/documenttypes", operation_id = "lookupDocumentTypes",
    tag = "integrations", params(ConnectionParams), responses((status = 200, body = Items<ChartDocumentType>)))]
async fn lookup_document_types(
    State(app): State<App>,
    member: Member,
    Params(params): Params<ConnectionParams>,
) -> Result<Json<Items<ChartDocumentType>>> {
    let ehr = open(&app, &member, params.integration_id, Capability::DocumentTypeLookup).await?;
    let source = ehr.row().name.clone();
    let read = async {
        let found = ehr.document_types().await?;
        Ok(found.items.into_iter().map(|kind| views::document_type(kind, &source)).collect::<Vec<_>>())
    };
    let items = ehr.list("documentTypes", read).await.map_err(named(&ehr))?;
    Ok(Json(Items { items }))
}

/// The facilities of the EHR
#[utoipa::path(get, path = "/api/integrations/facilities", operation_id = "lookupFacilities", tag = "integrations",
    params(FacilityParams), responses((status = 200, body = Items<Facility>)))]
async fn lookup_facilities(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FacilityParams>,
) -> Result<Json<Items<Facility>>> {
    let ehr = open(&app, &member, params.integration_id, Capability::FacilityLookup).await?;
    let read = async {
        let found = ehr.facilities().await?;
        Ok(found.items.into_iter().map(views::facility).collect::<Vec<_>>())
    };
    let mut items = ehr.list("facilities", read).await.map_err(named(&ehr))?;
    let filter = params.filter.as_deref().unwrap_or_default().to_lowercase();
    items.retain(|facility| facility.name.to_lowercase().contains(&filter));
    Ok(Json(Items { items }))
}
