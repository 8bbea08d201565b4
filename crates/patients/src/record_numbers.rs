//! Which number of a patient is the organization's own record number.

use crate::model::{Patient, PatientIdentifier};
use platform::{
    App, Result,
    interoperability::{Interoperability, RecordNumberAuthority},
    settings,
};
use uuid::Uuid;

/// The patient named by a document or its sender, with the organization's own record number.
pub async fn of_organization(app: &App, organization_id: Uuid, patient: Patient) -> Result<Patient> {
    if patient.patient_id.is_none() {
        return Ok(patient);
    }
    let settings: Interoperability = settings::find(app, organization_id).await?;
    Ok(numbered(patient, &settings.record_number_authorities))
}

/// The patient with the record number assigned by one of these authorities. A number of another authority is not a
/// record number; one of an unknown authority may be. Without authorities, the patient is unchanged.
pub fn numbered(mut patient: Patient, authorities: &[RecordNumberAuthority]) -> Patient {
    let is_own = |id: &&PatientIdentifier| authorities.iter().any(|own| own.eq_ignore_ascii_case(&id.root));
    let own = patient.patient_ids.iter().find(is_own).map(|id| id.id.clone());
    let is_foreign = |number: &String| patient.patient_ids.iter().any(|id| id.id == *number);
    if !authorities.is_empty() {
        patient.patient_id = own.or(patient.patient_id.filter(|number| !is_foreign(number)));
    }
    patient
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_another_authority_is_no_record_number_where_the_organization_names_its_own() {
        let id = |root: &str, id: &str| PatientIdentifier { root: root.into(), id: id.into() };
        let said = Patient {
            patient_id: Some("70412".into()),
            patient_ids: vec![id("1.2.3", "70412"), id("HAW", "LFM-1")],
            ..Patient::default()
        };
        let of = |patient: &Patient, names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| RecordNumberAuthority::new(name).unwrap()).collect();
            numbered(patient.clone(), &names).patient_id
        };
        assert_eq!(of(&said, &[]).as_deref(), Some("70412"));
        assert_eq!(of(&said, &["haw"]).as_deref(), Some("LFM-1"));
        assert_eq!(of(&said, &["9.9"]), None, "both are of others");
        let bare = Patient { patient_id: Some("70412".into()), ..Patient::default() };
        assert_eq!(of(&bare, &["9.9"]).as_deref(), Some("70412"), "nobody says whose it is");
    }
}
