//! A rule that sends messages for an address to an interface of the recipient instead of its Direct mailbox.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A rule that sends messages for an address to an interface of the recipient instead of its Direct mailbox.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "routing_rule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub address: String,
    /// Like `delivery.address_key`.
    #[sea_orm(unique)]
    pub address_key: String,
    pub step_type: RoutingStep,
    pub security_type: RoutingSecurity,
    /// Empty for the default certificate.
    pub custom_certificate_name: String,
    pub convert_to_format: Option<RoutingFormat>,
    pub location_code: Option<LocationCode>,
    pub facility_oid: String,
    pub key_hie_address: String,
    pub created_at: DateTimeUtc,
    pub version: i32,
}

/// How a message reaches an endpoint. Over a VPN means in a configured network.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
#[schema(as = RoutingStepType)]
pub enum RoutingStep {
    /// HL7 v2 over MLLP.
    SendAsHL7Step = 0,
    /// ITI-41 to a KeyHIE repository, for the recipient in `keyHieAddress`.
    SendToKeyhieStep = 1,
    /// ITI-41 to a repository.
    SendAsIti41Step = 2,
    /// XDR with the Direct address block and full metadata.
    SendAsXdrStep = 3,
    /// XDR with the Direct address block and minimal metadata.
    SendAsXdrMinimalStep = 4,
    /// Each document in a separate POST.
    SendToWebServiceStep = 5,
    /// All documents with their details in one JSON object.
    SendToJsonWebServiceStep = 6,
    SendAsHL7OverVpnStep = 7,
    SendToKeyhieOverVpnStep = 8,
    SendAsIti41OverVpnStep = 9,
    SendAsXdrOverVpnStep = 10,
    SendToWebServiceOverVpnStep = 11,
    SendToJsonWebServiceOverVpnStep = 12,
}

/// Protocol of a [`RoutingStep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Mllp,
    /// ITI-41 without the Direct address block.
    Iti41,
    Xdr {
        is_minimal: bool,
    },
    WebService {
        is_json: bool,
    },
}

impl RoutingStep {
    pub fn transport(self) -> Transport {
        match self {
            Self::SendAsHL7Step | Self::SendAsHL7OverVpnStep => Transport::Mllp,
            Self::SendToKeyhieStep
            | Self::SendToKeyhieOverVpnStep
            | Self::SendAsIti41Step
            | Self::SendAsIti41OverVpnStep => Transport::Iti41,
            Self::SendAsXdrStep | Self::SendAsXdrOverVpnStep => Transport::Xdr { is_minimal: false },
            Self::SendAsXdrMinimalStep => Transport::Xdr { is_minimal: true },
            Self::SendToWebServiceStep | Self::SendToWebServiceOverVpnStep => {
                Transport::WebService { is_json: false }
            }
            Self::SendToJsonWebServiceStep | Self::SendToJsonWebServiceOverVpnStep => {
                Transport::WebService { is_json: true }
            }
        }
    }

    /// Whether its endpoints are in a configured VPN network.
    pub fn is_over_vpn(self) -> bool {
        matches!(
            self,
            Self::SendAsHL7OverVpnStep
                | Self::SendToKeyhieOverVpnStep
                | Self::SendAsIti41OverVpnStep
                | Self::SendAsXdrOverVpnStep
                | Self::SendToWebServiceOverVpnStep
                | Self::SendToJsonWebServiceOverVpnStep
        )
    }

    /// Whether it is for KeyHIE, which has several recipients behind one repository.
    pub fn is_keyhie(self) -> bool {
        matches!(self, Self::SendToKeyhieStep | Self::SendToKeyhieOverVpnStep)
    }
}

/// Security of a connection.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[schema(as = RoutingSecurityType)]
pub enum RoutingSecurity {
    /// No TLS; over a VPN only.
    #[sea_orm(string_value = "None")]
    None,
    /// TLS; the endpoint must show the named certificate, if any.
    #[sea_orm(string_value = "Certificate")]
    Certificate,
    /// TLS with our client certificate.
    #[sea_orm(string_value = "MutualTLS")]
    #[serde(rename = "MutualTLS")]
    MutualTls,
    /// Like `MutualTLS`, with a signed SAML assertion in each SOAP request.
    #[sea_orm(string_value = "SAML")]
    #[serde(rename = "SAML")]
    Saml,
}

/// Conversion of documents.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = RoutingConvertFormat)]
pub enum RoutingFormat {
    #[sea_orm(string_value = "CDA")]
    Cda,
    #[sea_orm(string_value = "MDM")]
    Mdm,
    #[sea_orm(string_value = "ORU")]
    Oru,
}

/// Location code at the recipient's facility.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text")]
#[serde(rename_all = "lowercase")]
#[schema(as = RoutingLocationCode)]
pub enum LocationCode {
    #[sea_orm(string_value = "rrh")]
    Rrh,
    #[sea_orm(string_value = "smh")]
    Smh,
}

impl LocationCode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Rrh => "rrh",
            Self::Smh => "smh",
        }
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
