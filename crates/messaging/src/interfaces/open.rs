//! Turns a reception from an interface into an Intake message, or applies what an EHR tells in it.

use crate::{
    arrival::{Arrival, NewIntake},
    attachments::describe::described,
    files::{self, NewFile},
    matching::whose::{Whose, is_somebody},
    messages::patients::named_for,
    model::{AttachmentMeta, DocumentDateType, PRESCRIPTION_NETWORK, Patient, PatientIdentifier, SourceType},
    rules::queries::at_work,
    sealed::{Content, Summary, open_reception},
    workflows::{conversion_policy, platform_error},
};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use clinical::hl7::Message;
use documents::{Kind, worker::Input};
use exchange::{
    Person,
    receive::{
        File,
        hospital::Told,
        message::{self, Subject},
        provide,
    },
};
use feeds::Feed;
use platform::{App, Result, bus::Event};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel, QuerySelect};
use store::{
    Transaction,
    entities::{
        inbound_connection::{self, ConnectionKind},
        interface_reception, message as row,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Policy, Step, StepContext, StepError};

/// Maximum length of a patient's text fields, in characters.
const TEXT_LIMIT: usize = 255;

pub struct OpenInterface {
    pub app: App,
}

/// What is in a reception.
enum Read {
    Documents(Box<Brought>),
    /// An event of an EHR. None for a test, which changes nothing.
    Event(Option<Box<Told>>),
}

/// Documents of a reception, independent of the interface.
struct Brought {
    subject: String,
    from_name: String,
    from_address: String,
    to_address: String,
    sent_at: Option<DateTime<Utc>>,
    /// Patients named by the message itself.
    patients: Vec<Person>,
    files: Vec<File>,
}

#[async_trait::async_trait]
impl Step for OpenInterface {
    fn policy(&self) -> Policy {
        // An event that was acknowledged must outlast more than a short trouble; a document must have the time to be read.
        Policy { deadline: conversion_policy().deadline, ..Policy::default() }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let found = interface_reception::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(reception) = found.filter(|row| row.finished_at.is_none()) else {
            return Ok(Done::skipped());
        };
        let key = app.keys.data_key(reception.organization_id).await;
        let key = key.map_err(|e| StepError::again(e.to_string()))?;
        let connection = inbound_connection::Entity::find_by_id(reception.connection_id);
        let connection = connection.one(app.store.db()).await?;
        let brought = match read(&app, &key, &reception, connection.as_ref()).await? {
            Read::Documents(brought) => *brought,
            Read::Event(told) => return applying(&app, &reception, told).await,
        };
        let arrival = arrival(&app, key, &reception, (connection, brought), cx.workflow_id()).await?;
        let (organization_id, message_id) = (reception.organization_id, arrival.message.id);
        let published = app.clone();
        let done =
            Done::with(move |txn| Box::pin(async move { stored(&app, txn, reception.id, arrival).await }));
        Ok(done.then(async move {
            published.bus.publish(Event::Intake { organization_id, message_id }).await;
            published.bus.publish(Event::Work).await;
        }))
    }
}

async fn stored(app: &App, txn: &Transaction, id: Uuid, arrival: Arrival) -> Result<(), StepError> {
    let row = interface_reception::Entity::find_by_id(id).lock_exclusive().one(txn).await?;
    let Some(row) = row.filter(|row| row.finished_at.is_none()) else { return Ok(()) };
    let mut change = row.into_active_model();
    change.message_id = Set(Some(arrival.message.id));
    change.finished_at = Set(Some(app.clock.now()));
    arrival.store(app, txn).await?;
    change.update(txn).await?;
    Ok(())
}

/// Applies an event of an EHR, and settles its reception in the same transaction.
async fn applying(
    app: &App,
    reception: &interface_reception::Model,
    told: Option<Box<Told>>,
) -> Result<Done, StepError> {
    let of = feeds::Reception {
        id: reception.id,
        organization_id: reception.organization_id,
        connection_id: reception.connection_id,
        received_at: reception.received_at,
    };
    let feed = Feed::open(app, of).await.map_err(platform_error)?;
    let app = app.clone();
    Ok(Done::with(move |txn| {
        Box::pin(async move {
            let row = interface_reception::Entity::find_by_id(of.id).lock_exclusive().one(txn).await?;
            let Some(row) = row.filter(|row| row.finished_at.is_none()) else { return Ok(()) };
            if let Some(told) = told {
                feed.apply(txn, *told).await.map_err(platform_error)?;
            }
            let mut change = row.into_active_model();
            change.finished_at = Set(Some(app.clock.now()));
            change.update(txn).await?;
            Ok(())
        })
    }))
}

/// The bytes of a reception.
async fn content(app: &App, key: &DataKey, row: &interface_reception::Model) -> Result<Bytes> {
    match &row.sealed_content {
        Some(_) => Ok(open_reception(key, row)?.into()),
        None => files::read(app, row.organization_id, row.blob_id).await,
    }
}

/// Reads a reception.
async fn read(
    app: &App,
    key: &DataKey,
    reception: &interface_reception::Model,
    connection: Option<&inbound_connection::Model>,
) -> Result<Read, StepError> {
    let content = content(app, key, reception).await.map_err(platform_error)?;
    let (kind, content_type) = (reception.kind, reception.content_type.clone());
    let name = connection.map(|row| row.name.clone()).unwrap_or_default();
    let read = super::reading(content.len(), move || match kind {
        ConnectionKind::Mllp | ConnectionKind::Folder => of_hl7(&content, name),
        ConnectionKind::Xdr => of_request(&content_type, &content, name).map(Box::new).map(Read::Documents),
    });
    // It was parsed successfully before it was acknowledged.
    let read = read.await.map_err(platform_error)?;
    read.ok_or_else(|| StepError::failed("The stored message can no longer be read."))
}

async fn arrival(
    app: &App,
    key: DataKey,
    reception: &interface_reception::Model,
    (connection, mut brought): (Option<inbound_connection::Model>, Brought),
    workflow_id: Uuid,
) -> Result<Arrival, StepError> {
    let organization_id = reception.organization_id;
    if !reception.recipients.is_empty() {
        brought.to_address.clone_from(&reception.recipients);
    }
    let default_type = connection.as_ref().map(|row| row.document_type.as_str()).unwrap_or_default();
    let (new_files, by_documents) =
        store_files(app, &key, organization_id, brought.files, default_type).await?;
    let by_system: Vec<Patient> = brought.patients.into_iter().map(patient_of).collect();
    let names_somebody = by_system.iter().any(is_somebody);
    let whose = Whose::of(by_system, by_documents);
    let is_vouched = names_somebody && whose.doubt.is_none();
    let patient = named_for(app, organization_id, whose.patient).await.map_err(platform_error)?;
    let mut summary = Summary {
        subject: brought.subject,
        document_type: new_files.iter().find_map(|file| file.meta.document_type.clone()).unwrap_or_default(),
        ..Summary::default()
    }
    .of_patient(patient.as_ref());
    let is_of_prescriptions = connection.as_ref().is_some_and(|row| row.is_prescription_network);
    let origin = is_of_prescriptions.then(|| PRESCRIPTION_NETWORK.to_owned());
    let mut content = Content { patient, origin, is_vouched, ..Content::default() };
    let patient_doubt = whose.doubt.as_ref().map(|doubt| doubt.kind);
    if let Some(doubt) = whose.doubt {
        doubt.note(&mut summary, &mut content);
    }
    let came = NewIntake {
        id: Uuid::now_v7(),
        organization_id,
        source_type: SourceType::Interface,
        workflow_id,
        at: reception.received_at,
    };
    let message = row::Model {
        from_address: brought.from_address,
        from_name: brought.from_name,
        to_address: brought.to_address,
        // Dates in the future are wrong.
        message_date: brought.sent_at.unwrap_or(reception.received_at).min(reception.received_at),
        assigned_to: assignee(app, organization_id, connection.and_then(|row| row.assigned_to)).await?,
        attachment_count: new_files.len() as i32,
        patient_doubt,
        ..came.row(&key, &summary, &content).map_err(platform_error)?
    };
    let files = new_files
        .into_iter()
        .enumerate()
        .map(|(position, file)| files::row(&key, &message, position as i32, file, message.received_at));
    let files = files.collect::<Result<Vec<_>>>().map_err(platform_error)?;
    app.blobs.sync().await.map_err(|e| StepError::again(e.to_string()))?;
    Ok(Arrival { key, message, summary, files })
}

/// The default reviewer, if that person works in the organization; rules may choose somebody else.
async fn assignee(app: &App, organization_id: Uuid, wanted: Option<Uuid>) -> Result<Option<Uuid>, StepError> {
    let Some(id) = wanted else { return Ok(None) };
    let there = at_work(app.store.db(), organization_id, &[id]).await.map_err(platform_error)?;
    Ok(there.contains(&id).then_some(id))
}

/// An HL7 v2 message.
fn of_hl7(frame: &Bytes, connection: String) -> Option<Read> {
    let read = Message::read(frame).ok()?;
    let header = message::Header::read(&read).0;
    match header.subject? {
        Subject::Event(_) => {
            let told = Told::read(&read).ok()?;
            Some(Read::Event((!header.is_test).then(|| told.into())))
        }
        Subject::Documents => {
            documents_of(frame, &read, &header, connection).map(Box::new).map(Read::Documents)
        }
    }
}

/// The documents of an HL7 v2 message. One with values is also stored as a file, for other systems.
fn documents_of(
    frame: &Bytes,
    read: &Message,
    header: &message::Header,
    connection: String,
) -> Option<Brought> {
    let mut content = message::Content::read(read).ok()?;
    if content.has_values {
        content.files.push(File {
            name: "Result.hl7".into(),
            media_type: Kind::Hl7.mime_type().into(),
            title: content.title.clone(),
            created: content.files.first().and_then(|file| file.created),
            confidentiality: content.files.first().and_then(|file| file.confidentiality),
            content: frame.clone(),
        });
    }
    let before = [if header.is_test { "Test" } else { "" }, content.change];
    let subject =
        before.into_iter().filter(|word| !word.is_empty()).fold(String::new(), |all, word| all + word + ": ");
    let sender = [&header.sending_facility.shown, &header.sending_application.shown];
    let sender = sender.into_iter().filter(|name| !name.is_empty()).map(String::as_str).collect::<Vec<_>>();
    Some(Brought {
        subject: subject + &content.title,
        from_name: connection,
        from_address: plain(&sender.join(" / ")),
        to_address: plain(&header.receiving_facility.shown),
        sent_at: content.sent_at,
        patients: vec![content.patient],
        files: content.files,
    })
}

fn of_request(content_type: &str, body: &Bytes, connection: String) -> Option<Brought> {
    let provided = provide::read(content_type, body).1.ok()?;
    Some(Brought {
        subject: provided.title,
        from_name: if provided.author.is_empty() { connection } else { provided.author },
        from_address: plain(&provided.from.unwrap_or_default()),
        to_address: String::new(),
        sent_at: None,
        patients: provided.patients,
        files: provided.files,
    })
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(TEXT_LIMIT).collect()
}

fn patient_of(person: Person) -> Patient {
    let text = |text: String| Some(plain(&text)).filter(|text| !text.trim().is_empty());
    let short = |text: String, most: usize| text.chars().take(most).collect::<String>();
    let Person { ids, family, given, middle, born, sex, street, city, state, postal_code, phone, visit } =
        person;
    let gender = match &*sex {
        "" => None,
        sex @ ("M" | "F") => Some(sex.to_owned()),
        _ => Some("UN".into()),
    };
    let identifier = |(id, root): &(String, String)| PatientIdentifier { root: plain(root), id: plain(id) };
    patients::rules::tidy(Patient {
        patient_id: ids.first().and_then(|(id, _)| text(id.clone())),
        patient_ids: ids.iter().map(identifier).collect(),
        first_name: text(given),
        middle_name: text(middle),
        last_name: text(family),
        birth_date: born,
        gender,
        street_address1: text(street),
        city: text(city),
        state: text(short(state, 50)),
        postal_code: text(short(postal_code, 20)),
        telephone: text(short(phone, 50)),
        visit_id: text(visit),
        // Not read from messages of interfaces.
        street_address2: None,
        country: None,
        visit_date: None,
        known_patient_id: None,
        integration_meta: None,
    })
}

/// Stores the files and their metadata, and returns the patients of the structured documents.
async fn store_files(
    app: &App,
    key: &DataKey,
    organization_id: Uuid,
    all: Vec<File>,
    default_type: &str,
) -> Result<(Vec<NewFile>, Vec<Patient>), StepError> {
    let (mut stored, mut patients) = (Vec::with_capacity(all.len()), Vec::new());
    for file in all {
        let kind = documents::kind_of(&file.name, &file.content);
        let said_outside = file.confidentiality.unwrap_or_default();
        let meta = if kind == Kind::Cda {
            let converter = app.mail_converter.of(organization_id);
            let said = described(&converter, Input::bytes(kind, file.content.clone())).await;
            let (meta, of_document) = said.map_err(|e| StepError::again(e.to_string()))?;
            patients.extend(of_document);
            // The stricter confidentiality of document and message applies.
            AttachmentMeta { confidentiality: meta.confidentiality.max(Some(said_outside)), ..meta }
        } else {
            let named = Some(file.title.as_str()).filter(|title| *title != "Document");
            let document_type = named.or(Some(default_type)).filter(|name| !name.is_empty());
            AttachmentMeta {
                document_type: document_type.map(str::to_owned),
                document_date: file.created,
                document_date_type: file.created.map(|_| DocumentDateType::Selected),
                confidentiality: Some(said_outside),
                ..AttachmentMeta::default()
            }
        };
        let blob = app.blobs.put(key, organization_id, Uuid::now_v7(), file.content).await;
        let blob = blob.map_err(|e| StepError::again(e.to_string()))?;
        let mime_type = if kind == Kind::Unknown { plain(&file.media_type) } else { kind.mime_type().into() };
        stored.push(NewFile { name: file.name, kind, mime_type, blob, meta, problem: None });
    }
    Ok((stored, patients))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_or_a_replacement_says_so_in_its_subject() {
        let subject = |event: &str, processing: &str| {
            let text = format!(
                "MSH|^~\\&|LAB|North|CP|Lark|1||MDM^{event}|1|{processing}|2.5\rPID|||7^^^&1.2&ISO||Tenney^Marisol\r\
                 TXA|1|CN^Consultation note\rOBX|1|TX|||Seen today"
            );
            let Some(Read::Documents(brought)) = of_hl7(&Bytes::from(text), "North lab".into()) else {
                panic!("a message with documents")
            };
            (brought.subject, brought.from_name, brought.from_address)
        };
        let said = |subject: &str| (subject.to_owned(), "North lab".to_owned(), "North / LAB".to_owned());
        assert_eq!(subject("T02", "P"), said("Consultation note"));
        assert_eq!(subject("T10", "T"), said("Test: Replacement: Consultation note"));
    }

    #[test]
    fn a_patient_is_kept_as_forms_have_one() {
        let person = Person {
            ids: vec![("7".into(), "1.2".into()), ("8".into(), String::new())],
            family: "Tenney".into(),
            given: "Marisol".into(),
            sex: "A".into(),
            ..Person::default()
        };
        let patient = patient_of(person);
        assert_eq!(patient.display_name(), "Tenney, Marisol");
        assert_eq!((patient.patient_id.as_deref(), patient.gender.as_deref()), (Some("7"), Some("UN")));
        assert_eq!(patient.patient_ids.len(), 1, "without a realm it is no identifier");
    }
}
