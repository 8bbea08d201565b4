//! Reads patients from files in the background: requested once, then polled.

use super::{held, opening};
use crate::{
    files::{self, find_in, kind_of},
    matching::{
        link,
        whose::{self, Doubt, Whose},
    },
    messages::{
        patients,
        queries::{announce, lock},
    },
    model::{Patient, PatientIdentifier},
    workflows::{EXTRACTION, conversion_policy, platform_error},
};
use accounts::profile::features;
use bytes::Bytes;
use documents::{
    Kind,
    extract::{self, ExtractedPatient, Named},
    worker::{ConvertError, Converter, Input},
};
use platform::{App, Error, Member, Result, bus::Event};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, sea_query::OnConflict,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::Duration,
};
use store::{
    Transaction,
    entities::{
        attachment, message,
        patient_extraction::{self, ExtractionState},
    },
    keys::DataKey,
};
use tokio::time::Instant;
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// The only step of the workflow for a request by a person.
pub const EXTRACT: StepType = StepType::new("ExtractPatient", Lane::Conversion);
/// The only step of the workflow for arriving documents, in a lane of its own so that people with an open document do
/// not wait for it.
pub const READ: StepType = StepType::new("ReadPatient", Lane::Reading);

/// A patient field that is read from documents.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReadField {
    FirstName,
    MiddleName,
    LastName,
    BirthDate,
    Gender,
    /// The sender's number of the patient.
    PatientIds,
    StreetAddress1,
    City,
    State,
    PostalCode,
    Telephone,
}

/// A rectangle on a displayed page: fractions of width and height, 0 to 1, from the top left corner.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct PageBox {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

/// Position of a value in the document.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadMark {
    pub field: ReadField,
    /// Counted from 1.
    pub page: u32,
    #[serde(rename = "box")]
    pub area: PageBox,
    /// Confidence of the reading, 0 to 1.
    pub confidence: f32,
}

impl From<extract::Mark> for ReadMark {
    fn from(mark: extract::Mark) -> Self {
        let field = match mark.field {
            extract::Field::FirstName => ReadField::FirstName,
            extract::Field::MiddleName => ReadField::MiddleName,
            extract::Field::LastName => ReadField::LastName,
            extract::Field::BirthDate => ReadField::BirthDate,
            extract::Field::Gender => ReadField::Gender,
            extract::Field::Identifier => ReadField::PatientIds,
            extract::Field::Street => ReadField::StreetAddress1,
            extract::Field::City => ReadField::City,
            extract::Field::State => ReadField::State,
            extract::Field::PostalCode => ReadField::PostalCode,
            extract::Field::Telephone => ReadField::Telephone,
        };
        let extract::Mark { page, area, confidence, .. } = mark;
        let area = PageBox { left: area.left, top: area.top, width: area.width, height: area.height };
        Self { field, page, area, confidence }
    }
}

/// A patient named by a document, and where.
#[derive(Default, Serialize, Deserialize)]
pub struct ReadPatient {
    #[serde(flatten)]
    pub patient: Patient,
    #[serde(default)]
    pub marks: Vec<ReadMark>,
    /// Counted from 1.
    #[serde(default)]
    pub page: Option<u32>,
    /// Everybody whom a page names.
    #[serde(default)]
    pub on_pages: Vec<Patient>,
    /// Whether everything was read. Unread pages may be about somebody else.
    #[serde(default)]
    pub is_whole: bool,
}

/// Progress of reading a patient.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractedPatientView {
    pub status: ExtractionState,
    /// Null while the status is Processing, and if the file could not be read.
    pub patient: Option<Patient>,
    /// Positions of the values on the pages of the file, where known.
    pub marks: Vec<ReadMark>,
    /// The page with the patient, counted from 1; null for files without pages.
    pub page: Option<u32>,
}

/// Starts reading a patient, unless that is running or done for the present content of the file.
pub async fn request(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<ExtractedPatientView> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    lock(&txn, member, message_id).await?;
    let file = find_in(&txn, member, message_id, id).await?;
    opening::permit(member, &key, &file)?;
    held::require_open(&file)?;
    let asked = patient_extraction::Entity::find_by_id(id).one(&txn).await?;
    if let Some(asked) = asked.filter(|row| row.blob_id == file.blob_id) {
        // A failed reading may be repeated.
        if asked.state == ExtractionState::Processing || asked.sealed_patient.is_some() {
            return view(&key, &asked);
        }
    }
    let row = begin(app, &txn, &file, EXTRACT).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    view(&key, &row)
}

/// The feature of an organization that allows reading patients.
const FEATURE: &str = "PatientExtractionAPI";

/// Reads a document that arrived or was added to a draft, so that its patient is listed and compared with the patient
/// chosen by a person.
pub async fn on_arrival(app: &App, txn: &Transaction, file: &attachment::Model) -> Result<()> {
    match step_for(app, txn, file).await? {
        Some(step) => begin(app, txn, file, step).await.map(|_| ()),
        None => Ok(()),
    }
}

/// The step that reads a new file, if any. Documents with structured patient fields need neither the feature nor a
/// lane.
async fn step_for(
    app: &App,
    db: &impl ConnectionTrait,
    file: &attachment::Model,
) -> Result<Option<StepType>> {
    match kind_of(file) {
        Kind::Cda | Kind::Hl7 => Ok(Some(EXTRACT)),
        Kind::Pdf | Kind::Tiff | Kind::Jpeg | Kind::Png if app.config.workers.reading > 0 => {
            let features = features::enabled(db, file.organization_id).await?;
            Ok(features.contains(FEATURE).then_some(READ))
        }
        _ => Ok(None),
    }
}

/// Copies the reading of a file to a copy of the file.
pub async fn copy(txn: &Transaction, key: &DataKey, from: Uuid, to: Uuid) -> Result<()> {
    let Some(known) = patient_extraction::Entity::find_by_id(from).one(txn).await? else { return Ok(()) };
    let Some(sealed) = &known.sealed_patient else { return Ok(()) };
    let read: ReadPatient = key.open_json(&context(from), sealed)?;
    let sealed_patient = Some(key.seal_json(&context(to), &read)?);
    write(txn, patient_extraction::Model { attachment_id: to, sealed_patient, ..known }).await
}

/// How long sending waits for new documents to be read. Slower documents are sent unread.
const READING_TIME: Duration = Duration::from_secs(10);

/// Reads the unread files of a draft.
pub async fn read_now(app: &App, member: &Member, draft: &message::Model) -> Result<()> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let until = Instant::now() + READING_TIME;
    for file in files::of_message(db, draft).await? {
        let known = patient_extraction::Entity::find_by_id(file.id).one(db).await?;
        let is_known = known.is_some_and(|row| row.blob_id == file.blob_id && row.sealed_patient.is_some());
        if is_known || file.scan_state.is_held() || step_for(app, db, &file).await?.is_none() {
            continue;
        }
        let bytes = held::read(app, &file).await?;
        let converter = app.converter.of(member.organization_id);
        let reading = read_patient(&converter, kind_of(&file), bytes);
        if let Ok(Ok((mut read, _))) = tokio::time::timeout_at(until, reading).await {
            read.patient = patients::of_organization(app, file.organization_id, read.patient).await?;
            let sealed_patient = Some(key.seal_json(&context(file.id), &read)?);
            let state = ExtractionState::Completed;
            write(db, patient_extraction::Model { sealed_patient, ..row(&file, state) }).await?;
        }
    }
    Ok(())
}

fn row(file: &attachment::Model, state: ExtractionState) -> patient_extraction::Model {
    patient_extraction::Model { attachment_id: file.id, blob_id: file.blob_id, state, sealed_patient: None }
}

async fn write(db: &impl ConnectionTrait, row: patient_extraction::Model) -> Result<()> {
    let columns = [
        patient_extraction::Column::BlobId,
        patient_extraction::Column::State,
        patient_extraction::Column::SealedPatient,
    ];
    let instead =
        OnConflict::column(patient_extraction::Column::AttachmentId).update_columns(columns).to_owned();
    let insert = patient_extraction::Entity::insert(row.into_active_model()).on_conflict(instead);
    insert.exec_without_returning(db).await?;
    Ok(())
}

async fn begin(
    app: &App,
    txn: &Transaction,
    file: &attachment::Model,
    step: StepType,
) -> Result<patient_extraction::Model> {
    let row = row(file, ExtractionState::Processing);
    write(txn, row.clone()).await?;
    let now = app.clock.now();
    let job = NewWorkflow {
        organization_id: file.organization_id,
        kind: EXTRACTION.into(),
        object_id: file.id,
        steps: vec![NewStep::new(0, step, now)],
    };
    workflow::enqueue(txn, now, job).await?;
    Ok(row)
}

/// Readings by file, without files that are not read yet or unreadable.
pub async fn read_of(
    db: &impl ConnectionTrait,
    key: &DataKey,
    files: &[&attachment::Model],
) -> Result<HashMap<Uuid, ReadPatient>> {
    if files.is_empty() {
        return Ok(HashMap::new());
    }
    let ids = files.iter().map(|file| file.id);
    let of_files = patient_extraction::Column::AttachmentId.is_in(ids);
    let rows = patient_extraction::Entity::find().filter(of_files).all(db).await?;
    let mut found = HashMap::new();
    for row in rows {
        let is_current = files.iter().any(|f| f.id == row.attachment_id && f.blob_id == row.blob_id);
        if let Some(sealed) = row.sealed_patient.as_ref().filter(|_| is_current) {
            found.insert(row.attachment_id, key.open_json(&context(row.attachment_id), sealed)?);
        }
    }
    Ok(found)
}

/// Progress of a reading.
///
/// # Errors
///
/// Not found unless it was requested.
pub async fn state(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<ExtractedPatientView> {
    let file = files::find(app, member, message_id, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    opening::permit(member, &key, &file)?;
    let row = patient_extraction::Entity::find_by_id(id).one(app.store.db()).await?;
    let row = row.filter(|row| row.blob_id == file.blob_id).ok_or(Error::NotFound)?;
    view(&key, &row)
}

fn view(key: &DataKey, row: &patient_extraction::Model) -> Result<ExtractedPatientView> {
    let (patient, marks, page) = match &row.sealed_patient {
        Some(sealed) => {
            let read: ReadPatient = key.open_json(&context(row.attachment_id), sealed)?;
            (Some(read.patient), read.marks, read.page)
        }
        None => (None, Vec::new(), None),
    };
    Ok(ExtractedPatientView { status: row.state, patient, marks, page })
}

/// The patient that a file names, if it was read in its present content.
pub fn named_patient(
    key: &DataKey,
    file: &attachment::Model,
    row: &patient_extraction::Model,
) -> Result<Option<Patient>> {
    let sealed = row.sealed_patient.as_ref().filter(|_| row.blob_id == file.blob_id);
    let read = sealed.map(|sealed| key.open_json::<ReadPatient>(&context(file.id), sealed)).transpose()?;
    Ok(read.map(|read| read.patient))
}

fn context(id: Uuid) -> String {
    format!("patient_extraction.patient:{id}")
}

/// Reads one file.
pub struct ExtractPatient(pub App);

#[async_trait::async_trait]
impl Step for ExtractPatient {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.0;
        let found = attachment::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(file) = found.filter(|row| row.deleted_at.is_none()) else { return Ok(Done::skipped()) };
        let bytes = held::read_in_step(app, &file).await?;
        let again = |error: store::keys::KeyError| platform_error(error.into());
        let key = app.keys.data_key(file.organization_id).await.map_err(again)?;
        let read = match read_patient(&app.converter.of(file.organization_id), kind_of(&file), bytes).await {
            Ok((mut read, doubt)) => {
                let own = patients::of_organization(app, file.organization_id, read.patient).await;
                read.patient = own.map_err(platform_error)?;
                Some((read, doubt))
            }
            Err(error) if error.is_permanent() => None,
            Err(error) => return Err(StepError::again(error.to_string())),
        };
        let (read, doubt) = read.map_or((None, None), |(read, doubt)| (Some(read), doubt));
        let sealed = read.as_ref().map(|patient| key.seal_json(&context(file.id), patient)).transpose();
        let sealed = sealed.map_err(again)?;
        let known = match &read {
            Some(read) => link::certain(app, &key, file.organization_id, file.message_id, &read.patient)
                .await
                .map_err(platform_error)?,
            None => None,
        };
        let message = message::Entity::find_by_id(file.message_id).one(app.store.db()).await?;
        let (writer, teller) = (app.clone(), app.clone());
        let changed = Arc::new(OnceLock::new());
        let told = changed.clone();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let is_current = complete(txn, file.id, Some(file.blob_id), sealed).await?;
                if let Some(doubt) = doubt.filter(|_| is_current) {
                    let row =
                        whose::write(txn, &key, file.message_id, doubt).await.map_err(platform_error)?;
                    row.into_iter().for_each(|row| drop(changed.set(row)));
                    return Ok(());
                }
                if let Some(known) = known.filter(|_| is_current) {
                    let row = link::take(&writer, txn, &key, file.message_id, known).await;
                    if let Some(row) = row.map_err(platform_error)? {
                        let _ = changed.set(row);
                    }
                }
                Ok(())
            })
        });
        Ok(done.then(async move {
            // Everyone with the list or the message open sees the result.
            if let Some(row) = told.get().or(message.as_ref()) {
                announce(&teller, row).await;
            }
        }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), sea_orm::DbErr> {
        complete(txn, cx.object_id(), None, None).await.map(|_| ())
    }
}

/// Stores the result, unless a reading of other content was requested meanwhile. Returns whether it was stored.
async fn complete(
    txn: &Transaction,
    id: Uuid,
    of: Option<Uuid>,
    sealed_patient: Option<Vec<u8>>,
) -> Result<bool, sea_orm::DbErr> {
    let row = patient_extraction::Entity::find_by_id(id).one(txn).await?;
    let row =
        row.filter(|row| row.state == ExtractionState::Processing && of.is_none_or(|b| b == row.blob_id));
    let Some(row) = row else { return Ok(false) };
    let mut change = row.into_active_model();
    change.state = Set(ExtractionState::Completed);
    change.sealed_patient = Set(sealed_patient);
    change.update(txn).await.map(|_| true)
}

/// The patient of a file: complete from a C-CDA, or read from the text of another file. For a package with several
/// patients: none, and a doubt.
pub async fn read_patient(
    converter: &Converter,
    kind: Kind,
    bytes: Bytes,
) -> Result<(ReadPatient, Option<Doubt>), ConvertError> {
    if kind == Kind::Cda {
        let outline = converter.cda_outline(Input::bytes(kind, bytes)).await?;
        let patient = outline.patient.map(patients::of_document).unwrap_or_default();
        return Ok((ReadPatient { patient, is_whole: true, ..ReadPatient::default() }, None));
    }
    let mut found = converter.patient(Input::bytes(kind, bytes)).await?;
    let Named { by_metadata, by_documents } = std::mem::take(&mut found.named);
    let [said, own] =
        [by_metadata, by_documents].map(|all| all.into_iter().map(|one| named(one).patient).collect());
    if let Some(doubt) = Whose::of(said, own).doubt {
        return Ok((ReadPatient::default(), Some(doubt)));
    }
    Ok((named(found), None))
}

fn named(found: ExtractedPatient) -> ReadPatient {
    let ExtractedPatient {
        first_name,
        middle_name,
        last_name,
        birth_date,
        gender,
        identifier,
        street,
        city,
        state,
        postal_code,
        telephone,
        named: _,
        page,
        marks,
        pages,
    } = found;
    // Documents do not say which organization issued a printed number.
    let identifier = identifier.map(|id| PatientIdentifier { root: String::new(), id });
    let patient = Patient {
        patient_id: None,
        first_name,
        middle_name,
        last_name,
        birth_date,
        gender: gender.map(|g| g.code().to_owned()),
        street_address1: street,
        street_address2: None,
        city,
        state,
        postal_code,
        country: None,
        telephone,
        visit_id: None,
        visit_date: None,
        patient_ids: identifier.into_iter().collect(),
        known_patient_id: None,
        integration_meta: None,
    };
    let marks = marks.into_iter().map(ReadMark::from).collect();
    let on_pages = pages.patients.into_iter().map(|one| named(one).patient).collect();
    ReadPatient { patient, marks, page, on_pages, is_whole: pages.are_read }
}
