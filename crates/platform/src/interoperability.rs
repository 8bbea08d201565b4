//! Settings of an organization for export, fax and filing.

use crate::{audit::event, settings::Settings, text::Rule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

crate::text! {
    /// Assigner of record numbers: an OID, or a name as in PID-3.4.
    pub RecordNumberAuthority = Rule::line(1, 100).says("Please enter an OID or a name of at most 100 characters.");
}

/// Whether processed documents are printed or saved as files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportMode {
    Print,
    #[default]
    SaveAs,
}

/// Format of a saved document: the original file, or a clinical document (XDS-SD) around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ExportOption {
    #[default]
    #[serde(rename = "standard")]
    Standard,
    #[serde(rename = "xds-sd_cda")]
    XdsSdCda,
}

/// Whether all documents are saved in one folder, or in one per patient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportDirectoryType {
    #[default]
    SingleDirectory,
    PatientFolder,
}

/// Whether documents without a patient or type may be processed, if they may be filed without one at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gaps {
    /// After confirmation by a person.
    #[default]
    Ask,
    Refuse,
}

/// Settings for export, fax and filing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Interoperability {
    #[schema(required = true)]
    pub export_mode: ExportMode,
    #[schema(required = true)]
    pub export_option: ExportOption,
    #[schema(required = true)]
    pub export_directory_type: ExportDirectoryType,
    /// A folder for each visit within the patient's folder.
    #[schema(required = true)]
    pub export_visit_directory: bool,
    /// Whether documents may be processed without a patient and a document type.
    #[schema(required = true)]
    pub non_patient_export: bool,
    #[schema(required = true)]
    pub gaps: Gaps,
    /// Whether new faxes begin without cover page and message.
    #[schema(required = true)]
    pub suppress_default_fax_cover_sheet: bool,
    /// Whether faxes have no page with details about patient and documents.
    #[schema(required = true)]
    pub suppress_fax_metadata_pages: bool,
    /// Whether the delivery summary of a sent message can be downloaded as a PDF.
    #[schema(required = true)]
    pub delivery_summary_enable_download: bool,
    /// Hours after which an assignment of an Intake message is returned; never if absent.
    pub return_assignments_after_hours: Option<u16>,
    /// Whether a patient read from a document is automatically linked to a certain match.
    #[schema(required = true)]
    pub link_certain_patients: bool,
    /// Assigners of the organization's record numbers: OIDs, or HL7 v2 names of assigning authorities. If there are
    /// any, numbers of other authorities do not count as record numbers here.
    #[schema(required = true, max_items = 10)]
    pub record_number_authorities: Vec<RecordNumberAuthority>,
    /// Number of changes. Send it back with a change.
    #[schema(required = true)]
    pub version: i32,
}

impl Default for Interoperability {
    fn default() -> Self {
        Self {
            export_mode: ExportMode::default(),
            export_option: ExportOption::default(),
            export_directory_type: ExportDirectoryType::default(),
            export_visit_directory: false,
            non_patient_export: true,
            gaps: Gaps::default(),
            suppress_default_fax_cover_sheet: false,
            suppress_fax_metadata_pages: false,
            delivery_summary_enable_download: false,
            return_assignments_after_hours: None,
            link_certain_patients: false,
            record_number_authorities: Vec::new(),
            version: 0,
        }
    }
}

impl Settings for Interoperability {
    const MEMBER: &'static str = "interoperability";
    const EVENT: &'static str = event::CHANGED;

    fn version(&mut self) -> &mut i32 {
        &mut self.version
    }
}
