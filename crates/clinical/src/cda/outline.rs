//! The structure behind the CDA Explorer: header facts and sections, serialized as JSON.

use serde::{Deserialize, Serialize};

use super::model::*;
use super::render;

/// A document split into its parts for browsing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    /// Title to show.
    pub title: String,
    /// Release of C-CDA claimed, such as `C-CDA R2.1`.
    pub standard: Option<String>,
    /// Kind of document.
    pub code: Option<Code>,
    /// Time of creation (HL7 TS, as written).
    pub effective_time: Option<Timestamp>,
    /// Confidentiality.
    pub confidentiality: Confidentiality,
    /// The patient; none if the document has several.
    pub patient: Option<Patient>,
    /// All patients, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patients: Vec<Patient>,
    /// Authors.
    pub authors: Vec<Participant>,
    /// All other participants in the header, by role.
    pub people: Vec<Participant>,
    /// Keeper of the document.
    pub custodian: Option<Organization>,
    /// The visit.
    pub encounter: Option<Encounter>,
    /// Sections in document order; empty for unstructured documents.
    pub sections: Vec<OutlineSection>,
    /// The file of an unstructured document.
    pub unstructured: Option<OutlineFile>,
    /// Notice for readers: how the file was repaired, or that it could not be.
    pub notice: Option<String>,
}

/// A section in the outline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineSection {
    /// `s2`, or `s2.1` for the first sub-section of it: the anchors of [`render::html`].
    pub id: String,
    /// Title to show.
    pub title: String,
    /// Kind of section.
    pub code: Option<Code>,
    /// Number of discrete entries, those of sub-sections not counted.
    pub entry_count: usize,
    /// The discrete entries, if the document was read with them.
    pub entries: Option<Entries>,
    /// Safe HTML fragment of the narrative; empty when there is none.
    pub narrative_html: String,
    /// Sub-sections.
    pub sections: Vec<OutlineSection>,
}

/// The foreign file of an unstructured document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineFile {
    /// Media type as declared.
    pub media_type: Option<String>,
    /// Size in bytes when the file is inside the document.
    pub size: Option<usize>,
    /// Note for readers.
    pub note: String,
}

/// Outline of a document.
pub fn outline(document: &ClinicalDocument) -> Outline {
    let (sections, unstructured) = match &document.body {
        Body::Structured(sections) => (outline_sections(sections, "s", &document.media), None),
        Body::Unstructured(body) => (Vec::new(), Some(file(body))),
        Body::Missing => (Vec::new(), None),
    };
    Outline {
        title: document.display_title(),
        standard: document.standard().map(str::to_owned),
        code: document.code.clone(),
        effective_time: document.effective_time.clone(),
        confidentiality: document.confidentiality,
        patient: document.only_patient().cloned(),
        patients: if document.other_patients.is_empty() {
            Vec::new()
        } else {
            document.patients().cloned().collect()
        },
        authors: document.authors().cloned().collect(),
        people: document.people.iter().filter(|person| person.role != Role::Author).cloned().collect(),
        custodian: document.custodian.clone(),
        encounter: document.encounter.clone(),
        sections,
        unstructured,
        notice: Some(render::warnings(document).join(" ")).filter(|notice| !notice.is_empty()),
    }
}

fn outline_sections(sections: &[Section], prefix: &str, media: &[Media]) -> Vec<OutlineSection> {
    let numbered = sections.iter().enumerate().map(|(index, section)| {
        let id = format!("{prefix}{}", index + 1);
        OutlineSection {
            title: section.title.clone(),
            code: section.code.clone(),
            entry_count: section.entries,
            entries: section.list.clone(),
            narrative_html: render::section_html(section, media),
            sections: outline_sections(&section.sections, &format!("{id}."), media),
            id,
        }
    });
    numbered.collect()
}

fn file(body: &Unstructured) -> OutlineFile {
    let (media_type, size) = match body {
        Unstructured::Embedded { media_type, content } => (Some(media_type.clone()), Some(content.len())),
        Unstructured::Referenced { media_type, .. } => (media_type.clone(), None),
        Unstructured::Unreadable { media_type } => (Some(media_type.clone()), None),
    };
    OutlineFile { media_type, size, note: render::unstructured_note(body) }
}
