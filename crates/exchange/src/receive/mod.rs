//! Receiving from other systems: HL7 v2 over MLLP, and documents by ITI-41 or XDR.

pub mod ack;
pub mod assertion;
mod encapsulated;
pub mod frame;
pub mod hospital;
pub mod listener;
pub mod message;
pub mod provide;
mod report;

use bytes::Bytes;

/// A file of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// With an extension, if the sender names a format.
    pub name: String,
    pub media_type: String,
    /// Document type, in words.
    pub title: String,
    pub created: Option<chrono::NaiveDate>,
    /// Confidentiality, if the sender states it.
    pub confidentiality: Option<crate::Confidentiality>,
    pub content: Bytes,
}

/// A file name for a title, without characters that are invalid in file systems.
pub(crate) fn file_name(title: &str, extension: &str) -> String {
    let kept: String =
        title.chars().filter(|c| !c.is_control() && !r#"/\:*?"<>|"#.contains(*c)).take(120).collect();
    let kept = kept.trim().trim_matches('.');
    let name = if kept.is_empty() { "Document" } else { kept };
    if extension.is_empty() { name.to_owned() } else { format!("{name}.{extension}") }
}

/// The usual extension of a media type; empty if there is none.
pub(crate) fn extension(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/pdf" => "pdf",
        "image/tiff" => "tif",
        "image/jpeg" | "image/jpg" => "jpg",
        "image/png" => "png",
        "image/gif" => "gif",
        "text/plain" => "txt",
        "text/xml" | "application/xml" | "application/cda+xml" => "xml",
        "text/rtf" | "application/rtf" => "rtf",
        "application/msword" => "doc",
        "application/zip" => "zip",
        "x-application/hl7-v2+er7" => "hl7",
        _ => "",
    }
}
