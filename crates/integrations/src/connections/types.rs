//! Requests and answers about connections.

use chrono::{DateTime, Utc};
use platform::text::{Format, Rule};
use serde::{Deserialize, Serialize};
use store::entities::{
    chart_filing::FilingState,
    integration::{Authentication, Capability, IntegrationType},
};
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// Displayed name of a connection.
    pub ConnectionName = Rule::line(1, 100).says("Please enter a name of at most 100 characters.");
    /// An https address; http on this machine only.
    pub FhirAddress = Rule::line(1, 500).format(Format::SecureUrl)
        .says("Please enter an https address, such as https://fhir.hospital.example/r4.");
    /// As registered at the EHR.
    pub ClientId = Rule::line(0, 255);
    /// Separated by spaces.
    pub Scopes = Rule::line(0, 2_000);
    /// With `{type}`, `{date}`, `{from}` and `{subject}`.
    pub DescriptionTemplate = Rule::line(0, 255);
    /// With `{patient}`, or empty.
    pub ChartAddress = Rule::line(0, 500).pattern("|https?://[^ ]+")
        .says("Please enter a web address with {patient} in it, or nothing.");
}

/// Kind of outside system that can be connected.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationTypeView {
    pub integration_type: IntegrationType,
    pub name: &'static str,
    pub description: &'static str,
    pub authentications: Vec<Authentication>,
    /// What systems of this kind can offer.
    pub capabilities: Vec<Capability>,
    /// Whether operators allow it to the organization.
    pub is_allowed: bool,
    /// Address to which the EHR sends people back, to register there.
    pub redirect_url: String,
}

/// State of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum ConnectionState {
    /// Its last call was answered.
    Connected,
    /// Its calls fail.
    Failing,
    /// Switched off.
    Off,
    /// Operators no longer allow it to the organization.
    NotAllowed,
}

/// A connection of the organization.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationView {
    pub id: Uuid,
    pub integration_type: IntegrationType,
    pub name: String,
    pub is_active: bool,
    pub base_url: String,
    pub authentication: Authentication,
    pub client_id: String,
    pub scopes: String,
    pub requires_facility: bool,
    pub requires_document_type: bool,
    pub description_template: String,
    pub chart_url: String,
    /// Id of the key pair with which it signs in.
    pub key_id: String,
    pub key_made_at: DateTime<Utc>,
    /// Address of the public keys, to register at the EHR.
    pub key_set_url: String,
    /// Address to which the EHR sends people back, to register there.
    pub redirect_url: String,
    /// What the EHR offered when it was last asked.
    pub offered: Vec<Capability>,
    /// Capabilities that the organization does not use.
    pub unused: Vec<Capability>,
    /// Name and version of the EHR's software.
    pub software: String,
    pub state: ConnectionState,
    /// Start of continuous failure.
    pub failing_since: Option<DateTime<Utc>>,
    /// What failed.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
    /// Time of the next try; until then, calls are refused at once.
    pub next_try_at: Option<DateTime<Utc>>,
    pub answered_at: Option<DateTime<Utc>>,
    pub answer_milliseconds: Option<i32>,
    /// Documents on their way to the chart.
    pub waiting: u64,
    /// Documents that could not be filed.
    pub failed: u64,
    /// Documents filed in the last 7 days.
    pub filed_last_week: u64,
    /// Send it back when saving.
    pub version: i32,
}

/// A connection to test or save.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationForm {
    /// Absent for a new one.
    pub id: Option<Uuid>,
    pub integration_type: IntegrationType,
    pub name: ConnectionName,
    pub is_active: bool,
    pub base_url: FhirAddress,
    pub authentication: Authentication,
    #[serde(default)]
    pub client_id: ClientId,
    #[serde(default)]
    pub scopes: Scopes,
    #[serde(default)]
    pub unused: Vec<Capability>,
    #[serde(default)]
    pub requires_facility: bool,
    #[serde(default)]
    pub requires_document_type: bool,
    #[serde(default)]
    pub description_template: DescriptionTemplate,
    #[serde(default)]
    pub chart_url: ChartAddress,
    /// A new key pair; the former one stays published until the next.
    #[serde(default)]
    pub new_key: bool,
    /// The version that was read. Not needed for a new one.
    pub version: Option<i32>,
}

/// Part of a connection test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum TestStep {
    /// The name has an address that may be called.
    Name,
    /// An encrypted connection.
    Tls,
    /// A token of the EHR.
    SignIn,
    /// One harmless read.
    Read,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum TestOutcome {
    Passed,
    Failed,
    /// A step before it failed.
    NotReached,
    /// This connection does not need it.
    NotNeeded,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestStepView {
    pub step: TestStep,
    pub outcome: TestOutcome,
    pub milliseconds: Option<u64>,
    /// What was found, or what failed.
    pub detail: String,
}

/// Outcome of a connection test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectivityReport {
    pub is_connected: bool,
    pub steps: Vec<TestStepView>,
    /// What to do, if a step failed.
    pub remedy: String,
    /// The field of the form that mends it.
    pub field: Option<&'static str>,
    pub offered: Vec<Capability>,
    pub software: String,
}

/// A connected kind of system, for the screens of staff.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectedType {
    pub integration_id: Uuid,
    pub integration_type: IntegrationType,
    /// Name of the connection.
    pub name: String,
    pub capabilities: Vec<Capability>,
    pub state: ConnectionState,
    pub failing_since: Option<DateTime<Utc>>,
    pub next_try_at: Option<DateTime<Utc>>,
    /// Whether the caller has to sign in there first.
    pub needs_login: bool,
    pub requires_facility: bool,
    pub requires_document_type: bool,
}

/// Lookup features of the connected systems.
#[derive(Serialize, ToSchema, Default)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    pub patient_lookup: bool,
    pub patient_details_lookup: bool,
    pub visit_lookup: bool,
    pub reviewer_lookup: bool,
    pub document_type_lookup: bool,
    pub document_upload: bool,
    pub reviewer_group_lookup: bool,
    /// Whether people sign in themselves.
    pub have_code_grant_login: bool,
}

/// Form of a public key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum KeyForm {
    /// A JSON Web Key Set (RFC 7517).
    #[default]
    KeySet,
    /// A self-signed certificate in PEM.
    Certificate,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRequest {
    pub form: KeyForm,
}

/// A kind of number by which patients are found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientKey {
    pub key: &'static str,
    pub name: &'static str,
    pub integration_type: IntegrationType,
}

/// A template for the description of filed documents.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateView {
    pub integration_id: Uuid,
    pub integration_type: IntegrationType,
    pub name: String,
    pub text: String,
}

/// Number of documents by connection and state.
pub type Counts = Vec<(Uuid, FilingState, i64)>;
