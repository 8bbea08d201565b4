//! Finding the patient of a message in a chart.

use super::types::{ChartMatch, ChartMatches};
use crate::{messages::queries, model::Patient, sealed::Content};
use fhir::model::PatientQuery;
use integrations::{
    ehr::{self, Ehr, Failure, For},
    lookup_views,
};
use patients::{
    compare::{Certainty, Comparison, Difference},
    values::Values,
};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, event},
};
use serde_json::json;
use std::collections::HashSet;
use store::entities::integration::Capability;
use tokio::time::Instant;
use uuid::Uuid;

const NOBODY: &str = "Please enter the name or birth date of the patient first.";
/// Most patients that are offered.
const MOST: usize = 20;

/// The patients of the chart who may be the patient of a message.
pub async fn matches(app: &App, member: &Member, id: Uuid, connection: Option<Uuid>) -> Result<ChartMatches> {
    let row = queries::find(app, member, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let patient = Content::open(&key, &row)?.patient.unwrap_or_default();
    if !is_searchable(&patient) {
        return Err(Error::Conflict(NOBODY.into()));
    }
    let begun = Instant::now();
    let connected = ehr::find(app, member.organization_id, connection, Capability::PatientLookup).await?;
    let connected = connected.ok_or_else(|| Failure::NoConnection.error(None))?;
    let named = |failure: Failure| failure.error(Some(&connected));
    let ehr = Ehr::of(app, connected.clone(), For::Person(member.caller.user_id)).await.map_err(named)?;
    let act = Act::new(event::SEARCHED, "integration", connected.id)
        .detail(json!({ "of": "patients", "message": id }));
    audit::record_read(app, &member.caller, act).await?;
    let found = search(&ehr, &patient).await.map_err(named)?;
    Ok(ChartMatches {
        proposed: found.only().ok().map(|only| only.shown.patient.id.clone()),
        is_cut: found.is_cut,
        items: found.items.into_iter().map(|found| found.shown).collect(),
        integration_id: connected.id,
        integration_name: connected.name.clone(),
        milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// A patient of the chart, compared with the patient of a message.
pub struct Candidate {
    pub shown: ChartMatch,
    /// All details.
    pub found: fhir::model::Patient,
}

/// The patients of the chart for the patient of a message, the most likely first.
pub struct Candidates {
    pub items: Vec<Candidate>,
    /// Whether there are more than were read.
    pub is_cut: bool,
}

/// Why no patient of the chart is proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotProposed {
    Nobody,
    TooMany,
    Several,
    Differs(Vec<Difference>),
    Inactive,
}

impl Candidates {
    /// The only certain patient, unless anything differs, or the patient is not active in the chart.
    pub fn only(&self) -> Result<&Candidate, NotProposed> {
        if self.is_cut {
            return Err(NotProposed::TooMany);
        }
        let is_certain = |found: &&Candidate| found.shown.certainty == Some(Certainty::Certain);
        let mut certain = self.items.iter().filter(is_certain);
        let Some(first) = certain.next() else { return Err(self.nobody()) };
        match first {
            _ if certain.next().is_some() => Err(NotProposed::Several),
            first if !first.shown.differences.is_empty() => {
                Err(NotProposed::Differs(first.shown.differences.clone()))
            }
            first if !first.shown.patient.is_active => Err(NotProposed::Inactive),
            first => Ok(first),
        }
    }

    /// Why nobody is certain: what differs from the most likely one, if there is one.
    fn nobody(&self) -> NotProposed {
        match self.items.iter().find(|found| found.shown.certainty.is_some()) {
            Some(likely) if !likely.shown.differences.is_empty() => {
                NotProposed::Differs(likely.shown.differences.clone())
            }
            _ => NotProposed::Nobody,
        }
    }
}

/// Looks for a patient in the chart.
pub async fn search(ehr: &Ehr, patient: &Patient) -> Result<Candidates, Failure> {
    let (mut found, mut is_cut) = (Vec::new(), false);
    for query in &searches(patient) {
        let answer = ehr.find_patients(query).await?;
        is_cut |= answer.is_cut;
        found.extend(answer.items);
        if !found.is_empty() {
            break;
        }
    }
    Ok(Candidates { items: compared(patient, found, ehr.row().id), is_cut })
}

/// Whether there is enough of a patient to look for.
pub fn is_searchable(patient: &Patient) -> bool {
    !searches(patient).is_empty()
}

/// Searches for a patient, the most exact first: the next one is for a name that changed or was misspelt.
fn searches(patient: &Patient) -> Vec<PatientQuery> {
    let text = |text: &Option<String>| {
        text.clone().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let (family, given, born) = (text(&patient.last_name), text(&patient.first_name), patient.birth_date);
    let by = |family: &Option<String>, given: &Option<String>, born| PatientQuery {
        family: family.clone(),
        given: given.clone(),
        born,
        include_inactive: true,
        ..PatientQuery::default()
    };
    let none = None;
    let all = match (&family, &given, born) {
        (Some(_), _, Some(_)) => {
            vec![by(&family, &none, born), by(&none, &given, born), by(&family, &given, None)]
        }
        (None, Some(_), Some(_)) => vec![by(&none, &given, born)],
        (Some(_), _, None) => vec![by(&family, &given, None)],
        _ => Vec::new(),
    };
    all.into_iter().filter(|query| query.family.is_some() || query.given.is_some()).collect()
}

/// The patients with what agrees and differs, the most likely first.
pub fn compared(patient: &Patient, found: Vec<fhir::model::Patient>, connection: Uuid) -> Vec<Candidate> {
    let (values, mut seen) = (Values::of(patient), HashSet::new());
    let unseen = found.into_iter().filter(|found| seen.insert(found.id.clone()));
    let mut items: Vec<Candidate> = unseen
        .map(|found| {
            let comparison = compare(&values, &found, connection);
            let shown = ChartMatch {
                certainty: comparison.certainty,
                percent: comparison.percent(),
                differences: comparison.differences(),
                fields: comparison.fields,
                patient: lookup_views::found(found.clone(), &[]),
            };
            Candidate { shown, found }
        })
        .collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.shown.percent));
    items.truncate(MOST);
    items
}

/// Compares a message's patient with one of the chart.
pub fn compare(values: &Values, found: &fhir::model::Patient, connection: Uuid) -> Comparison {
    Comparison::of(values, &Values::of(&lookup_views::patient(found.clone(), connection)))
}
