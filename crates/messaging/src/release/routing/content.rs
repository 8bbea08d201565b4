//! A message in the form for a recipient's interface.

use super::rules::Route;
use crate::{
    attachments::form::Form,
    model::{Conversion, Patient},
    sealed::{Content, Summary, open_meta},
    workflows::platform_error,
};
use bytes::Bytes;
use chrono::NaiveTime;
use exchange::{Code, Confidentiality, Delivery, Document, Facility, Person};
use platform::{App, sql};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, prelude::DateTimeUtc};
use std::collections::{BTreeSet, HashMap};
use store::entities::{
    attachment, delivery, document_type, message, organization, routing_endpoint,
    routing_rule::{LocationCode, RoutingFormat},
    routing_sender,
};
use uuid::Uuid;
use workflow::StepError;

/// Code system of document types.
const LOINC: &str = "2.16.840.1.113883.6.1";

/// A message for one recipient, with all its parts.
pub struct Parcel<'a> {
    pub app: &'a App,
    pub message: &'a message::Model,
    pub organization: &'a organization::Model,
    pub files: &'a [attachment::Model],
    pub delivery: &'a delivery::Model,
    pub route: &'a Route,
    pub sender: &'a routing_sender::Model,
}

impl Parcel<'_> {
    /// Created again on every attempt, from unchanging data and with the same ids.
    pub async fn open(&self) -> Result<Delivery, StepError> {
        let key = self.app.keys.data_key(self.message.organization_id).await;
        let key = key.map_err(|error| StepError::again(error.to_string()))?;
        let summary = Summary::open(&key, self.message).map_err(platform_error)?;
        let content = Content::open(&key, self.message).map_err(platform_error)?;
        let mut message = self.message.clone();
        if self.route.rule.convert_to_format == Some(RoutingFormat::Cda) {
            message.conversion = Some(Conversion::Cda);
        }
        let patient = content.patient.clone();
        let form = Form {
            app: self.app,
            key: &key,
            message: &message,
            organization: self.organization,
            patient: patient.clone(),
        };
        let metas: Vec<_> = self
            .files
            .iter()
            .map(|file| open_meta(&key, file))
            .collect::<Result<_, _>>()
            .map_err(platform_error)?;
        let kinds = self.kinds(metas.iter().filter_map(|meta| meta.document_type.as_deref())).await?;
        let mut documents = Vec::with_capacity(self.files.len() + 1);
        for (file, meta) in self.files.iter().zip(metas) {
            let part = form.attach(file).await?;
            let name = part.file_name.unwrap_or_default();
            let created = meta.document_date.map(|day| day.and_time(NaiveTime::MIN).and_utc());
            documents.push(Document {
                id: file.id,
                kind: meta.document_type.as_ref().and_then(|name| kinds.get(&sql::key(name)).cloned()),
                title: meta.document_type.unwrap_or_else(|| name.clone()),
                media_type: part.content_type,
                file_name: name,
                created_at: created.unwrap_or(self.message.message_date),
                confidentiality: meta.confidentiality.unwrap_or_default(),
                content: part.content,
            });
        }
        let text = content.text();
        if !text.trim().is_empty() || documents.is_empty() {
            // The text describes its documents, so it is as confidential as the strictest.
            let strictest = documents.iter().map(|document| document.confidentiality).max();
            documents.push(Document {
                confidentiality: strictest.unwrap_or_default(),
                ..letter(self.message.id, &summary.subject, text, self.message.message_date)
            });
        }
        Ok(Delivery {
            id: self.delivery.id,
            at: self.message.message_date,
            from: facility_of(&self.organization.name, self.sender),
            to: Facility::default(),
            from_address: self.message.from_address.clone(),
            to_address: self.delivery.address.clone(),
            location: self.route.rule.location_code.map(LocationCode::name).unwrap_or_default().into(),
            patient: person(patient.unwrap_or_default(), &self.sender.organization_oid),
            documents,
            is_test: false,
        })
    }

    /// The codes of document types, by name key. Types without a code are absent.
    async fn kinds(&self, names: impl Iterator<Item = &str>) -> Result<HashMap<String, Code>, DbErr> {
        use document_type::Column;
        let keys: BTreeSet<String> = names.map(sql::key).collect();
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let of_all = Condition::any().add(Column::OrganizationId.is_null());
        let known = document_type::Entity::find()
            .filter(Column::NameKey.is_in(keys))
            .filter(Column::Code.ne(""))
            .filter(of_all.add(Column::OrganizationId.eq(self.message.organization_id)));
        let code = |row: document_type::Model| {
            (row.name_key, Code { code: row.code, name: row.name, scheme: LOINC.into() })
        };
        Ok(known.all(self.app.store.db()).await?.into_iter().map(code).collect())
    }
}

/// The text of a message as a document.
fn letter(id: Uuid, subject: &str, text: String, at: DateTimeUtc) -> Document {
    Document {
        id,
        title: subject.to_owned(),
        kind: None,
        media_type: "text/plain; charset=utf-8".into(),
        file_name: "message.txt".into(),
        created_at: at,
        confidentiality: Confidentiality::Normal,
        content: Bytes::from(text),
    }
}

/// The sending facility, as configured in the rule.
fn facility_of(name: &str, sender: &routing_sender::Model) -> Facility {
    let kind = Code {
        code: sender.facility_type_code_id.clone(),
        name: sender.facility_type.clone(),
        scheme: sender.facility_type_code_scheme.clone(),
    };
    let kind = Some(kind).filter(|kind| !kind.code.is_empty());
    Facility { name: name.to_owned(), oid: sender.organization_oid.clone(), kind }
}

/// The receiving facility: the endpoint's or, by default, the rule's.
pub fn receiver(route: &Route, endpoint: &routing_endpoint::Model) -> Facility {
    let oid = if endpoint.oid.is_empty() { &route.rule.facility_oid } else { &endpoint.oid };
    Facility { oid: oid.clone(), ..Facility::default() }
}

fn person(patient: Patient, authority: &str) -> Person {
    let own = patient.patient_id.clone().filter(|id| !id.is_empty()).map(|id| (id, authority.to_owned()));
    let others = patient.patient_ids.into_iter().map(|id| (id.id, id.root));
    let line = |text: Option<String>| text.unwrap_or_default();
    let sex = match patient.gender.as_deref() {
        Some(sex @ ("M" | "F")) => sex.to_owned(),
        Some("UN") => "O".into(),
        _ => String::new(),
    };
    Person {
        ids: own.into_iter().chain(others).collect(),
        family: line(patient.last_name),
        given: line(patient.first_name),
        middle: line(patient.middle_name),
        born: patient.birth_date,
        sex,
        street: line(patient.street_address1),
        city: line(patient.city),
        state: line(patient.state),
        postal_code: line(patient.postal_code),
        phone: line(patient.telephone),
        visit: line(patient.visit_id),
    }
}

/// A message for testing an endpoint. It is marked as a test, and has no patient.
pub fn test_message(app: &App, route: &Route) -> Delivery {
    let now = app.clock.now();
    let id = Uuid::now_v7();
    let from = route.first_sender().map(|sender| facility_of("Carepost", sender)).unwrap_or_default();
    Delivery {
        id,
        at: now,
        from,
        to: Facility::default(),
        from_address: format!("test@{}", app.config.direct.host),
        to_address: route.rule.address.clone(),
        location: route.rule.location_code.map(LocationCode::name).unwrap_or_default().into(),
        patient: Person {
            ids: vec![("TEST0001".into(), String::new())],
            family: "TEST".into(),
            given: "ROUTING".into(),
            ..Person::default()
        },
        documents: vec![letter(id, "Test of a routing rule", "Test of a routing rule".into(), now)],
        is_test: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PatientIdentifier;

    #[test]
    fn the_patient_has_the_id_of_the_sender_first() {
        let patient = Patient {
            patient_id: Some("7".into()),
            gender: Some("UN".into()),
            patient_ids: vec![PatientIdentifier { root: "1.9".into(), id: "8".into() }],
            ..Patient::default()
        };
        let person = person(patient, "1.2.3");
        assert_eq!(person.ids, [("7".into(), "1.2.3".into()), ("8".into(), "1.9".into())]);
        assert_eq!(person.sex, "O");
    }
}
