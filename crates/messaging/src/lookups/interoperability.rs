//! `/api/settings/interoperability`: settings of an organization for export, fax and filing.

use axum::{Json, extract::State};
pub use platform::interoperability::{
    ExportDirectoryType, ExportMode, ExportOption, Gaps, Interoperability, RecordNumberAuthority,
};
use platform::{
    App, Error, Manager, MemberOrOperator, Result, Role, access::MANAGERS, api::Api, http::Body, settings,
};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

/// Maximum time until an assignment expires, in hours: 30 days.
const RETURN_HOURS_MAX: u16 = 720;

/// Maximum number of authorities whose numbers are an organization's record numbers.
const AUTHORITIES_MAX: usize = 10;

/// Staff of an organization, and operators for any organization.
const READERS: &[Role] = &[Role::User, Role::Admin, Role::SysAdmin];

pub fn api() -> Api {
    Api::new().route(READERS, routes!(interoperability)).route(MANAGERS, routes!(save_interoperability))
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

/// The complete settings.
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
    /// From 1 to 720; absent for never.
    #[schema(minimum = 1, maximum = 720)]
    pub return_assignments_after_hours: Option<u16>,
    #[serde(default)]
    pub link_certain_patients: bool,
    #[serde(default)]
    #[schema(max_items = 10)]
    pub record_number_authorities: Vec<RecordNumberAuthority>,
    /// Version of the settings that were changed. A change without the current version is refused.
    pub version: Option<i32>,
}

/// Saves the organization's interoperability settings
#[utoipa::path(put, path = "/api/settings/interoperability", operation_id = "saveInteroperabilitySettings",
    tag = "lookups", params(Manager), request_body = InteroperabilityForm,
    responses((status = 200, body = Interoperability), (status = 409, description = "Changed by somebody else")))]
async fn save_interoperability(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<InteroperabilityForm>,
) -> Result<Json<Interoperability>> {
    let hours = form.return_assignments_after_hours;
    if !hours.is_none_or(|hours| (1..=RETURN_HOURS_MAX).contains(&hours)) {
        return Err(Error::field("returnAssignmentsAfterHours", "Please enter 1 to 720 hours."));
    }
    if form.record_number_authorities.len() > AUTHORITIES_MAX {
        return Err(Error::field("recordNumberAuthorities", "Please enter at most 10."));
    }
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
        return_assignments_after_hours: hours,
        link_certain_patients: form.link_certain_patients,
        record_number_authorities: form.record_number_authorities,
        version: 0,
    };
    Ok(Json(settings::save(&app, &manager.actor(), manager.organization_id, form.version, wanted).await?))
}
