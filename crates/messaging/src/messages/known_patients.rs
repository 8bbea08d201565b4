//! `POST /api/patients/_search`: the organization's own patients, as its messages name them

use crate::{
    found_by,
    messages::list,
    model::{Direction, Patient},
    sealed::Content,
};
use axum::{Json, extract::State};
use chrono::{DateTime, NaiveDate, Utc};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Items},
    text::SearchWords,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{
    entities::message,
    search::{self, Search},
};
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(search_known_patients))
}

/// Letters from which on a name is looked for.
const SHORTEST_NAME: usize = 3;
const TOO_SHORT: &str = "Enter at least 3 characters of the name.";
/// The latest messages of each direction that are looked at.
const MESSAGES: u64 = 200;
/// Patients of an answer.
const SHOWN: usize = 10;

/// A patient to look for.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PatientSearch {
    /// Words of the name, each by its beginning; at least three characters.
    name: SearchWords,
    birth_date: Option<NaiveDate>,
    /// A patient ID or MRN, whole.
    #[schema(max_length = 255)]
    patient_id: Option<String>,
    /// M, F or UN.
    #[schema(max_length = 20)]
    gender: Option<String>,
    /// Part of the name or address of who sent what names the patient, or to whom it went.
    #[schema(max_length = 255)]
    facility: Option<String>,
}

impl PatientSearch {
    /// Whether a patient of the name meets the other criteria.
    fn admits(&self, patient: &Patient) -> bool {
        let is = |wanted: &Option<String>, value: Option<&str>| {
            let wanted = wanted.as_deref().map(str::trim).filter(|wanted| !wanted.is_empty());
            wanted.is_none_or(|wanted| value.is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted)))
        };
        let others = patient.patient_ids.iter().map(|other| other.id.as_str());
        let has_number = || {
            patient.patient_id.as_deref().into_iter().chain(others).any(|id| is(&self.patient_id, Some(id)))
        };
        self.birth_date.is_none_or(|born| patient.birth_date == Some(born))
            && is(&self.gender, patient.gender.as_deref())
            && (is(&self.patient_id, None) || has_number())
    }

    /// Whether a message came from the facility or went there.
    fn is_of_facility(&self, row: &message::Model) -> bool {
        let wanted = self.facility.as_deref().unwrap_or_default().trim().to_lowercase();
        let others = match row.direction {
            Direction::Intake => [&row.from_name, &row.from_address],
            Direction::Release => [&row.to_address, &row.cc_address],
        };
        others.iter().any(|other| other.to_lowercase().contains(&wanted))
    }
}

/// A patient whom messages of the organization name.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct KnownPatient {
    /// As the latest message names them.
    patient: Patient,
    /// The latest messages that name them.
    message_count: u32,
    last_date: DateTime<Utc>,
}

/// Patients whom messages of the organization name, the latest first
#[utoipa::path(post, path = "/api/patients/_search", operation_id = "searchKnownPatients", tag = "lookups",
    request_body = PatientSearch, responses((status = 200, body = Items<KnownPatient>)))]
async fn search_known_patients(
    State(app): State<App>,
    member: Member,
    Body(body): Body<PatientSearch>,
) -> Result<Json<Items<KnownPatient>>> {
    let words = search::words(&[&body.name]);
    if body.name.trim().chars().count() < SHORTEST_NAME || words.is_empty() {
        return Err(Error::field("name", TOO_SHORT));
    }
    let mut found = HashMap::new();
    for direction in [Direction::Intake, Direction::Release] {
        collect(&app, &member, &body, &words, direction, &mut found).await?;
    }
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", "")).await?;
    let mut items: Vec<KnownPatient> = found.into_values().collect();
    items.sort_by_key(|found| std::cmp::Reverse(found.last_date));
    items.truncate(SHOWN);
    Ok(Json(Items { items }))
}

/// By what one patient is told from another.
type Identity = (String, String, Option<NaiveDate>);

async fn collect(
    app: &App,
    member: &Member,
    wanted: &PatientSearch,
    words: &[String],
    direction: Direction,
    found: &mut HashMap<Identity, KnownPatient>,
) -> Result<()> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let search = Search {
        organization_id: member.organization_id,
        direction,
        text: wanted.name.to_string(),
        alike: found_by::names_alike,
        filter: member.tenant().readable(),
        since: None,
        until: None,
        before: None,
        offset: 0,
        limit: MESSAGES,
    };
    let ids = search::find(db, &key, &search).await?.ids;
    for row in list::rows(db, &ids).await? {
        if !wanted.is_of_facility(&row) {
            continue;
        }
        let Some(patient) = Content::open(&key, &row)?.patient else { continue };
        if !is_named(&patient, words) || !wanted.admits(&patient) {
            continue;
        }
        let name = |part: &Option<String>| part.as_deref().unwrap_or_default().trim().to_lowercase();
        let identity = (name(&patient.last_name), name(&patient.first_name), patient.birth_date);
        let at = row.message_date;
        let known = found.entry(identity).or_insert_with(|| KnownPatient {
            patient: patient.clone(),
            message_count: 0,
            last_date: at,
        });
        known.message_count += 1;
        if at > known.last_date {
            (known.patient, known.last_date) = (patient, at);
        }
    }
    Ok(())
}

/// Whether each word begins a word of the name or sounds like it: a message is found by its subject and sender too.
pub(super) fn is_named(patient: &Patient, words: &[String]) -> bool {
    let names = search::words(&[&patient.display_name()]);
    words.iter().all(|word| names.iter().any(|name| found_by::is_meant(name, word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patient_is_meant_by_the_beginnings_of_a_name_and_the_other_criteria() {
        let text = |text: &str| Some(text.to_owned());
        let born = NaiveDate::from_ymd_opt(1979, 7, 2);
        let patient = Patient {
            first_name: text("Bridget"),
            last_name: text("O’Halloran"),
            patient_id: text("MRN-77"),
            birth_date: born,
            gender: text("F"),
            ..Patient::default()
        };
        let is_found = |name: &str| is_named(&patient, &search::words(&[name]));
        assert!(is_found("hall bri") && is_found("HALLORAN"));
        assert!(is_found("haleran"), "what sounds alike is forgiven");
        assert!(!is_found("loran") && !is_found("hall dana"));
        let admits = |criteria: serde_json::Value| {
            let search: PatientSearch = serde_json::from_value(criteria).expect("a search");
            search.admits(&patient)
        };
        assert!(admits(json!({ "name": "hall" })));
        assert!(admits(
            json!({ "name": "hall", "birthDate": "1979-07-02", "patientId": " mrn-77 ", "gender": "F" })
        ));
        assert!(!admits(json!({ "name": "hall", "birthDate": "1979-02-07" })));
        assert!(!admits(json!({ "name": "hall", "patientId": "MRN-7" })));
        assert!(!admits(json!({ "name": "hall", "gender": "M" })));
    }
}
