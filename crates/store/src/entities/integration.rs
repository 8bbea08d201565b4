//! A connection of an organization to an outside system that holds its patients' charts.

use super::integration_grant::Integration;
use sea_orm::{FromJsonQueryResult, Iterable, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A connection of an organization to an outside system that holds its patients' charts.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "integration")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub kind: IntegrationType,
    pub name: String,
    pub is_enabled: bool,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: ConnectionSettings,
    /// Private key (PKCS#8) with which the connection signs in, sealed with the organization's key.
    pub sealed_key: Vec<u8>,
    pub key_id: String,
    pub key_made_at: DateTimeUtc,
    /// Previous private key, still published until the next one.
    pub sealed_former_key: Option<Vec<u8>>,
    /// Token with which a web service is called, sealed with the organization's key.
    pub sealed_secret: Option<Vec<u8>>,
    /// What the outside system offered when it was last asked; none before.
    #[sea_orm(column_type = "JsonBinary", nullable)]
    pub offers: Option<Offered>,
    /// Time of the last successful answer.
    pub answered_at: Option<DateTimeUtc>,
    /// Duration of that call.
    pub answer_milliseconds: Option<i32>,
    /// Start of continuous failure.
    pub failing_since: Option<DateTimeUtc>,
    /// Number of failures since then.
    pub failures: i32,
    /// What failed, as a sentence without patient data.
    #[sea_orm(column_type = "Text")]
    pub problem: String,
    /// What to do about it.
    #[sea_orm(column_type = "Text")]
    pub remedy: String,
    /// No calls before this time, after repeated failures.
    pub retry_at: Option<DateTimeUtc>,
    /// Number of times that the cached lists were cleared.
    pub cache_epoch: i32,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
    /// Number of changes by people.
    pub version: i32,
}

/// Kind of outside system.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum IntegrationType {
    /// An EHR with FHIR R4 (US Core).
    Fhir,
    /// An EHR with HL7 v2: it reports its patients and visits (ADT, SIU, ORM), and gets documents as messages.
    Hl7,
    /// A system that gets documents in JSON over https, such as one for referrals or document processing.
    WebService,
}

impl IntegrationType {
    /// The kind of entry of the operators' whitelist that allows it.
    pub fn grant(self) -> Integration {
        match self {
            Self::Fhir => Integration::Fhir,
            Self::Hl7 => Integration::Hl7,
            Self::WebService => Integration::WebService,
        }
    }
}

/// How a connection signs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = IntegrationAuthentication)]
pub enum Authentication {
    /// No sign-in.
    Open,
    /// As a system, with a key pair (SMART Backend Services).
    #[default]
    KeyPair,
    /// Each person signs in at the EHR (authorization code with PKCE).
    Person,
}

/// What a connection can do.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, EnumIter,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationCapability)]
pub enum Capability {
    PatientLookup,
    PatientDetailsLookup,
    VisitLookup,
    OrderLookup,
    ReviewerLookup,
    ReviewerGroupLookup,
    FacilityLookup,
    DocumentTypeLookup,
    /// Filing documents into charts.
    DocumentUpload,
    PatientCreate,
    /// Getting documents that are in no chart.
    DocumentSend,
}

impl Capability {
    /// What an EHR can offer.
    pub fn of_ehrs() -> impl Iterator<Item = Self> {
        Self::iter().filter(|own| *own != Self::DocumentSend)
    }
}

/// Kind of HL7 v2 message that carries a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = IntegrationMessageKind)]
pub enum MessageKind {
    /// MDM^T02: a document notification with its content.
    #[default]
    Mdm,
    /// ORU^R01: a result.
    Oru,
}

/// Settings of a connection by HL7 v2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = IntegrationMessageSettings)]
pub struct MessageSettings {
    pub kind: MessageKind,
    /// Recipient named in messages (MSH-5); empty for none.
    #[schema(max_length = 180)]
    pub receiving_application: String,
    /// Facility named in messages (MSH-6); empty for none.
    #[schema(max_length = 180)]
    pub receiving_facility: String,
    /// Certificate that the EHR has to show, or of the authority that issued it, as PEM. Empty for the authorities
    /// that this machine trusts.
    #[schema(max_length = 20000)]
    pub certificate: String,
}

/// Settings of a connection, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(rename_all = "camelCase", default)]
pub struct ConnectionSettings {
    /// Base URL of the FHIR server, without a trailing slash; `mllps://host:port` or `mllp://host:port` of an EHR with
    /// HL7 v2, empty if it gets no documents; the address of a web service.
    pub base_url: String,
    pub authentication: Authentication,
    pub client_id: String,
    /// Scopes that are asked for, separated by spaces; empty for the usual ones.
    pub scopes: String,
    /// Capabilities that the organization does not use.
    pub unused: Vec<Capability>,
    /// Whether a search for patients needs a facility.
    pub requires_facility: bool,
    /// Whether a document needs one of the EHR's document types.
    pub requires_document_type: bool,
    /// Description of filed documents, with `{type}`, `{date}`, `{from}` and `{subject}`.
    pub description_template: String,
    /// Address of a patient's chart for people, with `{patient}`; empty if there is none.
    pub chart_url: String,
    /// For HL7 v2.
    pub messages: MessageSettings,
    /// JSON that a web service gets, with placeholders; empty for the usual one.
    pub body_template: String,
}

/// What an outside system offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(rename_all = "camelCase", default)]
pub struct Offered {
    /// Name and version of its software.
    pub software: String,
    pub fhir_version: String,
    pub capabilities: Vec<Capability>,
}

impl Model {
    /// What the connection may do: what is offered and not switched off.
    pub fn capabilities(&self) -> impl Iterator<Item = Capability> + '_ {
        let offered = self.offers.iter().flat_map(|offers| offers.capabilities.iter().copied());
        offered.filter(|capability| !self.settings.unused.contains(capability))
    }

    pub fn can(&self, capability: Capability) -> bool {
        self.is_enabled && self.capabilities().any(|own| own == capability)
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
