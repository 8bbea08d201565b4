//! Patients in C-CDA documents.

use crate::model::{Patient, PatientIdentifier};
use clinical::cda::{self, Address, Gender, InstanceId, PersonName, Telecom, us_number};
pub use patients::record_numbers::of_organization;
use patients::rules::{TEXT_LIMIT, tidy};
use platform::{App, Result};
use uuid::Uuid;

/// Reads the patient of a document.
pub fn of_document(patient: cda::Patient) -> Patient {
    // Without parameters, such as an extension (RFC 3966, section 3).
    let telephone = patient.phone().and_then(|phone| phone.split(';').next()).map(str::to_owned);
    // Longer ones, such as UUIDs, are only kept as identifiers.
    let fits = |id: &&String| id.chars().count() <= TEXT_LIMIT;
    let numbers = patient.record_numbers();
    let patient_id = numbers.into_iter().filter_map(|id| id.extension.as_ref()).find(fits).cloned();
    let kept = |id: &InstanceId| Some(PatientIdentifier { id: id.extension.clone()?, root: id.root.clone() });
    let ids: Vec<_> = patient.kept_ids().filter_map(kept).collect();
    let address = patient.address.unwrap_or_default();
    let mut lines = address.lines.into_iter();
    tidy(Patient {
        patient_id,
        first_name: patient.name.first,
        middle_name: patient.name.middle,
        last_name: patient.name.last,
        birth_date: patient.birth_date,
        gender: patient.gender.map(|g| g.code().to_owned()),
        street_address1: lines.next(),
        street_address2: lines.next(),
        city: address.city,
        state: address.state,
        postal_code: address.postal_code,
        country: address.country,
        telephone,
        patient_ids: ids,
        // Visits belong to the document, not to the patient.
        visit_id: None,
        visit_date: None,
        known_patient_id: None,
        integration_meta: None,
    })
}

/// Like [`of_organization`], for an optional patient.
pub async fn named_for(
    app: &App,
    organization_id: Uuid,
    patient: Option<Patient>,
) -> Result<Option<Patient>> {
    match patient {
        Some(patient) => of_organization(app, organization_id, patient).await.map(Some),
        None => Ok(None),
    }
}

/// A patient for a document of an organization, which is the assigning authority of identifiers without one.
pub fn for_document(patient: Patient, organization_id: Uuid) -> cda::Patient {
    let patient = tidy(patient);
    let lines: Vec<_> = [patient.street_address1, patient.street_address2].into_iter().flatten().collect();
    let (city, state) = (patient.city, patient.state);
    let address = Address { lines, city, state, postal_code: patient.postal_code, country: patient.country };
    let mut ids: Vec<_> = patient.patient_ids.into_iter().map(|i| identifier(i.root, i.id)).collect();
    if let Some(id) = patient.patient_id
        && ids.iter().all(|known| known.extension.as_ref() != Some(&id))
    {
        ids.push(identifier(organization_id.to_string(), id));
    }
    cda::Patient {
        ids,
        name: PersonName {
            first: patient.first_name,
            middle: patient.middle_name,
            last: patient.last_name,
            ..PersonName::default()
        },
        birth_date: patient.birth_date,
        gender: patient.gender.as_deref().and_then(Gender::from_code),
        address: Some(address).filter(|address| *address != Address::default()),
        telecoms: patient.telephone.iter().map(|phone| telecom(phone, "HP")).collect(),
    }
}

/// An identifier assigned by `root`.
pub fn identifier(root: String, id: String) -> InstanceId {
    InstanceId { root, extension: Some(id), authority: None }
}

/// A telephone number as a URL; a foreign one is left as it is.
pub fn telecom(phone: &str, use_code: &str) -> Telecom {
    let number = us_number(phone).map_or_else(|| phone.to_owned(), |digits| format!("+1{digits}"));
    Telecom { value: format!("tel:{number}"), use_code: Some(use_code.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    #[test]
    fn the_patient_id_of_a_document_is_the_first_that_fits_and_its_telephone_number_has_no_extension() {
        let ids = ["6f1d8e0a-2f3b-4a5c-9d7e-0b1c2d3e4f50", "LFM-08842"];
        let patient = of_document(cda::Patient {
            ids: ids.map(|id| identifier("2.16.840.1.113883.19".into(), id.into())).to_vec(),
            telecoms: vec![telecom("555-010-0164;ext=7", "HP")],
            ..cda::Patient::default()
        });
        assert_eq!(patient.patient_id.as_deref(), Some("LFM-08842"));
        assert_eq!(patient.patient_ids.iter().map(|i| i.id.as_str()).collect::<Vec<_>>(), ids);
        assert_eq!(patient.telephone.as_deref(), Some("5550100164"));
    }

    #[test]
    fn a_social_security_number_is_neither_the_record_number_nor_kept() {
        let patient = of_document(cda::Patient {
            ids: vec![
                identifier("2.16.840.1.113883.4.1".into(), "901-44-1234".into()),
                identifier("2.16.840.1.113883.4.3.39".into(), "OH77".into()),
                identifier("2.16.840.1.113883.19.5".into(), "70412".into()),
            ],
            ..cda::Patient::default()
        });
        assert_eq!(patient.patient_id.as_deref(), Some("70412"));
        assert_eq!(patient.patient_ids.iter().map(|i| &*i.id).collect::<Vec<_>>(), ["OH77", "70412"]);
    }

    #[test]
    fn a_patient_survives_the_way_through_a_document() {
        let realm = Uuid::from_u128(7);
        let some = |text: &str| Some(text.to_owned());
        let patient = Patient {
            patient_id: some("LFM-08842"),
            first_name: some("Desmond"),
            middle_name: some("Lee"),
            last_name: some("Pruitt"),
            birth_date: NaiveDate::from_ymd_opt(1957, 11, 8),
            gender: some("M"),
            street_address1: some("27 Orchard Row"),
            street_address2: some("Apt 2"),
            city: some("Larkfield"),
            state: some("OH"),
            postal_code: some("43999"),
            telephone: some("5550100164"),
            ..Patient::default()
        };
        let realm_id = PatientIdentifier { root: realm.to_string(), id: "LFM-08842".into() };
        let expected = Patient { patient_ids: vec![realm_id], ..patient.clone() };
        assert_eq!(of_document(for_document(patient, realm)), expected);
        assert_eq!(of_document(for_document(expected.clone(), realm)), expected, "an identifier stands once");
        assert_eq!(for_document(Patient::default(), realm), cda::Patient::default());
    }
}
