//! Requests and answers about connections.

use chrono::{DateTime, Utc};
use platform::text::{Format, Rule};
use serde::{Deserialize, Serialize};
use store::entities::{
    chart_filing::FilingState,
    integration::{Authentication, Capability, IntegrationType, MessageKind, MessageSettings},
};
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// Displayed name of a connection.
    pub ConnectionName = Rule::line(1, 100).says("Please enter a name of at most 100 characters.");
    /// An address of the kind of system: https for FHIR and web services, http on this machine only; `mllps` or, in a
    /// private network, `mllp` for HL7 v2, or empty.
    pub SystemAddress = Rule::line(0, 500);
    /// Name in messages.
    pub MessageParty = Rule::line(0, 180);
    /// Certificate as PEM, or empty.
    pub CertificateText = Rule::lines(0, 20_000);
    /// JSON with placeholders, or empty.
    pub BodyTemplate = Rule::lines(0, 20_000);
    /// A token, or empty to keep the present one.
    pub ServiceSecret = Rule::line(0, 2_000).format(Format::Secret);
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
    /// JSON that a web service gets without a template of its own; empty for other kinds.
    pub body_template: &'static str,
    /// Placeholders of that template.
    pub placeholders: Vec<&'static str>,
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
    /// For HL7 v2.
    pub messages: MessageSettings,
    /// JSON that a web service gets, with placeholders.
    pub body_template: String,
    /// Whether a web service is called with a token.
    pub has_secret: bool,
    /// Time of the last message about patients or visits, for HL7 v2.
    pub told_at: Option<DateTime<Utc>>,
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
    pub base_url: SystemAddress,
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
    /// For HL7 v2.
    #[serde(default)]
    pub messages: MessageForm,
    /// JSON that a web service gets; empty for the usual one.
    #[serde(default)]
    pub body_template: BodyTemplate,
    /// Token with which a web service is called (`Authorization: Bearer`); empty keeps the present one, unless the
    /// address changes.
    #[serde(default)]
    pub secret: ServiceSecret,
    /// Removes the present token.
    #[serde(default)]
    pub forgets_secret: bool,
    /// A new key pair; the former one stays published until the next.
    #[serde(default)]
    pub new_key: bool,
    /// The version that was read. Not needed for a new one.
    pub version: Option<i32>,
}

/// Settings of a connection by HL7 v2.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = IntegrationMessageForm)]
pub struct MessageForm {
    pub kind: MessageKind,
    /// MSH-5.
    pub receiving_application: MessageParty,
    /// MSH-6.
    pub receiving_facility: MessageParty,
    /// Certificate that the EHR has to show, or of the authority that issued it.
    pub certificate: CertificateText,
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
    /// Address of a patient's chart for people, with `{patient}`; empty if there is none.
    pub chart_url: String,
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
