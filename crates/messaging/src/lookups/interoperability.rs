//! `/api/settings/interoperability`: how an organization exports, faxes and files documents.

use axum::{Json, extract::State};
use platform::{
    App, Manager, MemberOrOperator, Result, Role,
    access::MANAGERS,
    api::Api,
    audit::event,
    http::Body,
    settings::{self, Settings},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;

/// Staff of an organization, and operators who name it.
const READERS: &[Role] = &[Role::User, Role::Admin, Role::SysAdmin];

pub fn api() -> Api {
    Api::new().route(READERS, routes!(interoperability)).route(MANAGERS, routes!(save_interoperability))
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

/// The organization's interoperability settings
#[utoipa::path(get, path = "/api/settings/interoperability", operation_id = "interoperabilitySettings",
    tag = "lookups", params(MemberOrOperator), responses((status = 200, body = Interoperability)))]
async fn interoperability(
    State(app): State<App>,
    member: MemberOrOperator,
) -> Result<Json<Interoperability>> {
    Ok(Json(settings::find(&app, member.organization_id).await?))
}

/// All of them at once.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InteroperabilityForm {
    pub export_mode: ExportMode,
    pub export_option: ExportOption,
    pub export_directory_type: ExportDirectoryType,
    pub export_visit_directory: bool,
    pub non_patient_export: bool,
    #[serde(default)]
    pub gaps: Gaps,
    pub suppress_default_fax_cover_sheet: bool,
    pub suppress_fax_metadata_pages: bool,
    pub delivery_summary_enable_download: bool,
    /// That of the settings that were changed. A change without the current one is refused.
    pub version: Option<i32>,
}

/// Saves the organization's interoperability settings
#[utoipa::path(put, path = "/api/settings/interoperability", operation_id = "saveInteroperabilitySettings",
    tag = "lookups", params(Manager), request_body = InteroperabilityForm,
    responses((status = 200, body = Interoperability), (status = 409, description = "Somebody else changed them")))]
async fn save_interoperability(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<InteroperabilityForm>,
) -> Result<Json<Interoperability>> {
    let wanted = Interoperability {
        export_mode: form.export_mode,
        export_option: form.export_option,
        export_directory_type: form.export_directory_type,
        export_visit_directory: form.export_visit_directory,
        non_patient_export: form.non_patient_export,
        gaps: form.gaps,
        suppress_default_fax_cover_sheet: form.suppress_default_fax_cover_sheet,
        suppress_fax_metadata_pages: form.suppress_fax_metadata_pages,
        delivery_summary_enable_download: form.delivery_summary_enable_download,
        version: 0,
    };
    Ok(Json(settings::save(&app, &manager.actor(), manager.organization_id, form.version, wanted).await?))
}
