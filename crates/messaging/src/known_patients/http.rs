//! `POST /api/patients/_search`, `GET /api/patients/{id}/messages`: known patients and their messages.

use super::unindexed::{self, identity};
use crate::{
    messages::list,
    model::{Direction, Status},
    sealed::Summary,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patients::{
    decisions, search,
    types::{KnownPatient, PatientSearch},
};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Items, Page, Paged, Params},
    sql,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::{
    message,
    patient_source::{self, Link},
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(search_known_patients))
        .route(MEMBERS, routes!(patient_messages))
}

const TOO_SHORT: &str = "Enter at least 2 letters of a name, a birth date or a number.";
/// Maximum number of patients in an answer.
const SHOWN: usize = 10;
/// Maximum number of patients among which those of a facility are searched.
const OF_FACILITY_MAX: usize = 100;

/// Known patients of the organization that match: exact matches first, then the latest
#[utoipa::path(post, path = "/api/patients/_search", operation_id = "searchKnownPatients", tag = "patients",
    request_body = PatientSearch, responses((status = 200, body = Items<KnownPatient>)))]
async fn search_known_patients(
    State(app): State<App>,
    member: Member,
    Body(body): Body<PatientSearch>,
) -> Result<Json<Items<KnownPatient>>> {
    let asked = body.asked(app.clock.now().date_naive());
    if asked.is_empty() {
        return Err(Error::field("name", TOO_SHORT));
    }
    let (db, tenant) = (app.store.db(), member.tenant());
    let key = app.keys.data_key(member.organization_id).await?;
    let facility = body.facility.as_deref().unwrap_or_default().trim();
    let limit = if facility.is_empty() { SHOWN } else { OF_FACILITY_MAX };
    let mut found = search::typed(db, &tenant, &key, &asked, limit).await?;
    if !facility.is_empty() {
        let ids = found.iter().map(|known| known.id).collect();
        let of_facility = search::of_facility(db, &tenant, ids, facility).await?;
        found.retain(|known| of_facility.contains(&known.id));
        found.truncate(SHOWN);
    }
    let ids: Vec<Uuid> = found.iter().map(|known| known.id).collect();
    let counts = search::message_counts(db, &tenant, &ids).await?;
    let mut items: Vec<KnownPatient> =
        found.into_iter().map(|known| KnownPatient::of(known, &counts)).collect();
    if facility.is_empty() {
        let more = unindexed::find(&app, &member, &asked).await?;
        let is_there = |other: &KnownPatient, items: &[KnownPatient]| {
            items.iter().any(|known| identity(&known.patient) == identity(&other.patient))
        };
        for other in more {
            if !is_there(&other, &items) {
                items.push(other);
            }
        }
        items.truncate(SHOWN);
    }
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", "")).await?;
    Ok(Json(Items { items }))
}

/// A message that names a patient.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PatientMessage {
    id: Uuid,
    direction: Direction,
    status: Status,
    subject: String,
    document_type: String,
    /// The sender, or the recipients of a sent message.
    party: String,
    date: DateTime<Utc>,
    /// A person filed or sent it. Other messages are linked automatically and not yet checked.
    is_confirmed: bool,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct PatientMessagesParams {
    /// Counted from 1.
    page_start: Option<u64>,
    /// Default 20, maximum 100.
    page_size: Option<u64>,
}

/// Received and sent messages that name a patient, latest first
#[utoipa::path(get, path = "/api/patients/{id}/messages", operation_id = "patientMessages", tag = "patients",
    params(("id" = Uuid, Path), PatientMessagesParams), responses((status = 200, body = Paged<PatientMessage>)))]
async fn patient_messages(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(params): Params<PatientMessagesParams>,
) -> Result<Json<Paged<PatientMessage>>> {
    use patient_source::Column;
    let page = Page::new(params.page_start, params.page_size, 20, 100)?;
    let known = decisions::find(&app, &member, id).await?;
    let (db, tenant) = (app.store.db(), member.tenant());
    let key = app.keys.data_key(member.organization_id).await?;
    let sources = patient_source::Entity::find()
        .filter(Column::PatientId.eq(known.id))
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(tenant.of_messages(Column::MessageId));
    let found =
        sql::page(db, sources, &[(Column::SaidAt, Order::Desc), (Column::Id, Order::Desc)], page).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", known.id)).await?;
    let ids: Vec<Uuid> = found.items.iter().filter_map(|source| source.message_id).collect();
    let rows: HashMap<Uuid, message::Model> =
        list::rows(db, &ids).await?.into_iter().map(|row| (row.id, row)).collect();
    let mut items = Vec::new();
    for source in &found.items {
        let Some(row) = source.message_id.and_then(|id| rows.get(&id)) else { continue };
        let Summary { subject, document_type, .. } = Summary::open(&key, row)?;
        items.push(PatientMessage {
            id: row.id,
            direction: row.direction,
            status: row.status,
            subject,
            document_type,
            party: party(row),
            date: row.received_at,
            is_confirmed: source.link == Link::Confirmed,
        });
    }
    Ok(Json(Paged { items, total_count: found.total_count, total_is_capped: found.total_is_capped }))
}

fn party(row: &message::Model) -> String {
    match row.direction {
        Direction::Intake if row.from_name.is_empty() => row.from_address.clone(),
        Direction::Intake => row.from_name.clone(),
        Direction::Release => row.to_address.clone(),
    }
}
