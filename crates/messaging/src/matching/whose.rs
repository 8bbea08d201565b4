//! The patient of a message's documents, and doubts where documents and sender disagree.

use crate::{
    messages::queries::{Editing, edit_row},
    model::{Direction, Patient, PatientDoubt},
    sealed::{Content, Summary},
    search_terms,
};
use patients::{
    compare::{Agreement, Comparison, Field},
    values::Values,
};
use platform::Result;
use sea_orm::{EntityTrait, QuerySelect};
use store::{
    Transaction,
    entities::message::{self, Model},
    keys::DataKey,
};
use uuid::Uuid;

/// Maximum number of named patients of a message.
const NAMED: usize = 20;

/// The patient of a message, or a doubt.
#[derive(Debug, Default, PartialEq)]
pub struct Whose {
    /// `None` in case of doubt: a person decides then.
    pub patient: Option<Patient>,
    pub doubt: Option<Doubt>,
}

/// Why the patient of the documents is uncertain.
#[derive(Debug, PartialEq)]
pub struct Doubt {
    pub kind: PatientDoubt,
    /// The differing patients, the sender's first.
    pub named: Vec<Patient>,
}

impl Whose {
    /// Compares the patients named by the sender around the documents with those named by each document.
    pub fn of(by_sender: Vec<Patient>, by_documents: Vec<Patient>) -> Self {
        let (said, own) = (distinct(by_sender), distinct(by_documents));
        let named = distinct(said.iter().chain(&own).cloned().collect());
        let kind = match (said.len(), own.len(), named.len()) {
            (_, _, 0 | 1) => None,
            (0 | 1, 0 | 1, _) => Some(PatientDoubt::DocumentsDiffer),
            _ => Some(PatientDoubt::SeveralPatients),
        };
        match kind {
            Some(kind) => Self { patient: None, doubt: Some(Doubt { kind, named }) },
            None => Self { patient: said.into_iter().chain(own).next(), doubt: None },
        }
    }
}

impl Doubt {
    /// Stores the named patients, so that people see them and find the message by each of them.
    pub fn note(self, summary: &mut Summary, content: &mut Content) {
        for patient in &self.named {
            summary.patient_keys.push(patient.display_name());
            summary.patient_keys.extend(search_terms::keys(Some(patient)));
        }
        content.named_patients = self.named;
    }
}

/// Stores a doubt about an Intake message that has none yet.
pub async fn write(
    txn: &Transaction,
    key: &DataKey,
    message_id: Uuid,
    doubt: Doubt,
) -> Result<Option<Model>> {
    let row = message::Entity::find_by_id(message_id).lock_exclusive().one(txn).await?;
    let is_open = |row: &Model| {
        row.direction == Direction::Intake && row.deleted_at.is_none() && row.patient_doubt.is_none()
    };
    let Some(row) = row.filter(is_open) else { return Ok(None) };
    let note = |m: &mut Editing| {
        m.row.patient_doubt = Some(doubt.kind);
        doubt.note(&mut m.summary, &mut m.content);
        Ok(())
    };
    edit_row(txn, key, row, note).await.map(Some)
}

/// Adds a patient from a document that was read later, and returns a new doubt. A patient who differs from the
/// message's is not taken over; unless a person chose that one, it is removed too.
pub fn also(summary: &mut Summary, content: &mut Content, patient: Patient) -> Option<PatientDoubt> {
    let known = content.named_patients.iter().chain(&content.patient).cloned();
    let Whose { patient: only, doubt } = Whose::of(Vec::new(), known.chain([patient]).collect());
    let is_by_person = content.patient_version > 0;
    let kind = doubt.as_ref().map(|doubt| doubt.kind);
    match doubt {
        Some(doubt) => {
            if !is_by_person {
                content.patient = None;
                summary.name_patient(None);
            }
            doubt.note(summary, content);
        }
        None if content.patient.is_none() && !is_by_person => {
            summary.name_patient(only.as_ref());
            content.patient = only;
        }
        None => {}
    }
    kind
}

/// Distinct persons, without those that have neither a name nor a birth date.
fn distinct(patients: Vec<Patient>) -> Vec<Patient> {
    let mut found: Vec<Patient> = Vec::new();
    for patient in patients {
        if is_somebody(&patient) && found.len() < NAMED && found.iter().all(|known| differ(known, &patient)) {
            found.push(patient);
        }
    }
    found
}

/// Whether there is a name or a birth date.
pub fn is_somebody(patient: &Patient) -> bool {
    !patient.display_name().is_empty() || patient.birth_date.is_some()
}

/// Whether two patients cannot be the same person: a name or the birth date differs.
pub fn differ(one: &Patient, other: &Patient) -> bool {
    let compared = Comparison::of(&Values::of(one), &Values::of(other));
    let tells_apart = |field| matches!(field, Field::LastName | Field::FirstName | Field::BirthDate);
    compared.fields.iter().any(|found| tells_apart(found.field) && found.agreement == Agreement::Differs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patient(name: &str, born: &str) -> Patient {
        let (first, last) = name.split_once(' ').unwrap_or((name, ""));
        let said = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Patient {
            first_name: said(first),
            last_name: said(last),
            birth_date: born.parse().ok(),
            ..Patient::default()
        }
    }

    fn odalys() -> Patient {
        patient("Odalys Brindlecombe", "1967-03-09")
    }

    fn ravi() -> Patient {
        patient("Ravi Tamsin", "1981-07-22")
    }

    fn doubt(by_sender: &[Patient], by_documents: &[Patient]) -> Option<PatientDoubt> {
        let whose = Whose::of(by_sender.to_vec(), by_documents.to_vec());
        assert_eq!(whose.patient.is_some(), whose.doubt.is_none(), "nobody is taken in doubt");
        whose.doubt.map(|doubt| doubt.kind)
    }

    #[test]
    fn documents_of_somebody_else_or_of_several_are_a_doubt_and_nobody_is_taken() {
        use PatientDoubt::{DocumentsDiffer, SeveralPatients};
        assert_eq!(doubt(&[odalys()], &[ravi()]), Some(DocumentsDiffer));
        assert_eq!(doubt(&[], &[odalys(), ravi()]), Some(SeveralPatients));
        assert_eq!(doubt(&[odalys(), ravi()], &[]), Some(SeveralPatients));
        assert_eq!(doubt(&[odalys()], &[odalys(), ravi()]), Some(SeveralPatients));
        let whose = Whose::of(vec![odalys()], vec![ravi(), ravi()]);
        assert_eq!(whose.doubt.expect("a doubt").named, [odalys(), ravi()], "each once, the sender's first");
        for other in [
            patient("Odalys Brindlecombe", "1976-11-30"),
            patient("Odalys Quillon", "1967-03-09"),
            patient("Marit Brindlecombe", "1967-03-09"),
        ] {
            assert_eq!(doubt(&[odalys()], &[other]), Some(DocumentsDiffer));
        }
    }

    #[test]
    fn a_document_that_is_read_later_is_compared_too() {
        let (mut summary, mut content) = (Summary::default(), Content::default());
        let mut read = |content: &mut Content, patient| also(&mut summary, content, patient);
        assert_eq!(read(&mut content, odalys()), None);
        assert_eq!(read(&mut content, odalys()), None);
        assert_eq!(content.patient, Some(odalys()));
        assert_eq!(read(&mut content, ravi()), Some(PatientDoubt::SeveralPatients));
        assert_eq!((&content.patient, &content.named_patients), (&None, &vec![odalys(), ravi()]));
        assert_eq!(read(&mut content, odalys()), Some(PatientDoubt::SeveralPatients), "it stays in doubt");
        let mut chosen = Content { patient: Some(odalys()), patient_version: 1, ..Content::default() };
        assert_eq!(read(&mut chosen, ravi()), Some(PatientDoubt::SeveralPatients));
        assert_eq!(chosen.patient, Some(odalys()), "a person has chosen");
        let mut emptied = Content { patient_version: 1, ..Content::default() };
        assert_eq!(read(&mut emptied, ravi()), None);
        assert_eq!(emptied.patient, None);
    }

    #[test]
    fn the_same_person_written_otherwise_is_no_doubt() {
        for same in [
            odalys(),
            patient("ODALYS BRINDLECOMBE", ""),
            patient("O Brindlecombe", "1967-03-09"),
            patient("Brindlecombe Odalys", "1967-03-09"),
            patient("", "1967-03-09"),
        ] {
            assert_eq!(doubt(&[odalys()], &[same]), None);
        }
        let bare = Whose::of(vec![Patient::default()], vec![ravi()]);
        assert_eq!(bare.patient, Some(ravi()), "the document's where the sender names nobody");
        assert_eq!(Whose::of(Vec::new(), Vec::new()), Whose::default());
    }
}
