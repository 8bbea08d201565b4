//! Lists: visits and orders of a patient, reviewers, groups, document types and facilities.

use super::{Client, found, left_out};
use crate::bundle::List;
use crate::matching::words;
use crate::model::{DocumentType, Facility, Found, Moment, Order, Reviewer, ReviewerGroup, Visit};
use crate::problem::Problem;
use crate::read::{self, Subject};
use serde_json::Value;
use std::cmp::Reverse;

/// Value sets of document types, the first that is known is taken.
const DOCUMENT_TYPES: [&str; 2] = [
    "http://hl7.org/fhir/us/core/ValueSet/us-core-documentreference-type",
    "http://hl7.org/fhir/ValueSet/c80-doc-typecodes",
];

impl Client {
    /// Visits of a patient, newest first. One of another patient among them is [`Problem::WrongPatient`].
    pub async fn visits(&self, patient_id: &str) -> Result<Found<Visit>, Problem> {
        let parameters = [("patient", patient_id.to_owned())];
        let list = self.search_sorted("Encounter", &parameters, "-date").await?;
        let list = self.of_patient(list, "Encounter", patient_id)?;
        let mut visits = found(list, &["Encounter"], read::visit);
        visits.items.sort_by_key(|visit| Reverse(visit.begins.map(Moment::local)));
        Ok(visits)
    }

    /// Orders of a patient, or those of one visit, newest first. One of another patient among them is
    /// [`Problem::WrongPatient`].
    pub async fn orders(&self, patient_id: &str, visit_id: Option<&str>) -> Result<Found<Order>, Problem> {
        let mut parameters = vec![("patient", patient_id.to_owned())];
        parameters.extend(visit_id.map(|visit| ("encounter", visit.to_owned())));
        let list = self.search_sorted("ServiceRequest", &parameters, "-authored").await?;
        let list = self.of_patient(list, "ServiceRequest", patient_id)?;
        let mut orders = found(list, &["ServiceRequest"], read::order);
        orders.items.retain(|order| visit_id.is_none() || order.visit_id.as_deref() == visit_id);
        orders.items.sort_by_key(|order| Reverse(order.date));
        Ok(orders)
    }

    /// The list without entries that name no patient; refused as a whole if one names another.
    fn of_patient(&self, mut list: List, kind: &str, patient_id: &str) -> Result<List, Problem> {
        let base = self.connection.base().as_str();
        let of = |entry: &Value| read::subject(entry, patient_id, base);
        list.entries.retain(|entry| read::resource_type(entry) == Some(kind));
        if list.entries.iter().any(|entry| of(entry) == Subject::Other) {
            return Err(Problem::WrongPatient);
        }
        let all = list.entries.len();
        list.entries.retain(|entry| of(entry) == Subject::Same);
        if list.entries.len() < all {
            list.warnings.push(left_out(all - list.entries.len(), "does not name the patient"));
        }
        Ok(list)
    }

    /// Practitioners whose names begin with these words; all of them without words.
    pub async fn reviewers(&self, words_of_name: &str) -> Result<Found<Reviewer>, Problem> {
        let parameters: Vec<_> = words(words_of_name).map(|word| ("name", word.to_owned())).collect();
        let list = self.search("Practitioner", &parameters).await?;
        let today = list.today;
        Ok(found(list, &["Practitioner"], |entry| read::reviewer(entry, today)))
    }

    /// Groups of practitioners, and care teams that are not those of one patient.
    pub async fn reviewer_groups(&self) -> Result<Found<ReviewerGroup>, Problem> {
        let groups = self.search("Group", &[("type", "practitioner".to_owned())]).await;
        let teams = self.search("CareTeam", &[("status", "active".to_owned())]).await;
        // Many servers have one of the two, or list care teams of one patient alone.
        let lists = match (groups, teams) {
            (Err(problem), Err(_)) => return Err(problem),
            (Err(problem), _) | (_, Err(problem)) if problem.is_temporary() => return Err(problem),
            (groups, teams) => [groups.ok(), teams.ok()],
        };
        let mut all = Found::default();
        for list in lists.into_iter().flatten() {
            let mut found = found(list, &["Group", "CareTeam"], read::reviewer_group);
            all.items.append(&mut found.items);
            all.warnings.append(&mut found.warnings);
            all.is_cut |= found.is_cut;
        }
        Ok(all)
    }

    /// Types of documents: those of US Core as the EHR expands them, or else those of a value set that it has itself.
    pub async fn document_types(&self) -> Result<Found<DocumentType>, Problem> {
        for set in DOCUMENT_TYPES {
            let mut url = self.connection.url(&["ValueSet", "$expand"]);
            url.query_pairs_mut().append_pair("url", set).append_pair("count", "500");
            match self.connection.get(&url).await {
                Ok(answer) => {
                    let types = read::document_types(&answer.body);
                    if !types.is_empty() {
                        return Ok(listed(types, &answer.body));
                    }
                }
                Err(problem) if problem.is_temporary() => return Err(problem),
                Err(problem @ Problem::SignInRefused { .. }) => return Err(problem),
                Err(_) => {}
            }
        }
        for set in DOCUMENT_TYPES {
            let list = self.search("ValueSet", &[("url", set.to_owned())]).await?;
            let types: Vec<_> = list.entries.iter().flat_map(read::document_types).collect();
            if !types.is_empty() {
                return Ok(Found { is_cut: list.is_cut, ..listed(types, &Value::Null) });
            }
        }
        Err(Problem::NotOffered)
    }

    /// Facilities whose names begin with this; all of them without it.
    pub async fn facilities(&self, filter: &str) -> Result<Found<Facility>, Problem> {
        let filter = filter.trim();
        let parameters: Vec<_> =
            [("name", filter.to_owned())].into_iter().filter(|_| !filter.is_empty()).collect();
        let list = self.search("Location", &parameters).await?;
        let mut facilities = found(list, &["Location"], read::facility);
        let mut known: Vec<String> = Vec::new();
        facilities.items.retain(|facility| {
            let is_new = !known.contains(&facility.id);
            known.push(facility.id.clone());
            is_new
        });
        Ok(facilities)
    }
}

/// Types of an expansion, which may be one of its pages.
fn listed(mut items: Vec<DocumentType>, value_set: &Value) -> Found<DocumentType> {
    let total =
        value_set.get("expansion").and_then(|expansion| expansion.get("total")).and_then(Value::as_u64);
    let read = items.len() as u64;
    items.truncate(crate::bundle::ENTRIES_MAX);
    let is_cut = total.unwrap_or(read) > items.len() as u64 || read > items.len() as u64;
    Found { items, is_cut, total, warnings: Vec::new() }
}
