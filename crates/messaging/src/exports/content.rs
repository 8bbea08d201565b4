//! The files of one message in the export form.

use super::names;
use crate::{
    attachments::{
        form::{Form, media_type},
        held, opening,
        preview::sentence,
    },
    files::{self, FILE_LIMIT, kind_of},
    model::{AttachmentMeta, Patient},
    sealed::{Content, Summary, open_meta, open_name},
    workflows::platform_error,
};
use bytes::Bytes;
use documents::{Kind, kind::extension, worker::Input};
use platform::{App, Error, Member, Result, error::RESTRICTED};
use sea_orm::EntityTrait;
use store::{
    entities::{
        attachment,
        export_task::{self, ExportForm},
        message, organization,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::StepError;

/// Result of exporting a message. An unusable file does not exclude the others.
#[derive(Default)]
pub struct Outcome {
    pub files: Vec<Made>,
    /// Omitted files with reasons: sentences for people.
    pub left_out: Vec<String>,
}

impl Outcome {
    /// A message with nothing to export.
    pub fn nothing(reason: impl Into<String>) -> Self {
        Self { files: Vec::new(), left_out: vec![reason.into()] }
    }

    fn add(&mut self, file: std::result::Result<Made, String>) {
        match file {
            Ok(file) => self.files.push(file),
            Err(reason) => self.left_out.push(reason),
        }
    }
}

/// A file in storage.
pub struct Made {
    pub path: String,
    pub mime_type: String,
    pub blob_id: Uuid,
    pub size: i64,
    /// Pages of a printed file.
    pub pages: i32,
}

/// Creates the files of a message: its attachments or, without any, its text.
pub async fn make(
    app: &App,
    member: &Member,
    key: &DataKey,
    task: &export_task::Model,
    message: &message::Model,
) -> std::result::Result<Outcome, StepError> {
    let attachments = files::of_message(app.store.db(), message).await.map_err(platform_error)?;
    let making = Making::begin(app, key, task, message).await.map_err(platform_error)?;
    let mut outcome = Outcome::default();
    if attachments.is_empty() {
        outcome.add(making.words().await?);
    }
    for file in &attachments {
        if opening::permit(member, key, file).is_err() {
            let name = open_name(key, file).map_err(platform_error)?;
            outcome.left_out.push(format!("{name}: {RESTRICTED}"));
        } else {
            outcome.add(making.file(file).await?);
        }
    }
    Ok(outcome)
}

struct Making<'a> {
    app: &'a App,
    key: &'a DataKey,
    task: &'a export_task::Model,
    message: &'a message::Model,
    organization: organization::Model,
    content: Content,
    subject: String,
}

/// A file, or a sentence that says why there is none.
type OneOutcome = std::result::Result<std::result::Result<Made, String>, StepError>;

impl<'a> Making<'a> {
    async fn begin(
        app: &'a App,
        key: &'a DataKey,
        task: &'a export_task::Model,
        message: &'a message::Model,
    ) -> Result<Self> {
        let organization =
            organization::Entity::find_by_id(message.organization_id).one(app.store.db()).await?;
        Ok(Self {
            organization: organization.ok_or(Error::NotFound)?,
            content: Content::open(key, message)?,
            subject: Summary::open(key, message)?.subject,
            app,
            key,
            task,
            message,
        })
    }

    async fn file(&self, file: &attachment::Model) -> OneOutcome {
        let name = open_name(self.key, file).map_err(platform_error)?;
        if let Some(words) = held::words(file.scan_state, file.scan_finding.as_deref()) {
            return Ok(Err(format!("{name}: {words}")));
        }
        let meta = open_meta(self.key, file).map_err(platform_error)?;
        let patient = meta.patient.as_ref().or(self.content.patient.as_ref());
        let kind = kind_of(file);
        match self.task.form {
            ExportForm::NativeExport => Ok(Ok(self.original(file, &name, patient))),
            ExportForm::PDFExport | ExportForm::Printed => {
                let shown = if kind == Kind::Pdf { Some(file.blob_id) } else { file.pdf_blob_id };
                self.pdf_of(file.blob_id, shown, kind, &name, patient).await
            }
            ExportForm::StructuredExport if kind.structured() => Ok(Ok(self.original(file, &name, patient))),
            ExportForm::StructuredExport => {
                let bytes = self.read(file.blob_id).await?;
                self.document(file.id, &name, &meta, kind, bytes, patient).await
            }
        }
    }

    /// The text of a message without files.
    async fn words(&self) -> OneOutcome {
        let text = self.content.text();
        if text.trim().is_empty() {
            return Ok(Err("The message is empty.".into()));
        }
        let name = format!("{}.txt", self.subject);
        let patient = self.content.patient.as_ref();
        let bytes = Bytes::from(text);
        match self.task.form {
            ExportForm::NativeExport => self.stored(bytes, &name, Kind::Text, 0, patient).await,
            ExportForm::PDFExport | ExportForm::Printed => {
                match self.converted(Kind::Text, bytes, &name).await? {
                    Ok(pdf) => self.counted(None, pdf, &name, patient).await,
                    Err(problem) => Ok(Err(problem)),
                }
            }
            ExportForm::StructuredExport => {
                let meta = AttachmentMeta::default();
                self.document(self.message.id, &name, &meta, Kind::Text, bytes, patient).await
            }
        }
    }

    fn original(&self, file: &attachment::Model, name: &str, patient: Option<&Patient>) -> Made {
        let extension = extension(name).unwrap_or_else(|| kind_of(file).extension().into());
        Made {
            path: self.path(name, &extension, patient),
            mime_type: file.mime_type.clone(),
            blob_id: file.blob_id,
            size: file.size_bytes,
            pages: 0,
        }
    }

    /// The existing PDF preview of a file, or a new one.
    async fn pdf_of(
        &self,
        blob_id: Uuid,
        shown: Option<Uuid>,
        kind: Kind,
        name: &str,
        patient: Option<&Patient>,
    ) -> OneOutcome {
        if let Some(shown) = shown {
            let pdf = self.read(shown).await?;
            return self.counted(Some(shown), pdf, name, patient).await;
        }
        let bytes = self.read(blob_id).await?;
        match self.converted(kind, bytes, name).await? {
            Ok(pdf) => self.counted(None, pdf, name, patient).await,
            Err(problem) => Ok(Err(problem)),
        }
    }

    async fn converted(
        &self,
        kind: Kind,
        bytes: Bytes,
        name: &str,
    ) -> std::result::Result<std::result::Result<Bytes, String>, StepError> {
        if !kind.previewable() {
            return Ok(Err(format!("{name}: files of this type cannot be converted.")));
        }
        let converter = self.app.batch_converter.of(self.message.organization_id);
        match converter.to_pdf_to_keep(Input::bytes(kind, bytes), self.app.clock.now().naive_utc()).await {
            Ok(pdf) => Ok(Ok(pdf.into())),
            Err(error) if error.is_permanent() => Ok(Err(format!("{name}: {}", sentence(&error)))),
            Err(error) => Err(StepError::again(error.to_string())),
        }
    }

    /// A PDF, with its number of pages for printing.
    async fn counted(
        &self,
        stored: Option<Uuid>,
        pdf: Bytes,
        name: &str,
        patient: Option<&Patient>,
    ) -> OneOutcome {
        let mut pages = 0;
        if self.task.form == ExportForm::Printed {
            let converter = self.app.batch_converter.of(self.message.organization_id);
            match converter.page_count(Input::bytes(Kind::Pdf, pdf.clone())).await {
                Ok(count) => pages = i32::try_from(count).unwrap_or(i32::MAX),
                Err(error) if error.is_permanent() => {
                    return Ok(Err(format!("{name}: {}", sentence(&error))));
                }
                Err(error) => return Err(StepError::again(error.to_string())),
            }
        }
        let Some(blob_id) = stored else { return self.stored(pdf, name, Kind::Pdf, pages, patient).await };
        Ok(Ok(Made {
            path: self.path(name, "pdf", patient),
            mime_type: Kind::Pdf.mime_type().into(),
            blob_id,
            size: pdf.len() as i64,
            pages,
        }))
    }

    /// A clinical document around a file, or around its PDF if its own media type is not allowed there.
    async fn document(
        &self,
        id: Uuid,
        name: &str,
        meta: &AttachmentMeta,
        kind: Kind,
        bytes: Bytes,
        patient: Option<&Patient>,
    ) -> OneOutcome {
        let (media_type, bytes) = match media_type(kind) {
            Some(media_type) => (media_type, bytes),
            None => match self.converted(kind, bytes, name).await? {
                Ok(pdf) => (Kind::Pdf.mime_type(), pdf),
                Err(problem) => return Ok(Err(problem)),
            },
        };
        let form = Form {
            app: self.app,
            key: self.key,
            message: self.message,
            organization: &self.organization,
            patient: self.content.patient.clone(),
        };
        let document = Bytes::from(form.wrap(id, name, meta, media_type, &bytes));
        if document.len() as u64 > 2 * FILE_LIMIT {
            return Ok(Err(format!("{name}: the document would be larger than 40 MB.")));
        }
        self.stored(document, name, Kind::Cda, 0, patient).await
    }

    async fn stored(
        &self,
        bytes: Bytes,
        name: &str,
        kind: Kind,
        pages: i32,
        patient: Option<&Patient>,
    ) -> OneOutcome {
        let blob = files::store_bytes(self.app, self.message.organization_id, bytes).await;
        let blob = blob.map_err(platform_error)?;
        Ok(Ok(Made {
            path: self.path(name, kind.extension(), patient),
            mime_type: kind.mime_type().into(),
            blob_id: blob.id,
            size: blob.size as i64,
            pages,
        }))
    }

    async fn read(&self, blob_id: Uuid) -> std::result::Result<Bytes, StepError> {
        files::read(self.app, self.message.organization_id, blob_id).await.map_err(platform_error)
    }

    fn path(&self, name: &str, extension: &str, patient: Option<&Patient>) -> String {
        let stamp = names::stamped(&self.task.brand, self.task.form, self.task.created_at);
        names::folder(self.task.layout, patient) + &names::file_name(&stamp, name, extension)
    }
}
