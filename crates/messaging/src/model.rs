//! The words of this area as they stand in the database and on the wire.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use store::entities::message;
use utoipa::ToSchema;

/// An enum that is a small number in the database and a word on the wire.
macro_rules! coded {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        pub enum $name { $($(#[$vdoc])* $variant = $code),+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The number in the database.
            pub const fn code(self) -> i16 {
                self as i16
            }

            /// Reads the number; an unknown one is the first member.
            pub fn from_code(code: i16) -> Self {
                Self::ALL.iter().copied().find(|v| v.code() == code).unwrap_or(Self::ALL[0])
            }

            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant)),+ }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.word().eq_ignore_ascii_case(word))
            }
        }
    };
}

coded! {
    /// Whether a message came in or goes out.
    Direction { Intake = 0, Release = 1 }
}

coded! {
    /// Status codes of a message.
    Status {
        Sent = 0, Received = 1, Pending = 2, Signed = 3, Suspended = 4, Deleted = 5, Removed = 6,
        Forwarded = 7, Replied = 8, Processed = 9, Uploaded = 10, Triaged = 11, Failed = 12,
    }
}

coded! {
    /// How a document came.
    SourceType { DirectMessage = 0, Fax = 1, Upload = 2, Triage = 3 }
}

coded! {
    /// What became of a message for one recipient.
    DeliveryState {
        Queued = 0,
        /// The recipient's mail system took it.
        Sent = 1,
        /// The recipient's Direct system opened and trusted it.
        Processed = 2,
        /// It reached its final destination.
        Delivered = 3,
        Failed = 4,
        /// Nobody knows; never sent again by itself.
        Uncertain = 5,
    }
}

coded! {
    DeliveryKind { DirectMessage = 0, Fax = 1 }
}

coded! {
    RecipientRole { To = 0, Cc = 1, Bcc = 2 }
}

coded! {
    PreviewState { NotRequested = 0, Processing = 1, Available = 2, Failed = 3 }
}

coded! {
    /// State of a document source.
    SourceStatus { Provisioning = 0, Activated = 1, PendingUpdate = 2, PendingDeletion = 3, Deleted = 4, Failed = 5 }
}

/// A patient as forms and documents give one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Patient {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patient_id: Option<String>,
    pub first_name: Option<String>,
    pub middle_name: Option<String>,
    pub last_name: Option<String>,
    pub birth_date: Option<NaiveDate>,
    /// M, F or UN.
    pub gender: Option<String>,
    pub street_address1: Option<String>,
    pub street_address2: Option<String>,
    pub city: Option<String>,
    /// Two letters.
    pub state: Option<String>,
    pub postal_code: Option<String>,
    pub telephone: Option<String>,
    pub visit_id: Option<String>,
    pub visit_date: Option<NaiveDate>,
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
    pub root: String,
    pub id: String,
}

/// The form in which files are sent, where it is not the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// PDF
    Pdf,
    /// An Unstructured Document of C-CDA around each file
    Cda,
}

impl Conversion {
    /// The form that a message is sent in.
    pub fn of(message: &message::Model) -> Option<Self> {
        Self::from_word(message.conversion.as_deref()?)
    }

    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Pdf, Self::Cda].into_iter().find(|conversion| conversion.word() == word)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Pdf => "Pdf",
            Self::Cda => "Cda",
        }
    }
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

    #[test]
    fn every_status_code_has_its_documented_name() {
        let names: Vec<_> = Status::ALL.iter().map(|s| (s.code(), s.word())).collect();
        assert_eq!(names[0], (0, "Sent"));
        assert_eq!(names[12], (12, "Failed"));
    }
}
