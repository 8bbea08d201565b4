//! Entries of an EHR in the form of answers.

use super::types::{ChartDocumentType, Facility, LookupPatient, Order, Reviewer, ReviewerGroup, Visit};
use crate::ehr::group_id;
use fhir::model::{self, Gender, Moment};
use patients::model::{IntegrationMeta, Patient, PatientIdentifier};
use uuid::Uuid;

fn gender_code(gender: Gender) -> &'static str {
    match gender {
        Gender::Male => "M",
        Gender::Female => "F",
        Gender::Other => "UN",
        Gender::Unknown => "",
    }
}

/// A found patient, with the latest visit if it is known.
pub fn found(of: model::Patient, visits: &[model::Visit]) -> LookupPatient {
    let latest =
        visits.iter().filter(|visit| !visit.is_cancelled).max_by_key(|visit| visit.begins.map(Moment::day));
    LookupPatient {
        admit_date: latest.and_then(|visit| visit.begins).map(Moment::day),
        discharge_date: latest.and_then(|visit| visit.ends).map(Moment::day),
        id: of.id,
        medical_record_number: of.record_number,
        first_name: of.given,
        middle_name: of.middle,
        last_name: of.family,
        former_names: of.former_names,
        birth_date: of.born,
        gender: gender_code(of.gender).into(),
        street_address1: of.street1,
        street_address2: of.street2,
        city: of.city,
        state: of.state,
        postal_code: of.postal_code,
        telephone: of.phone,
        facility_id: of.facility,
        is_active: of.is_active,
        is_deceased: of.is_deceased,
    }
}

/// The patient of a message, as the EHR knows it.
pub fn patient(of: model::Patient, integration_id: Uuid) -> Patient {
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    let meta = IntegrationMeta {
        integration_id: Some(integration_id),
        patient_id: Some(of.id),
        medical_record_number: of.record_number.clone(),
        visit_id: None,
        facility_id: of.facility,
    };
    let oid = |system: &str| system.strip_prefix("urn:oid:").unwrap_or(system).to_owned();
    let ids = of.identifiers.into_iter().filter(|id| id.kind.as_deref() != Some("SS"));
    Patient {
        patient_id: of.record_number,
        first_name: text(of.given),
        middle_name: text(of.middle),
        last_name: text(of.family),
        birth_date: of.born,
        gender: text(gender_code(of.gender).into()),
        street_address1: text(of.street1),
        street_address2: text(of.street2),
        city: text(of.city),
        state: text(of.state),
        postal_code: text(of.postal_code),
        telephone: text(of.phone),
        country: text(of.country),
        patient_ids: ids.map(|id| PatientIdentifier { root: oid(&id.system), id: id.value }).collect(),
        integration_meta: Some(meta),
        ..Patient::default()
    }
}

pub fn visit(of: model::Visit, orders: &[model::Order]) -> Visit {
    let own = orders.iter().filter(|order| order.visit_id.as_deref() == Some(&of.id));
    let time = |moment: Option<Moment>| match moment {
        Some(Moment::Time(time)) => Some(time),
        _ => None,
    };
    Visit {
        orders: own.cloned().map(order).collect(),
        date: of.begins.map(Moment::day),
        time: time(of.begins),
        end_date: of.ends.map(Moment::day),
        id: of.id,
        provider: of.provider,
        description: of.description,
        status: of.status,
        is_cancelled: of.is_cancelled,
    }
}

pub fn order(of: model::Order) -> Order {
    let model::Order { id, date, description, status, is_revoked, .. } = of;
    Order { id, date, description, status, is_revoked }
}

pub fn reviewer(of: model::Reviewer) -> Reviewer {
    Reviewer { external_id: of.id, first_name: of.given, last_name: of.family, username: of.user_name }
}

pub fn group(of: model::ReviewerGroup) -> ReviewerGroup {
    ReviewerGroup { id: group_id(&of), group_name: of.name }
}

pub fn document_type(of: model::DocumentType, source: &str) -> ChartDocumentType {
    ChartDocumentType { id: format!("{}|{}", of.system, of.code), name: of.name, source: source.to_owned() }
}

pub fn facility(of: model::Facility) -> Facility {
    Facility { id: of.id, name: of.name }
}

/// A patient of a message as a new one of an EHR.
pub fn new_patient(of: Patient) -> model::Patient {
    let text = |text: Option<String>| text.unwrap_or_default();
    model::Patient {
        family: text(of.last_name),
        given: text(of.first_name),
        middle: text(of.middle_name),
        born: of.birth_date,
        gender: match of.gender.as_deref() {
            Some("M") => Gender::Male,
            Some("F") => Gender::Female,
            Some("UN") => Gender::Other,
            _ => Gender::Unknown,
        },
        street1: text(of.street_address1),
        street2: text(of.street_address2),
        city: text(of.city),
        state: text(of.state),
        postal_code: text(of.postal_code),
        country: text(of.country),
        phone: text(of.telephone),
        is_active: true,
        ..model::Patient::default()
    }
}
