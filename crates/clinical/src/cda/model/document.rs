//! A CDA document with its body.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::data_types::{Code, InstanceId, Timestamp};
use super::entries::Entries;
use super::narrative::Block;
use super::people::{Encounter, Organization, Participant, Patient, Role};

/// A CDA document: header and body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClinicalDocument {
    /// The document's own identity.
    pub id: Option<InstanceId>,
    /// Templates that the document claims to follow.
    pub template_ids: Vec<InstanceId>,
    /// Kind of document, normally a LOINC code.
    pub code: Option<Code>,
    /// Title as written by the author.
    pub title: Option<String>,
    /// Time of creation.
    pub effective_time: Option<Timestamp>,
    /// Confidentiality; Normal if the document does not state it.
    pub confidentiality: Confidentiality,
    /// BCP 47 language tag.
    pub language: Option<String>,
    /// Identity shared by all versions.
    pub set_id: Option<InstanceId>,
    /// Number of this version.
    pub version: Option<u32>,
    /// The (first) patient.
    pub patient: Option<Patient>,
    /// Further patients; a document about more than one person must not be filed under the first of them unasked.
    pub other_patients: Vec<Patient>,
    /// All other participants in the header: persons, devices, organizations.
    pub people: Vec<Participant>,
    /// Keeper of the original.
    pub custodian: Option<Organization>,
    /// The visit that is documented.
    pub encounter: Option<Encounter>,
    /// Orders fulfilled by this document (`inFulfillmentOf/order/id`), including referral ids.
    pub orders: Vec<InstanceId>,
    /// Documents that this one replaces, appends or transforms.
    pub parent_documents: Vec<InstanceId>,
    /// Embedded pictures of safe types referenced by the narrative.
    pub media: Vec<Media>,
    /// The content.
    pub body: Body,
    /// Files in its sections and entries.
    pub files: Vec<EmbeddedFile>,
    /// Notice for readers: how the file was repaired, or that it could not be.
    pub notice: Option<String>,
}

impl ClinicalDocument {
    /// Authors: persons, devices, organizations.
    pub fn authors(&self) -> impl Iterator<Item = &Participant> {
        self.people.iter().filter(|person| person.role == Role::Author)
    }

    /// All patients of the document.
    pub fn patients(&self) -> impl Iterator<Item = &Patient> {
        self.patient.iter().chain(&self.other_patients)
    }

    /// The patient, if the document has exactly one.
    pub fn only_patient(&self) -> Option<&Patient> {
        self.patient.as_ref().filter(|_| self.other_patients.is_empty())
    }

    /// The title, or the name of the document's kind, or "Clinical document".
    pub fn display_title(&self) -> String {
        self.title
            .clone()
            .or_else(|| self.code.as_ref().and_then(|code| code.display.clone()))
            .unwrap_or_else(|| "Clinical document".to_owned())
    }

    /// Release of C-CDA, by the versions of the document's US Realm templates.
    pub fn standard(&self) -> Option<&'static str> {
        let ccda = |id: &&InstanceId| id.root.starts_with("2.16.840.1.113883.10.20.22.1.");
        let newest =
            self.template_ids.iter().filter(ccda).map(|id| id.extension.as_deref().unwrap_or("")).max()?;
        Some(match newest {
            "" => "C-CDA R1.1",
            date if date < "2015-01-01" => "C-CDA R2.0",
            _ => "C-CDA R2.1",
        })
    }
}

/// The content of a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Body {
    /// Sections with narrative (`structuredBody`).
    Structured(Vec<Section>),
    /// One file of another format (`nonXMLBody`).
    Unstructured(Unstructured),
    /// The document has no readable body.
    #[default]
    Missing,
}

/// Body of an Unstructured Document (C-CDA template 2.16.840.1.113883.10.20.22.1.10).
#[derive(Debug, Clone, PartialEq)]
pub enum Unstructured {
    /// The file is inside the document.
    Embedded {
        /// Media type as declared, lower case; `text/plain` when none is (CDA's default for ED).
        media_type: String,
        /// The file.
        content: Vec<u8>,
    },
    /// The file is outside the document.
    Referenced {
        /// Media type as declared.
        media_type: Option<String>,
        /// `reference/@value`, never followed.
        reference: String,
    },
    /// There is a file, but it cannot be read (bad Base64, compressed).
    Unreadable {
        /// Media type as declared, lower case.
        media_type: String,
    },
}

/// One section of a structured body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Templates that the section claims to follow.
    pub template_ids: Vec<InstanceId>,
    /// Kind of section, normally a LOINC code.
    pub code: Option<Code>,
    /// Title, falling back to the code's name.
    pub title: String,
    /// The narrative text.
    pub narrative: Vec<Block>,
    /// Number of discrete entries of this section, not counting those of sub-sections.
    pub entries: usize,
    /// The entries as a list, if requested.
    pub list: Option<Entries>,
    /// Sub-sections.
    pub sections: Vec<Section>,
}

/// A picture embedded as `observationMedia`.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// XML id that `renderMultiMedia` refers to.
    pub id: String,
    /// `image/png`, `image/jpeg` or `image/gif`; checked against the content.
    pub media_type: &'static str,
    /// The picture.
    pub content: Vec<u8>,
}

/// A Base64 file in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedFile {
    /// Name of the surrounding statement or section; may be empty.
    pub title: String,
    /// Media type as declared, lower case.
    pub media_type: Option<String>,
    /// The file.
    pub content: Vec<u8>,
}

/// Confidentiality of a document; stricter values compare greater.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
pub enum Confidentiality {
    /// N and all codes not listed below.
    #[default]
    Normal,
    /// R
    Restricted,
    /// V, also written VR
    VeryRestricted,
}

impl Confidentiality {
    /// Reads a code of 2.16.840.1.113883.5.25; `VR` is an older spelling of V.
    pub fn from_code(code: &str) -> Self {
        match code.trim().to_ascii_uppercase().as_str() {
            "R" => Self::Restricted,
            "V" | "VR" => Self::VeryRestricted,
            _ => Self::Normal,
        }
    }

    /// Only people with the permission may open such a document.
    pub fn is_restricted(self) -> bool {
        match self {
            Self::Normal => false,
            Self::Restricted | Self::VeryRestricted => true,
        }
    }

    /// The HL7 code: N, R or V.
    pub fn code(self) -> &'static str {
        match self {
            Self::Normal => "N",
            Self::Restricted => "R",
            Self::VeryRestricted => "V",
        }
    }

    /// Label to show.
    pub fn label(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Restricted => "Restricted",
            Self::VeryRestricted => "Very restricted",
        }
    }
}
