//! A file of a message as the API shows it.

use super::held;
use crate::{
    files::kind_of,
    model::{AttachmentMeta, PreviewState},
    sealed::{open_meta, open_name},
};
use chrono::{DateTime, Utc};
use documents::Kind;
use platform::Result;
use serde::Serialize;
use store::{
    entities::attachment::{self, ScanState},
    keys::DataKey,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// A file of a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    pub id: Uuid,
    pub message_id: Uuid,
    pub file_name: String,
    pub mime_type: String,
    /// Notice about a file whose content does not match its name.
    pub name_note: Option<String>,
    pub size_in_bytes: i64,
    pub preview_available: PreviewState,
    pub is_preview_available: bool,
    /// Why there is no preview, or what is missing in it.
    pub preview_error: Option<String>,
    /// Result of the malware scan. A file that is Waiting or Infected cannot be opened.
    pub scan_status: ScanState,
    /// The scanner's name for the finding.
    pub scan_finding: Option<String>,
    /// `Pending` while a conversion runs, `Failed` after a failed one.
    pub transform_status: Option<&'static str>,
    /// Why the last conversion failed.
    pub transform_error: Option<String>,
    /// Whether it was converted and can be restored.
    pub is_restorable: bool,
    pub page_count: Option<i32>,
    /// hl7, ccd, cda and xml files: their metadata is read from the file and read-only.
    pub is_structured: bool,
    /// A C-CDA or another CDA document, with HTML page and outline.
    pub is_clinical_document: bool,
    /// Whether it may contain documents that can be opened: a mail, a zip, an HL7 v2 message, FHIR.
    pub has_parts: bool,
    /// Whether it can be converted to PDF.
    pub is_convertible: bool,
    pub created_date: DateTime<Utc>,
    pub attachment_meta: AttachmentMeta,
}

pub fn attachment_view(key: &DataKey, row: attachment::Model) -> Result<AttachmentView> {
    // A closed file has no preview either.
    let preview = match row.scan_state {
        ScanState::Waiting => PreviewState::Processing,
        ScanState::Infected => PreviewState::Failed,
        ScanState::NotScanned | ScanState::Clean | ScanState::Released => row.preview_state,
    };
    let quarantined = held::words(row.scan_state, row.scan_finding.as_deref())
        .filter(|_| row.scan_state == ScanState::Infected);
    let kind = kind_of(&row);
    let transform_status =
        row.transform.as_ref().map(|t| if t.failure.is_some() { "Failed" } else { "Pending" });
    let file_name = open_name(key, &row)?;
    Ok(AttachmentView {
        name_note: documents::name_note(&file_name, kind),
        file_name,
        attachment_meta: open_meta(key, &row)?,
        id: row.id,
        message_id: row.message_id,
        mime_type: row.mime_type,
        size_in_bytes: row.size_bytes,
        preview_available: preview,
        is_preview_available: preview == PreviewState::Available,
        preview_error: quarantined.or(row.preview_error),
        scan_status: row.scan_state,
        scan_finding: row.scan_finding,
        transform_status,
        transform_error: row.transform.and_then(|transform| transform.failure),
        is_restorable: row.is_converted,
        page_count: row.page_count,
        is_structured: kind.structured(),
        is_clinical_document: kind == Kind::Cda,
        has_parts: kind.has_parts(),
        is_convertible: kind.printable(),
        created_date: row.created_at,
    })
}
