//! Finding, reading and adding patients.

use super::{Client, left_out};
use crate::bundle::{self, List};
use crate::connection::form;
use crate::matching::{matches, words};
use crate::model::{Found, Patient, PatientQuery};
use crate::problem::Problem;
use crate::{read, write};
use chrono::NaiveDate;
use http::HeaderName;
use serde_json::{Value, json};

impl Client {
    /// Patients that match all that is asked for; none if nothing is asked for. Each is checked again here: entries that
    /// do not match are left out and counted. Records out of use are found by their record number or id, and otherwise
    /// only if `include_inactive`; a replaced one names its successor.
    pub async fn find_patients(&self, query: &PatientQuery) -> Result<Found<Patient>, Problem> {
        if let Some(id) = &query.id {
            let items = self.patient_with_born(id).await?.into_iter();
            let items = items.filter(|(patient, born)| matches(query, patient, born.as_deref(), false));
            return Ok(Found { items: items.map(|(patient, _)| patient).collect(), ..Found::default() });
        }
        let parameters = parameters(query);
        if parameters.is_empty() {
            return Ok(Found::default());
        }
        let similar = self.similar(query).await?;
        let mut found = Selection::new(query);
        let by_search = match self.search("Patient", &parameters).await {
            // A server may offer `$match` alone.
            Err(Problem::NotOffered) if similar.is_some() => None,
            list => Some(list?),
        };
        if let Some(list) = by_search {
            found.add(list, false);
        }
        if let Some(list) = similar {
            found.add(list, true);
        }
        Ok(found.finish())
    }

    /// The patient with this id; `None` if the EHR has none. A patient with another id is [`Problem::WrongPatient`].
    pub async fn patient(&self, id: &str) -> Result<Option<Patient>, Problem> {
        Ok(self.patient_with_born(id).await?.map(|(patient, _)| patient))
    }

    async fn patient_with_born(&self, id: &str) -> Result<Option<(Patient, Option<String>)>, Problem> {
        if !read::is_id(id) {
            return Ok(None);
        }
        match self.connection.get(&self.connection.url(&["Patient", id])).await {
            Err(Problem::NotFound | Problem::Gone) => Ok(None),
            answer => {
                let answer = answer?;
                let patient = read::patient(&answer.body, answer.today()).ok_or(Problem::Unreadable)?;
                let born = read::written_born(&answer.body).map(str::to_owned);
                if patient.id == id { Ok(Some((patient, born))) } else { Err(Problem::WrongPatient) }
            }
        }
    }

    /// What `$match` finds, where it is offered and enough is known of the patient.
    async fn similar(&self, query: &PatientQuery) -> Result<Option<List>, Problem> {
        let (Some(family), Some(born), None) = (&query.family, query.born, &query.record_number) else {
            return Ok(None);
        };
        match self.offers().await {
            Ok(offers) if offers.patient_match => {}
            Err(problem) if problem.is_temporary() => return Err(problem),
            _ => return Ok(None),
        }
        let known = Patient {
            family: family.clone(),
            given: query.given.clone().unwrap_or_default(),
            born: Some(born),
            gender: query.gender.unwrap_or_default(),
            ..Patient::default()
        };
        let asked = json!({
            "resourceType": "Parameters",
            "parameter": [
                {"name": "resource", "resource": write::patient(&known)},
                {"name": "onlyCertainMatches", "valueBoolean": false},
                {"name": "count", "valueInteger": 50},
            ],
        });
        let url = self.connection.url(&["Patient", "$match"]);
        match self.connection.post(&url, &[], &asked).await {
            Ok(answer) => Ok(Some(bundle::read(&self.connection, answer).await?)),
            Err(problem) if problem.is_temporary() => Err(problem),
            // The search alone is enough.
            Err(_) => Ok(None),
        }
    }

    /// Adds a patient and returns it as the EHR has it. One that has the first identifier with a system already is not
    /// added again, and is [`Problem::WrongPatient`] if it is somebody else.
    pub async fn add_patient(&self, patient: &Patient) -> Result<Patient, Problem> {
        let numbered = patient.identifiers.iter().find(|identifier| !identifier.system.is_empty());
        // As in an address, since numbers may contain `&` and `+`.
        let condition =
            numbered.map(|number| form(&[("identifier", format!("{}|{}", number.system, number.value))]));
        let headers: Vec<_> = condition.iter().map(|condition| (IF_NONE_EXIST, condition.as_str())).collect();
        let url = self.connection.url(&["Patient"]);
        let answer = self.connection.post(&url, &headers, &write::patient(patient)).await?;
        let added = match read::patient(&answer.body, answer.today()) {
            Some(added) => added,
            None => {
                let id = answer.created_id("Patient").ok_or(Problem::Unreadable)?;
                self.patient(&id).await?.ok_or(Problem::Unreadable)?
            }
        };
        let is_same = added.born == patient.born && added.family.eq_ignore_ascii_case(&patient.family);
        if is_same { Ok(added) } else { Err(Problem::WrongPatient) }
    }
}

pub(super) const IF_NONE_EXIST: HeaderName = HeaderName::from_static("if-none-exist");

/// By the record number alone if there is one; whatever else is asked for is checked afterwards.
fn parameters(query: &PatientQuery) -> Vec<(&'static str, String)> {
    if let Some(number) = &query.record_number {
        return vec![("identifier", number.trim().to_owned())];
    }
    let names = query.name.iter().flat_map(|name| words(name)).map(|word| ("name", word.to_owned()));
    let rest = [
        ("family", query.family.clone()),
        ("given", query.given.clone()),
        ("birthdate", query.born.map(|born| born.to_string())),
        ("gender", query.gender.map(|gender| write::gender(gender).to_owned())),
        ("organization", query.facility.clone()),
    ];
    let rest =
        rest.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    names.chain(rest).collect()
}

/// Patients of several lists, each once.
struct Selection<'a> {
    query: &'a PatientQuery,
    found: Found<Patient>,
    others: usize,
    unreadable: usize,
}

impl<'a> Selection<'a> {
    fn new(query: &'a PatientQuery) -> Self {
        Self { query, found: Found::default(), others: 0, unreadable: 0 }
    }

    fn add(&mut self, list: List, is_similar: bool) {
        self.found.is_cut |= list.is_cut;
        self.found.warnings.extend(list.warnings);
        if !is_similar {
            self.found.total = list.total;
        }
        for entry in list.entries.iter().filter(|entry| read::resource_type(entry) == Some("Patient")) {
            self.add_one(entry, list.today, is_similar);
        }
    }

    fn add_one(&mut self, entry: &Value, today: NaiveDate, is_similar: bool) {
        let Some(patient) = read::patient(entry, today) else {
            self.unreadable += 1;
            return;
        };
        if self.found.items.iter().any(|known| known.id == patient.id) {
            return;
        }
        let query = self.query;
        if !matches(query, &patient, read::written_born(entry), is_similar) {
            self.others += 1;
        } else if patient.is_active || query.include_inactive || query.record_number.is_some() {
            self.found.items.push(patient);
        }
    }

    fn finish(self) -> Found<Patient> {
        let mut found = self.found;
        for (count, why) in
            [(self.others, "does not match what was asked for"), (self.unreadable, "cannot be read")]
        {
            if count > 0 {
                found.warnings.push(left_out(count, why));
            }
        }
        found
    }
}
