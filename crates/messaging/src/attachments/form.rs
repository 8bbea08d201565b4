//! The files of a message in the form chosen by the sender.

use crate::{
    attachments::held,
    files::kind_of,
    messages::patients::{for_document, identifier, telecom},
    model::{AttachmentMeta, Conversion, Patient},
    sealed::{open_meta, open_name},
    workflows::platform_error,
};
use ::direct::mime::Attachment;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use clinical::cda::{self, Address, Encounter, InstanceId, Organization, Timestamp, Wrapped};
use documents::{Kind, worker::Input};
use platform::App;
use store::{
    entities::{attachment, message, organization},
    keys::DataKey,
};
use uuid::Uuid;
use workflow::StepError;

/// OID of National Provider Identifiers.
const NPI: &str = "2.16.840.1.113883.4.6";

/// Data that determines the form of a message's files.
pub struct Form<'a> {
    pub app: &'a App,
    pub key: &'a DataKey,
    pub message: &'a message::Model,
    pub organization: &'a organization::Model,
    /// The patient of the message.
    pub patient: Option<Patient>,
}

impl Form<'_> {
    /// A file as it is sent: unchanged, or as PDF or inside a C-CDA if the sender chose so and it is possible.
    pub async fn attach(&self, file: &attachment::Model) -> Result<Attachment, StepError> {
        let name = open_name(self.key, file).map_err(platform_error)?;
        let (bytes, kind) = (held::read_in_step(self.app, file).await?, kind_of(file));
        match self.message.conversion {
            Some(Conversion::Pdf) if kind != Kind::Pdf && kind.printable() => {
                Ok(part(with_extension(&name, "pdf"), "application/pdf", self.pdf(kind, bytes).await?))
            }
            Some(Conversion::Cda) if !kind.structured() => self.document(file, name, kind, bytes).await,
            _ => Ok(part(name, &file.mime_type, bytes)),
        }
    }

    async fn pdf(&self, kind: Kind, bytes: Bytes) -> Result<Bytes, StepError> {
        let converter = self.app.mail_converter.of(self.message.organization_id);
        match converter.to_pdf_to_keep(Input::bytes(kind, bytes), self.app.clock.now().naive_utc()).await {
            Ok(pdf) => Ok(pdf.into()),
            Err(error) if error.is_permanent() => {
                Err(StepError::failed("An attachment cannot be converted to PDF."))
            }
            Err(error) => Err(StepError::again(error.to_string())),
        }
    }

    /// The file inside a C-CDA document. An image type that C-CDA does not allow is converted to PDF; other such files
    /// stay unchanged.
    async fn document(
        &self,
        file: &attachment::Model,
        name: String,
        kind: Kind,
        bytes: Bytes,
    ) -> Result<Attachment, StepError> {
        let (media_type, content) = match media_type(kind) {
            Some(media_type) => (media_type, bytes),
            None if kind.printable() => ("application/pdf", self.pdf(kind, bytes).await?),
            None => return Ok(part(name, &file.mime_type, bytes)),
        };
        let meta = open_meta(self.key, file).map_err(platform_error)?;
        let document = self.wrap(file.id, &name, &meta, media_type, &content);
        Ok(part(with_extension(&name, "xml"), Kind::Cda.mime_type(), document.into()))
    }

    /// An Unstructured Document around the content of a file. The document has the id of the file.
    pub fn wrap(
        &self,
        id: Uuid,
        name: &str,
        meta: &AttachmentMeta,
        media_type: &'static str,
        content: &[u8],
    ) -> Vec<u8> {
        let patient = meta.patient.as_ref().or(self.patient.as_ref()).cloned().unwrap_or_default();
        let visit = self.visit(&patient);
        cda::wrap(&Wrapped {
            id: InstanceId { root: id.to_string(), ..InstanceId::default() },
            title: meta.document_type.as_deref().unwrap_or(name),
            effective_time: meta
                .document_date
                .and_then(day)
                .unwrap_or_else(|| moment(self.message.message_date)),
            confidentiality: meta.confidentiality.unwrap_or_default(),
            patient: &for_document(patient, self.organization.id),
            encounter: visit.as_ref(),
            software: "Carepost",
            wrapped_at: moment(self.message.message_date),
            custodian: &custodian(self.organization),
            media_type,
            content,
        })
    }

    fn visit(&self, patient: &Patient) -> Option<Encounter> {
        let realm = self.organization.id.to_string();
        let ids: Vec<_> = patient.visit_id.iter().map(|id| identifier(realm.clone(), id.clone())).collect();
        let from = patient.visit_date.and_then(day);
        (from.is_some() || !ids.is_empty()).then(|| Encounter { ids, from, ..Encounter::default() })
    }
}

/// Media types that every receiver of an Unstructured Document supports (C-CDA R2.1, Supported File Formats). Word and
/// RTF are also in that list, but excluded here: readers have no program that opens them inside a document.
pub fn media_type(kind: Kind) -> Option<&'static str> {
    matches!(kind, Kind::Pdf | Kind::Tiff | Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Text)
        .then(|| kind.mime_type())
}

fn custodian(organization: &organization::Model) -> Organization {
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let realm = InstanceId { root: organization.id.to_string(), ..InstanceId::default() };
    let address = Address {
        lines: [&organization.street, &organization.unit]
            .into_iter()
            .filter_map(|line| given(line))
            .collect(),
        city: given(&organization.city),
        state: given(&organization.state),
        postal_code: given(&organization.zip),
        country: None,
    };
    Organization {
        ids: vec![given(&organization.npi).map_or(realm, |npi| identifier(NPI.into(), npi))],
        name: given(&organization.name),
        address: Some(address).filter(|address| *address != Address::default()),
        telecoms: given(&organization.phone).iter().map(|phone| telecom(phone, "WP")).collect(),
    }
}

fn day(day: NaiveDate) -> Option<Timestamp> {
    Timestamp::new(&day.format("%Y%m%d").to_string())
}

fn moment(time: DateTime<Utc>) -> Timestamp {
    Timestamp::new(&time.format("%Y%m%d%H%M%S+0000").to_string()).expect("begins with a year")
}

pub fn with_extension(name: &str, extension: &str) -> String {
    format!("{}.{extension}", name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

fn part(name: String, content_type: &str, content: Bytes) -> Attachment {
    Attachment { file_name: Some(name), content_type: content_type.into(), content_id: None, content }
}
