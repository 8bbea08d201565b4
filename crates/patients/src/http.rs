//! `/api/patients`: finding patients, their details, and decisions about duplicates

use crate::{
    decisions, index,
    model::Patient,
    pairs, rules,
    search::{self, Known},
    types::{
        CorrectionForm, DuplicatePair, KnownPatient, OtherPatientForm, OtherPatientName, PatientDecider,
        PatientDecision, PatientEvent, PatientMatch, PatientView, Provenance, other_names,
    },
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    fields::FieldErrors,
    http::{Body, Id, Items, Page, Paged, Params},
    session::full_name,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Deserialize;
use std::collections::HashMap;
use store::{
    entities::{app_user, patient, patient_event, patient_event::EventKind, patient_source},
    keys::DataKey,
};
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(match_patients))
        .route(MEMBERS, routes!(get_patient))
        .route(MEMBERS, routes!(patient_history))
        .route(MEMBERS, routes!(merge_patients))
        .route(MEMBERS, routes!(tell_patients_apart))
        .route(MEMBERS, routes!(correct_patient))
        .route(MEMBERS, routes!(undo_patient_event))
        .route(MEMBERS, routes!(list_duplicate_patients))
}

/// Most patients in a matcher's answer.
const MATCHES_SHOWN: usize = 5;
/// Most possible duplicates on a patient's page.
const DUPLICATES_SHOWN: usize = 10;

/// Known patients who are certainly or possibly this one, the most likely first
#[utoipa::path(post, path = "/api/patients/_match", operation_id = "matchPatients", tag = "patients",
    request_body = Patient, responses((status = 200, body = Items<PatientMatch>)))]
async fn match_patients(
    State(app): State<App>,
    member: Member,
    Body(patient): Body<Patient>,
) -> Result<Json<Items<PatientMatch>>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let found = search::matches(app.store.db(), &member.tenant(), &key, &rules::tidy(patient)).await?;
    let items = found.into_iter().take(MATCHES_SHOWN).map(PatientMatch::from).collect();
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", "")).await?;
    Ok(Json(Items { items }))
}

/// Reads a patient
///
/// For a merged patient, returns the remaining one.
#[utoipa::path(get, path = "/api/patients/{id}", operation_id = "getPatient", tag = "patients",
    params(("id" = Uuid, Path)), responses((status = 200, body = PatientView)))]
async fn get_patient(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<PatientView>> {
    let known = decisions::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "patient", known.id)).await?;
    Ok(Json(view(&app, &member, known).await?))
}

async fn view(app: &App, member: &Member, known: Known) -> Result<PatientView> {
    let (db, tenant) = (app.store.db(), member.tenant());
    let key = app.keys.data_key(member.organization_id).await?;
    let row = patient::Entity::find_by_id(known.id).one(db).await?.ok_or(Error::NotFound)?;
    let alike = pairs::open_of(db, &tenant, &key, known.id, DUPLICATES_SHOWN).await?;
    let ids: Vec<Uuid> = alike.iter().map(|known| known.id).chain([known.id]).collect();
    let counts = search::message_counts(db, &tenant, &ids).await?;
    let provenance = provenance(app, &known).await?;
    Ok(PatientView {
        id: known.id,
        identifiers: crate::face::identifiers(&known.face.patient),
        other_names: other_names(&known.face),
        contradictions: known.face.contradictions(),
        provenance,
        message_count: counts.get(&known.id).copied().unwrap_or_default(),
        last_date: known.seen_at,
        duplicates: alike.into_iter().map(|known| KnownPatient::of(known, &counts)).collect(),
        version: row.version,
        patient: Patient { known_patient_id: Some(known.id), ..known.face.patient },
        others: known.face.others,
    })
}

/// The messages and people behind the displayed values.
async fn provenance(app: &App, known: &Known) -> Result<Vec<Provenance>> {
    let db = app.store.db();
    let ids = known.face.told.iter().map(|told| told.origin.source_id);
    let sources =
        patient_source::Entity::find().filter(patient_source::Column::Id.is_in(ids)).all(db).await?;
    let names = people(app, sources.iter().filter_map(|source| source.user_id)).await?;
    let sources: HashMap<Uuid, patient_source::Model> =
        sources.into_iter().map(|source| (source.id, source)).collect();
    let told = known.face.told.iter().map(|told| {
        let source = sources.get(&told.origin.source_id);
        Provenance {
            field: told.field,
            kind: told.origin.kind,
            at: told.origin.at,
            message_id: source.and_then(|source| source.message_id),
            person: source.and_then(|source| source.user_id).and_then(|id| names.get(&id).cloned()),
        }
    });
    Ok(told.collect())
}

async fn people(app: &App, ids: impl IntoIterator<Item = Uuid>) -> Result<HashMap<Uuid, String>> {
    let ids: Vec<Uuid> = ids.into_iter().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let users = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(app.store.db()).await?;
    Ok(users.into_iter().map(|user| (user.id, full_name(&user))).collect())
}

/// Decisions about a patient, newest first
#[utoipa::path(get, path = "/api/patients/{id}/history", operation_id = "patientHistory", tag = "patients",
    params(("id" = Uuid, Path)), responses((status = 200, body = Items<PatientEvent>)))]
async fn patient_history(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<PatientEvent>>> {
    let known = decisions::find(&app, &member, id).await?;
    let events = decisions::history(&app, &member, known.id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", known.id)).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let people = people(&app, events.iter().map(|event| event.user_id)).await?;
    let mut items = Vec::new();
    for event in events {
        let other = event.other_id.map(|other| if other == known.id { event.patient_id } else { other });
        let other = match other {
            Some(id) => Some(OtherPatientName { id, name: name_of(&app, &member, &key, id).await? }),
            None => None,
        };
        let name = match event.user_id.is_nil() {
            true => "System".to_owned(),
            false => people.get(&event.user_id).cloned().unwrap_or_default(),
        };
        let by = PatientDecider { id: event.user_id, name };
        items.push(event_view(event, by, other));
    }
    Ok(Json(Items { items }))
}

fn event_view(
    event: patient_event::Model,
    by: PatientDecider,
    other: Option<OtherPatientName>,
) -> PatientEvent {
    PatientEvent {
        id: event.id,
        kind: event.kind,
        at: event.at,
        by,
        other,
        can_undo: event.undone_at.is_none() && event.kind != EventKind::Moved,
        undone_at: event.undone_at,
    }
}

/// The current name of a patient in the history; for a merged one, the remaining patient's.
async fn name_of(app: &App, member: &Member, key: &DataKey, id: Uuid) -> Result<String> {
    let db = app.store.db();
    let Some(row) = index::survivor(db, member.organization_id, id).await? else { return Ok(String::new()) };
    let found = search::known(db, &member.tenant(), key, &[row.id]).await?;
    Ok(found.first().map(|known| known.face.patient.display_name()).unwrap_or_default())
}

/// Merges another patient into this one
///
/// The other patient's sources belong to this one until the merge is undone.
#[utoipa::path(post, path = "/api/patients/{id}/merge", operation_id = "mergePatients", tag = "patients",
    params(("id" = Uuid, Path)), request_body = OtherPatientForm,
    responses((status = 200, body = PatientDecision), (status = 409, description = "They are already merged, or marked as two people")))]
async fn merge_patients(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<OtherPatientForm>,
) -> Result<Json<PatientDecision>> {
    Ok(Json(PatientDecision { event_id: decisions::merge(&app, &member, id, form.other_id).await? }))
}

/// Marks another patient as a different person, until that is undone
#[utoipa::path(post, path = "/api/patients/{id}/distinct", operation_id = "tellPatientsApart", tag = "patients",
    params(("id" = Uuid, Path)), request_body = OtherPatientForm, responses((status = 200, body = PatientDecision)))]
async fn tell_patients_apart(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<OtherPatientForm>,
) -> Result<Json<PatientDecision>> {
    Ok(Json(PatientDecision { event_id: decisions::tell_apart(&app, &member, id, form.other_id).await? }))
}

/// Corrects a patient; empty fields stay unchanged
#[utoipa::path(post, path = "/api/patients/{id}/corrections", operation_id = "correctPatient", tag = "patients",
    params(("id" = Uuid, Path)), request_body = CorrectionForm, responses((status = 200, body = PatientDecision),
        (status = 409, description = "The patient was changed meanwhile")))]
async fn correct_patient(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(CorrectionForm { patient, version }): Body<CorrectionForm>,
) -> Result<Json<PatientDecision>> {
    let mut errors = FieldErrors::default();
    rules::check(&patient, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let said = rules::tidy(patient);
    if said.as_said() == Patient::default() {
        return Err(Error::field("patient", "Please enter the correct value."));
    }
    Ok(Json(PatientDecision { event_id: decisions::correct(&app, &member, id, version, said).await? }))
}

/// Undoes a single decision about a patient
#[utoipa::path(post, path = "/api/patients/events/{eventId}/undo", operation_id = "undoPatientEvent", tag = "patients",
    params(("eventId" = Uuid, Path)), responses((status = 204)))]
async fn undo_patient_event(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    decisions::undo(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct DuplicateParams {
    /// Counted from 1.
    page_start: Option<u64>,
    /// 10 by default, 50 at most.
    page_size: Option<u64>,
}

/// Undecided pairs of patients who may be one person, the most likely first
#[utoipa::path(get, path = "/api/patients/duplicates", operation_id = "listDuplicatePatients", tag = "patients",
    params(DuplicateParams), responses((status = 200, body = Paged<DuplicatePair>)))]
async fn list_duplicate_patients(
    State(app): State<App>,
    member: Member,
    Params(params): Params<DuplicateParams>,
) -> Result<Json<Paged<DuplicatePair>>> {
    let page = Page::new(params.page_start, params.page_size, 10, 50)?;
    let key = app.keys.data_key(member.organization_id).await?;
    let (db, tenant) = (app.store.db(), member.tenant());
    let found = pairs::list(db, &tenant, &key, page).await?;
    let ids: Vec<Uuid> = found.items.iter().flat_map(|pair| [pair.one.id, pair.other.id]).collect();
    let counts = search::message_counts(db, &tenant, &ids).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", "")).await?;
    Ok(Json(found.map(|pair| DuplicatePair::of(pair, &counts))))
}
