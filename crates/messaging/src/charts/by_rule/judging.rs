//! When a rule files, and why it leaves a message to people.

use super::super::finding::{self, Candidate, Candidates, NotProposed};
use crate::{
    attachments::extract::{self, ReadPatient},
    matching::whose::{Whose, is_somebody},
    model::{Patient, PatientDoubt, SourceType},
    sealed::{Content, open_meta},
};
use patients::{
    compare::{Agreement, Certainty, Comparison, Difference, Field},
    values::Values,
};
use platform::Result;
use sea_orm::ConnectionTrait;
use store::{
    entities::{
        attachment::{self, ScanState},
        message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Why a rule files nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Touched,
    HasOpen,
    NotRead,
    /// Pages or parts of a document are unread, and may be about somebody else.
    NotWhole,
    NoDocument,
    Held,
    Restricted,
    Doubt,
    SeveralPatients,
    NoPatient,
    Unnamed,
    /// A document says too little of its patient.
    Unsure,
    /// A document has another record number of the same authority than the chart.
    OtherNumber,
    /// In a dry run: the patient was entered by a person, and the documents name none.
    ByPerson,
    NotProposed(NotProposed),
    Uncertain(u8),
    NoType,
    InChart,
    Gaps,
    NotConnected,
    SignsIn,
    NotAnswered,
    GaveUp,
}

impl Refusal {
    /// The reason as part of a sentence, without patient data.
    pub fn words(&self) -> String {
        let text = match self {
            Self::Touched => "somebody works on this message already",
            Self::HasOpen => "a colleague has the message open",
            Self::NotRead => "its documents could not be read in time",
            Self::NotWhole => "not every page could be read",
            Self::NoDocument => "it has no document",
            Self::Held => "a document is or was in quarantine",
            Self::Restricted => "a document is restricted",
            Self::Doubt => "the documents name a different patient than the sender",
            Self::SeveralPatients => "it names more than one patient",
            Self::NoPatient => "no name and birth date of a patient were found",
            Self::Unnamed => "a document does not name its patient",
            Self::Unsure => "a document does not say for certain who its patient is",
            Self::OtherNumber => "the record number differs",
            Self::ByPerson => "its patient was entered by a person",
            Self::NotProposed(NotProposed::Nobody) => "no patient of the chart is certain",
            Self::NotProposed(NotProposed::TooMany) => "too many patients of the chart match",
            Self::NotProposed(NotProposed::Several) => "more than one patient of the chart matches",
            Self::NotProposed(NotProposed::Inactive) => "the chart is no longer active",
            Self::NotProposed(NotProposed::Differs(fields)) => return differ(fields),
            Self::Uncertain(percent) => return format!("the patient is only {percent}% certain"),
            Self::NoType => "the EHR needs a document type, and none of its types fits",
            Self::InChart => "a document is in a chart already, or on its way there",
            Self::Gaps => "details are missing that your organization requires for filing",
            Self::NotConnected => "the EHR is not connected",
            Self::SignsIn => "each person signs in at the EHR",
            Self::NotAnswered => "the EHR refused the search for the patient",
            Self::GaveUp => "the EHR did not answer for hours",
        };
        text.to_owned()
    }
}

/// `the name and the birth date differ`
fn differ(fields: &[Difference]) -> String {
    let name = |field: &Difference| match field {
        Difference::Name => "the name",
        Difference::BirthDate => "the birth date",
        Difference::Gender => "the sex",
    };
    let names: Vec<&str> = fields.iter().map(name).collect();
    let verb = if names.len() == 1 { "differs" } else { "differ" };
    format!("{} {verb}", names.join(" and "))
}

/// Checks the documents of a message: all of them are filed, and a rule files nothing restricted or suspicious.
pub fn check_files(key: &DataKey, files: &[attachment::Model]) -> Result<Result<(), Refusal>> {
    if files.is_empty() {
        return Ok(Err(Refusal::NoDocument));
    }
    for file in files {
        match file.scan_state {
            ScanState::NotScanned | ScanState::Clean => {}
            ScanState::Waiting | ScanState::Infected | ScanState::Released => {
                return Ok(Err(Refusal::Held));
            }
        }
        if open_meta(key, file)?.is_restricted() {
            return Ok(Err(Refusal::Restricted));
        }
    }
    Ok(Ok(()))
}

/// The patient of a message, by everything that names one.
#[derive(Debug)]
pub struct Named {
    /// The one to look for.
    pub patient: Patient,
    /// Patients of the single documents.
    documents: Vec<Patient>,
    /// Whether the sending system named the patient of everything.
    is_vouched: bool,
}

fn has(name: Option<&String>) -> bool {
    name.is_some_and(|name| !name.trim().is_empty())
}

/// Whether a patient has a last name and a birth date.
fn is_told(patient: &Patient) -> bool {
    has(patient.last_name.as_ref()) && patient.birth_date.is_some()
}

/// Whether a document names its patient: by more than a last name or a birth date alone.
fn names(read: &ReadPatient) -> bool {
    let patient = &read.patient;
    has(patient.last_name.as_ref()) && (has(patient.first_name.as_ref()) || patient.birth_date.is_some())
}

/// Whose documents these are. `trusts_patient`: the patient of the message was not changed by a person since.
pub async fn named(
    db: &impl ConnectionTrait,
    key: &DataKey,
    row: &message::Model,
    files: &[attachment::Model],
    trusts_patient: bool,
) -> Result<Result<Named, Refusal>> {
    match row.patient_doubt {
        Some(PatientDoubt::DocumentsDiffer) => return Ok(Err(Refusal::Doubt)),
        Some(PatientDoubt::SeveralPatients) => return Ok(Err(Refusal::SeveralPatients)),
        None => {}
    }
    let content = Content::open(key, row)?;
    let own = content.patient.filter(|own| trusts_patient && is_somebody(own));
    let is_vouched = row.source_type == SourceType::Interface && content.is_vouched;
    let mut read = extract::read_of(db, key, &files.iter().collect::<Vec<_>>()).await?;
    let documents = files.iter().map(|file| read.remove(&file.id)).collect();
    Ok(agreed(is_vouched, own, documents, trusts_patient))
}

fn agreed(
    is_vouched: bool,
    own: Option<Patient>,
    documents: Vec<Option<ReadPatient>>,
    trusts_patient: bool,
) -> Result<Named, Refusal> {
    let all: Vec<Patient> =
        documents.iter().flatten().map(|read| read.patient.clone()).filter(is_somebody).collect();
    let on_pages = documents.iter().flatten().flat_map(|read| read.on_pages.iter().cloned());
    let everybody = all.iter().cloned().chain(on_pages).collect();
    if let Some(doubt) = Whose::of(own.iter().cloned().collect(), everybody).doubt {
        return Err(match doubt.kind {
            PatientDoubt::DocumentsDiffer => Refusal::Doubt,
            PatientDoubt::SeveralPatients => Refusal::SeveralPatients,
        });
    }
    // The system behind an interface names the patient of everything that it sends. Elsewhere one document says
    // nothing about another.
    let is_vouched = is_vouched && own.as_ref().is_some_and(is_told);
    if !is_vouched && !documents.iter().all(|read| read.as_ref().is_some_and(names)) {
        return Err(if all.is_empty() && !trusts_patient { Refusal::ByPerson } else { Refusal::Unnamed });
    }
    if !is_vouched && documents.iter().flatten().any(|read| !read.is_whole) {
        return Err(Refusal::NotWhole);
    }
    let patient = own.iter().chain(&all).find(|patient| is_told(patient)).cloned();
    match patient {
        Some(patient) if finding::is_searchable(&patient) => {
            Ok(Named { patient, documents: all, is_vouched })
        }
        _ => Err(Refusal::NoPatient),
    }
}

/// Refuses if a document says anything about its patient that the chart says otherwise, or too little.
fn contradicted(compared: &Comparison, is_vouched: bool) -> Result<(), Refusal> {
    let differences = compared.differences();
    if !differences.is_empty() {
        return Err(Refusal::NotProposed(NotProposed::Differs(differences)));
    }
    let differs = |field| {
        compared.fields.iter().any(|found| found.field == field && found.agreement == Agreement::Differs)
    };
    match () {
        () if differs(Field::MiddleName) => {
            Err(Refusal::NotProposed(NotProposed::Differs(vec![Difference::Name])))
        }
        // Numbers of other authorities are not compared.
        () if differs(Field::PatientId) => Err(Refusal::OtherNumber),
        () if !is_vouched && compared.certainty != Some(Certainty::Certain) => Err(Refusal::Unsure),
        () => Ok(()),
    }
}

/// The patient of the chart into which a rule files.
pub fn decide<'a>(
    named: &Named,
    found: &'a Candidates,
    minimum: u8,
    connection: Uuid,
) -> Result<&'a Candidate, Refusal> {
    let only = found.only().map_err(Refusal::NotProposed)?;
    // A twin, or the same person registered once more.
    let may_be_meant = |other: &&Candidate| {
        other.shown.patient.id != only.shown.patient.id
            && other.shown.certainty.is_some()
            && other.shown.differences.is_empty()
    };
    if found.items.iter().any(|other| may_be_meant(&other)) {
        return Err(Refusal::NotProposed(NotProposed::Several));
    }
    for document in &named.documents {
        contradicted(&finding::compare(&Values::of(document), &only.found, connection), named.is_vouched)?;
    }
    match only.shown.percent {
        percent if percent < minimum => Err(Refusal::Uncertain(percent)),
        _ => Ok(only),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PatientIdentifier;

    fn patient(first: &str, born: &str) -> Patient {
        Patient {
            first_name: Some(first.into()),
            last_name: Some("Stroud".into()),
            birth_date: born.parse().ok(),
            ..Patient::default()
        }
    }

    fn refused(is_vouched: bool, own: Option<Patient>, documents: Vec<Option<Patient>>) -> Option<Refusal> {
        let read = |patient| ReadPatient { patient, is_whole: true, ..ReadPatient::default() };
        let documents = documents.into_iter().map(|patient| patient.map(read)).collect();
        agreed(is_vouched, own, documents, true).err()
    }

    #[test]
    fn a_document_about_two_people_or_with_unread_pages_is_left_to_people() {
        let [odalys, ravi] = ["Odalys", "Ravi"].map(|first| patient(first, "2009-09-17"));
        let refused = |on_pages: Vec<Patient>, is_whole| {
            let read = ReadPatient { patient: odalys.clone(), on_pages, is_whole, ..ReadPatient::default() };
            agreed(false, None, vec![Some(read)], true).err()
        };
        assert_eq!(refused(vec![odalys.clone()], true), None);
        assert_eq!(refused(vec![odalys.clone()], false), Some(Refusal::NotWhole));
        assert_eq!(refused(vec![odalys.clone(), ravi], true), Some(Refusal::SeveralPatients));
        let older: ReadPatient = serde_json::from_str("{}").expect("a reading");
        assert!(!older.is_whole, "readings of before say nothing about their pages");
    }

    #[test]
    fn each_document_names_the_patient_unless_a_system_vouches_for_all() {
        let odalys = || patient("Odalys", "2009-09-17");
        let twin = || patient("Marit", "2009-09-17");
        let fax = false;
        assert_eq!(refused(fax, None, vec![Some(odalys())]), None);
        assert_eq!(refused(fax, None, vec![Some(odalys()), None]), Some(Refusal::Unnamed));
        assert_eq!(refused(fax, None, vec![Some(odalys()), Some(twin())]), Some(Refusal::SeveralPatients));
        assert_eq!(refused(fax, Some(twin()), vec![Some(odalys())]), Some(Refusal::Doubt));
        assert_eq!(refused(true, Some(odalys()), vec![None]), None);
        assert_eq!(refused(false, Some(odalys()), vec![None]), Some(Refusal::Unnamed));
        let bare = Patient { first_name: None, birth_date: None, ..odalys() };
        let nameless = Patient { last_name: None, first_name: None, ..odalys() };
        assert_eq!(refused(true, Some(bare.clone()), vec![Some(odalys()), None]), Some(Refusal::Unnamed));
        assert_eq!(refused(true, None, vec![Some(odalys()), None]), Some(Refusal::Unnamed));
        for little in [bare, nameless] {
            assert_eq!(
                refused(fax, Some(odalys()), vec![Some(odalys()), Some(little)]),
                Some(Refusal::Unnamed)
            );
        }
        let unborn = Patient { birth_date: None, ..odalys() };
        assert_eq!(refused(fax, None, vec![Some(unborn)]), Some(Refusal::NoPatient));
    }

    #[test]
    fn a_document_that_contradicts_the_chart_or_says_little_is_left_to_people() {
        let number = |id: &str, root: &str| {
            let id = PatientIdentifier { id: id.into(), root: root.into() };
            Patient { patient_ids: vec![id], ..patient("Odalys", "2009-09-17") }
        };
        let middle = |name: &str| Patient { middle_name: Some(name.into()), ..number("48213", "1.2.3") };
        let refused = |document: &Patient, is_vouched| {
            let compared = Comparison::of(&Values::of(document), &Values::of(&middle("June")));
            contradicted(&compared, is_vouched).err()
        };
        assert_eq!(refused(&number("48213", "1.2.3"), false), None);
        assert_eq!(refused(&number("90417", "9.9.9"), false), None, "the number of somebody else");
        assert_eq!(refused(&number("90417", "1.2.3"), true), Some(Refusal::OtherNumber));
        let named = Refusal::NotProposed(NotProposed::Differs(vec![Difference::Name]));
        assert_eq!(refused(&middle("Agnes"), true), Some(named));
        let unborn = Patient { birth_date: None, patient_ids: Vec::new(), ..number("", "") };
        assert_eq!(refused(&unborn, false), Some(Refusal::Unsure));
        assert_eq!(refused(&unborn, true), None, "the system named the patient");
    }

    #[test]
    fn a_twin_or_a_second_chart_that_is_only_possible_keeps_a_rule_from_filing() {
        let read = patient("Marisol", "2009-09-17");
        let decided = |others: &[(&str, &str)]| {
            let all = [&[("Marisol", "2009-09-17")][..], others].concat();
            let today = chrono::NaiveDate::default();
            let chart = all.iter().zip(1..).map(|((first, born), number)| {
                let mut resource = serde_json::json!({
                    "resourceType": "Patient", "id": format!("{number}"), "active": true,
                    "name": [{ "family": "Stroud", "given": [first] }],
                });
                if !born.is_empty() {
                    resource["birthDate"] = (*born).into();
                }
                fhir::read::patient(&resource, today).expect("a patient")
            });
            let items = finding::compared(&read, chart.collect(), Uuid::nil());
            let found = Candidates { items, is_cut: false };
            let named = Named { patient: read.clone(), documents: vec![read.clone()], is_vouched: false };
            decide(&named, &found, 99, Uuid::nil()).map(|only| only.shown.patient.id.clone())
        };
        let several = Err(Refusal::NotProposed(NotProposed::Several));
        assert_eq!(decided(&[]), Ok("1".into()));
        assert_eq!(decided(&[("Marisa", "2009-09-17")]), several, "a twin of a similar name");
        assert_eq!(decided(&[("Marisol", "")]), several, "registered once more, without a birth date");
        assert_eq!(decided(&[("Marisol", "1984-02-03")]), Ok("1".into()));
    }

    #[test]
    fn reasons_name_fields_and_no_values() {
        let differs =
            |fields: &[Difference]| Refusal::NotProposed(NotProposed::Differs(fields.into())).words();
        assert_eq!(differs(&[Difference::BirthDate]), "the birth date differs");
        assert_eq!(differs(&[Difference::Name, Difference::Gender]), "the name and the sex differ");
        assert_eq!(Refusal::Uncertain(97).words(), "the patient is only 97% certain");
    }
}
