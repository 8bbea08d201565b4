//! `/api/admin/organizations/{id}/qhin`: an organization's participation in TEFCA through a Qualified Health
//! Information Network.

use accounts::organization::find_open;
use axum::{Json, extract::State};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    audit::{Actor, event},
    fields::FieldErrors,
    http::{Body, Id},
    settings::{self, Settings},
    text::{Line, ObjectIdentifier},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(qhin, save_qhin))
}

const NAME_MISSING: &str = "Please enter the name of the QHIN.";
const OID_MISSING: &str = "Please enter the home community ID under which the organization takes part.";
const NOT_SECURE: &str = "Please enter an https address.";

/// An organization's participation in a Qualified Health Information Network.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Qhin {
    #[schema(required = true)]
    pub participates: bool,
    /// Name of the network.
    #[schema(required = true)]
    pub qhin_name: String,
    /// An object identifier.
    #[schema(required = true)]
    pub home_community_id: String,
    /// Address for patient discovery (ITI-55).
    #[schema(required = true)]
    pub patient_discovery_url: String,
    /// Address for document queries (ITI-38).
    #[schema(required = true)]
    pub document_query_url: String,
    /// Address for document retrieval (ITI-39).
    #[schema(required = true)]
    pub document_retrieve_url: String,
    /// Number of changes. Send it back with a change.
    #[schema(required = true)]
    pub version: i32,
}

impl Settings for Qhin {
    const MEMBER: &'static str = "qhin";
    const EVENT: &'static str = event::CHANGED;

    fn version(&mut self) -> &mut i32 {
        &mut self.version
    }
}

/// The complete settings. Missing texts are empty.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QhinForm {
    pub participates: bool,
    #[serde(default)]
    pub qhin_name: Line,
    #[serde(default)]
    pub home_community_id: ObjectIdentifier,
    #[serde(default)]
    pub patient_discovery_url: Line,
    #[serde(default)]
    pub document_query_url: Line,
    #[serde(default)]
    pub document_retrieve_url: Line,
    /// Version of the settings that were read. A change without the current one is refused.
    pub version: Option<i32>,
}

/// The values of a form, or all its errors.
fn checked(form: QhinForm) -> Result<Qhin> {
    let mut errors = FieldErrors::default();
    errors.require(!form.participates || !form.qhin_name.is_empty(), "qhinName", NAME_MISSING);
    errors.require(!form.participates || !form.home_community_id.is_empty(), "homeCommunityId", OID_MISSING);
    for (field, url) in [
        ("patientDiscoveryUrl", &form.patient_discovery_url),
        ("documentQueryUrl", &form.document_query_url),
        ("documentRetrieveUrl", &form.document_retrieve_url),
    ] {
        errors.require(url.is_empty() || platform::fields::is_secure_url(url), field, NOT_SECURE);
    }
    errors.check()?;
    Ok(Qhin {
        participates: form.participates,
        qhin_name: form.qhin_name.into(),
        home_community_id: form.home_community_id.into(),
        patient_discovery_url: form.patient_discovery_url.into(),
        document_query_url: form.document_query_url.into(),
        document_retrieve_url: form.document_retrieve_url.into(),
        version: 0,
    })
}

/// An organization's participation in a Qualified Health Information Network
#[utoipa::path(get, path = "/api/admin/organizations/{id}/qhin", operation_id = "qhin", tag = "organizations",
    params(("id" = Uuid, Path)), responses((status = 200, body = Qhin)))]
async fn qhin(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Qhin>> {
    Ok(Json(Qhin::of(&find_open(app.store.db(), id).await?)?))
}

/// Saves an organization's participation in a Qualified Health Information Network
#[utoipa::path(put, path = "/api/admin/organizations/{id}/qhin", operation_id = "saveQhin", tag = "organizations",
    params(("id" = Uuid, Path)), request_body = QhinForm,
    responses((status = 200, body = Qhin), (status = 409, description = "Somebody else changed it")))]
async fn save_qhin(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<QhinForm>,
) -> Result<Json<Qhin>> {
    find_open(app.store.db(), id).await?;
    let version = form.version;
    let wanted = checked(form)?;
    let actor = Actor::in_organization(&caller, id);
    Ok(Json(settings::save(&app, &actor, id, version, wanted).await?))
}
