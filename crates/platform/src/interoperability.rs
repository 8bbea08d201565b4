//! How an organization exports, faxes and files documents, as it is kept in its settings.

use crate::{audit::event, settings::Settings, text::Rule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

crate::text! {
    /// Who assigns record numbers: an OID, or a name as it stands in PID-3.4.
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

/// What a saved document is: the file as it came, or a clinical document (XDS-SD) around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ExportOption {
    #[default]
    #[serde(rename = "standard")]
    Standard,
    #[serde(rename = "xds-sd_cda")]
    XdsSdCda,
}

/// Whether all documents are saved into one folder, or into one for each patient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportDirectoryType {
    #[default]
    SingleDirectory,
    PatientFolder,
}

/// Whether documents without a patient or type may be processed, where they may be filed without one at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gaps {
    /// After a person has confirmed it.
    #[default]
    Ask,
    Refuse,
}

/// How the organization exports, faxes and files documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Interoperability {
    #[schema(required = true)]
    pub export_mode: ExportMode,
    #[schema(required = true)]
    pub export_option: ExportOption,
    #[schema(required = true)]
    pub export_directory_type: ExportDirectoryType,
    /// A folder for each visit within that of the patient.
    #[schema(required = true)]
    pub export_visit_directory: bool,
    /// Documents may be processed without a patient and a document type.
    #[schema(required = true)]
    pub non_patient_export: bool,
    #[schema(required = true)]
    pub gaps: Gaps,
    /// New faxes begin without cover page and message.
    #[schema(required = true)]
    pub suppress_default_fax_cover_sheet: bool,
    /// Faxes have no page of details about patient and documents.
    #[schema(required = true)]
    pub suppress_fax_metadata_pages: bool,
    /// What became of a sent message can be downloaded as a PDF.
    #[schema(required = true)]
    pub delivery_summary_enable_download: bool,
    /// An assignment of a message of the Intake comes back after so many hours; never when absent.
    pub return_assignments_after_hours: Option<u16>,
    /// A patient read from a document is taken over from the known patient who it certainly is, without being asked.
    #[schema(required = true)]
    pub link_certain_patients: bool,
    /// Whose record numbers are the organization's own: OIDs, or the names that HL7 v2 gives assigning authorities. Where there
    /// are any, a number of another authority is no record number here.
    #[schema(required = true, max_items = 10)]
    pub record_number_authorities: Vec<RecordNumberAuthority>,
    /// Counts the changes. To be sent back with one.
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
