//! The pages of a fax: the cover, a sheet with details, text and list of attachments, and the documents themselves.

use super::{FILE_LIMIT, covers, numbers::queries::display, settings::FaxSettings};
use crate::{
    attachments::held,
    files::{self, kind_of},
    sealed::{Content, Summary, open_meta, open_name},
    workflows::platform_error,
};
use chrono::DateTime;
use chrono_tz::Tz;
use documents::worker::Input;
use fax::{
    FaxNumber,
    pages::{Attachment, Contents, Cover, Header, RenderError, Resolution, Sheet, render, stamp, to_pdf},
};
use platform::{App, Error, Result, interoperability::Interoperability, settings::Settings as _};
use sea_orm::EntityTrait;
use std::io;
use store::{
    entities::{attachment, brand_cover, delivery, document_source, message, organization},
    keys::DataKey,
};
use tempfile::NamedTempFile;
use uuid::Uuid;
use workflow::StepError;

const NOTICE: &str = "This fax is intended only for the person or organization named above. It may contain health \
                      information that is confidential and protected by law. If you are not the intended recipient, \
                      reading, copying or forwarding it is prohibited. If you received it by mistake, please notify \
                      the sender by telephone immediately and destroy all pages.";

/// Rendered pages in storage.
pub struct Made {
    pub blob_id: Uuid,
    pub pages: i32,
}

/// Renders and stores the pages for one recipient, or returns the reason why that is impossible.
pub async fn make(
    app: &App,
    message: &message::Model,
    delivery: &delivery::Model,
    source: &document_source::Model,
) -> Result<Result<Made, String>, StepError> {
    let again = |error: String| StepError::again(error);
    for file in files::of_message(app.store.db(), message).await.map_err(platform_error)? {
        held::require_open_in_step(app, &file)?;
    }
    let key = app.keys.data_key(message.organization_id).await.map_err(|e| again(e.to_string()))?;
    let to = To { name: delivery.name.clone(), number: display(&delivery.address_key) };
    let contents = contents(app, &key, message, to, source).await.map_err(platform_error)?;
    let file = NamedTempFile::new().map_err(|e| again(e.to_string()))?;
    let converter = app.batch_converter.of(message.organization_id);
    let pages = match render(&converter, contents, Resolution::Fine, file.path()).await {
        Ok(pages) => pages,
        Err(error @ RenderError::Document { .. }) if error.is_permanent() => {
            return Ok(Err(format!("An attachment cannot be faxed. {error}")));
        }
        Err(error) if error.is_permanent() => return Ok(Err(error.to_string())),
        Err(error) => return Err(again(error.to_string())),
    };
    let tiff = tokio::fs::read(file.path()).await.map_err(|e| again(e.to_string()))?;
    if tiff.len() as u64 > FILE_LIMIT {
        return Ok(Err("The fax is too large.".into()));
    }
    let blob_id = Uuid::now_v7();
    let put = app.blobs.put(&key, message.organization_id, blob_id, tiff.into()).await;
    put.map_err(|e| again(e.to_string()))?;
    app.blobs.sync().await.map_err(|e| again(e.to_string()))?;
    Ok(Ok(Made { blob_id, pages: i32::try_from(pages).unwrap_or(i32::MAX) }))
}

/// The pages for a recipient as PDF, without the header of a call.
pub async fn preview(
    app: &App,
    message: &message::Model,
    to: To,
    source: &document_source::Model,
) -> Result<Vec<u8>> {
    let key = app.keys.data_key(message.organization_id).await?;
    let contents = contents(app, &key, message, to, source).await?;
    let file = NamedTempFile::new().map_err(internal)?;
    let converter = app.converter.of(message.organization_id);
    render(&converter, contents, Resolution::Fine, file.path())
        .await
        .map_err(|error| Error::Conflict(error.to_string().into()))?;
    let tiff = tokio::fs::read(file.path()).await.map_err(internal)?;
    to_pdf(&converter, tiff).await.map_err(|error| Error::Conflict(error.to_string().into()))
}

fn internal(error: io::Error) -> Error {
    Error::Internal(error.to_string())
}

/// Recipient of a fax.
pub struct To {
    /// Empty if unknown.
    pub name: String,
    /// Formatted for people.
    pub number: String,
}

async fn contents(
    app: &App,
    key: &DataKey,
    message: &message::Model,
    to: To,
    source: &document_source::Model,
) -> Result<Contents> {
    let db = app.store.db();
    let organization = organization::Entity::find_by_id(message.organization_id).one(db).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    let settings = FaxSettings::of(db, organization.id).await?;
    let branded = covers::of(app, organization.brand_id).await?;
    Work { app, key, message, to, source, organization, settings, branded }.contents().await
}

struct Work<'a> {
    app: &'a App,
    key: &'a DataKey,
    message: &'a message::Model,
    to: To,
    source: &'a document_source::Model,
    organization: organization::Model,
    settings: FaxSettings,
    /// The cover of the organization's brand.
    branded: Option<brand_cover::Model>,
}

impl Work<'_> {
    async fn contents(&self) -> Result<Contents> {
        let summary = Summary::open(self.key, self.message)?;
        let content = Content::open(self.key, self.message)?;
        let options = &content.properties;
        let files = files::of_message(self.app.store.db(), self.message).await?;
        let mut sheets = Vec::new();
        let has_details = self.has_details()?;
        if has_details {
            sheets.push(self.details(&summary, &content));
        }
        // The cover page has space for the comments; without one, they are below the text.
        let text = if options.include_cover_page { content.body.clone() } else { content.text() };
        if options.include_message_body && !text.trim().is_empty() {
            // The details include the subject.
            let subject = if has_details { String::new() } else { summary.subject.clone() };
            sheets.push(Sheet::Message { subject, text });
        }
        if options.include_attachment_descriptions && !files.is_empty() {
            sheets.push(self.descriptions(&files)?);
        }
        let mut documents = Vec::new();
        for file in &files {
            let bytes = held::read(self.app, file).await?;
            documents.push(Input::bytes(kind_of(file), bytes));
        }
        Ok(Contents {
            cover: options.include_cover_page.then(|| self.cover(&summary, &content)),
            // Sheets share one page if they fit, regardless of how many were chosen.
            sheets: if sheets.is_empty() { sheets } else { vec![Sheet::Together(sheets)] },
            documents,
        })
    }

    fn has_details(&self) -> Result<bool> {
        Ok(!Interoperability::of(&self.organization)?.suppress_fax_metadata_pages)
    }

    fn local(&self) -> DateTime<Tz> {
        self.app.clock.now().with_timezone(&self.settings.zone())
    }

    fn cover(&self, summary: &Summary, content: &Content) -> Cover {
        let of = &self.organization;
        let place = [&of.city, &of.state].map(String::as_str).join(", ");
        let lines = [of.street.clone(), of.unit.clone(), format!("{place} {}", of.zip), of.phone.clone()];
        Cover {
            brand: of.name.clone(),
            logo: self.branded.as_ref().and_then(|b| b.logo.clone()),
            address: lines.into_iter().filter(|l| !l.trim_matches([' ', ',']).is_empty()).collect(),
            to_name: self.to.name.clone(),
            to_number: self.to.number.clone(),
            from_name: self.sender(),
            from_number: display(&self.source.address),
            date: self.local().naive_local(),
            pages: 0,
            // People who pass the machine can read the cover sheet, so it does not name the patient.
            subject: summary.document_type.clone(),
            comments: content.comments.clone().unwrap_or_default(),
            notice: self.notice().into(),
        }
    }

    fn notice(&self) -> &str {
        self.branded.as_ref().map(|b| b.notice.as_str()).filter(|text| !text.is_empty()).unwrap_or(NOTICE)
    }

    fn sender(&self) -> String {
        let name = self.source.display_name.trim();
        let of = self.organization.name.as_str();
        if name.is_empty() { of.to_owned() } else { format!("{of}, {name}") }
    }

    fn details(&self, summary: &Summary, content: &Content) -> Sheet {
        let patient = content.patient.as_ref();
        let born = patient.and_then(|p| p.birth_date).map(|d| d.format("%m/%d/%Y").to_string());
        let rows = [
            ("Sender", self.sender()),
            ("From", display(&self.source.address)),
            ("To", self.to.number.clone()),
            ("Date", self.local().format("%m/%d/%Y %I:%M %p").to_string()),
            ("Subject", summary.subject.clone()),
            ("Release type", content.release_type.clone().unwrap_or_default()),
            ("Document type", summary.document_type.clone()),
            ("Patient", summary.patient_name.clone()),
            ("Birth date", born.unwrap_or_default()),
            ("Patient ID", patient.and_then(|p| p.patient_id.clone()).unwrap_or_default()),
            ("Message", self.message.id.to_string()),
        ];
        let rows = rows.into_iter().map(|(label, value)| (label.to_owned(), value)).collect();
        Sheet::Details { title: "Message details".into(), rows }
    }

    fn descriptions(&self, files: &[attachment::Model]) -> Result<Sheet> {
        let list = files.iter().map(|file| {
            let meta = open_meta(self.key, file)?;
            let said = [meta.document_type, meta.document_description].into_iter().flatten();
            Ok(Attachment {
                name: open_name(self.key, file)?,
                description: said.filter(|s| !s.is_empty()).collect::<Vec<_>>().join(": "),
                pages: None,
            })
        });
        Ok(Sheet::Attachments(list.collect::<Result<_>>()?))
    }
}

/// The pages with the header of a call on each, in a file that is deleted with its handle.
pub async fn stamped(
    tiff: Vec<u8>,
    sender: String,
    from: FaxNumber,
    time: DateTime<Tz>,
) -> Result<NamedTempFile, StepError> {
    let header = Header { sender, number: from.display(), time: time.naive_local() };
    let made = tokio::task::spawn_blocking(move || {
        let (plain, file) = (NamedTempFile::new()?, NamedTempFile::new()?);
        std::fs::write(plain.path(), tiff)?;
        stamp(plain.path(), &header, file.path())?;
        Ok::<_, RenderError>(file)
    });
    let again = |error: String| StepError::again(error);
    made.await.map_err(|e| again(e.to_string()))?.map_err(|e| again(e.to_string()))
}
