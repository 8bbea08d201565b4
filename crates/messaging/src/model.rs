//! What messages are made of, as stored and as sent over the API.

use chrono::NaiveDate;
use sea_orm::Iterable;
use serde::{Deserialize, Serialize};
pub use store::entities::{
    attachment::PreviewState,
    delivery::{DeliveryKind, DeliveryState, RecipientRole},
    document_source::{SourceKind, SourceStatus},
    message::{Conversion, Direction, SourceType, Status},
};
use utoipa::ToSchema;

/// The member of an enum with this name, whatever its case.
pub fn named<T: Iterable + ToString>(name: &str) -> Option<T> {
    T::iter().find(|member| member.to_string().eq_ignore_ascii_case(name))
}

/// A patient as forms and documents give one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Patient {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub patient_id: Option<String>,
    #[schema(max_length = 255)]
    pub first_name: Option<String>,
    #[schema(max_length = 255)]
    pub middle_name: Option<String>,
    #[schema(max_length = 255)]
    pub last_name: Option<String>,
    pub birth_date: Option<NaiveDate>,
    /// M, F or UN; male, female and undifferentiated are taken too.
    #[schema(max_length = 20)]
    pub gender: Option<String>,
    #[schema(max_length = 255)]
    pub street_address1: Option<String>,
    #[schema(max_length = 255)]
    pub street_address2: Option<String>,
    #[schema(max_length = 255)]
    pub city: Option<String>,
    /// Two letters.
    #[schema(max_length = 50)]
    pub state: Option<String>,
    #[schema(max_length = 20)]
    pub postal_code: Option<String>,
    #[schema(max_length = 50)]
    pub telephone: Option<String>,
    #[schema(max_length = 255)]
    pub visit_id: Option<String>,
    pub visit_date: Option<NaiveDate>,
    #[schema(max_length = 100)]
    pub country: Option<String>,
    pub patient_ids: Vec<PatientIdentifier>,
}

impl Patient {
    /// `Last, First M`; empty when no name is known.
    pub fn display_name(&self) -> String {
        let given =
            [&self.first_name, &self.middle_name].map(|n| n.as_deref().unwrap_or("").trim()).join(" ");
        match (self.last_name.as_deref().unwrap_or("").trim(), given.trim()) {
            ("", given) => given.to_owned(),
            (last, "") => last.to_owned(),
            (last, given) => format!("{last}, {given}"),
        }
    }
}

/// An identifier of a patient in the realm of `root` (an OID).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PatientIdentifier {
    #[schema(max_length = 255)]
    pub root: String,
    #[schema(max_length = 255)]
    pub id: String,
}

/// What people say about an attached file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachmentMeta {
    pub document_type: Option<String>,
    pub document_date: Option<NaiveDate>,
    /// today, message or selected.
    pub document_date_type: Option<String>,
    /// Normal, Restricted or VeryRestricted.
    pub confidentiality: Option<String>,
    /// At most 255 characters.
    pub document_description: Option<String>,
    #[schema(inline = false)]
    pub patient: Option<Patient>,
    /// Number of changes; set by the server.
    #[schema(read_only)]
    pub version: u32,
}

impl AttachmentMeta {
    /// Only people with the permission may open it.
    pub fn is_restricted(&self) -> bool {
        matches!(self.confidentiality.as_deref(), Some("Restricted" | "VeryRestricted"))
    }
}

/// Options of a fax.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageProperties {
    pub include_cover_page: bool,
    pub include_message_body: bool,
    pub include_attachment_descriptions: bool,
    pub fax_page_count: Option<i32>,
}

/// The conversation (referral, order) that a message belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Conversation {
    pub conversation_id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub conversation_status: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patient_is_shown_as_last_comma_first_middle() {
        let patient = Patient {
            first_name: Some("Marisol".into()),
            middle_name: Some("J".into()),
            last_name: Some("Tenney".into()),
            ..Patient::default()
        };
        assert_eq!(patient.display_name(), "Tenney, Marisol J");
        assert_eq!(Patient::default().display_name(), "");
    }
}
