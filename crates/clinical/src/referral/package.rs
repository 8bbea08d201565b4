//! XDM packages as attachments of Direct messages (IHE ITI-32, media option "zip over e-mail").

use super::Message;
use crate::ebrim::{
    self, document_entry, read, submission_set,
    write::{self, Parts, slot},
};
use crate::hl7::time;
use chrono::{DateTime, Utc};
use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{Cursor, Read, Write},
};
use xml::escaped;
use zip::{ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// Most entries of a package.
const MAX_ENTRIES: usize = 200;
/// Most XML nodes of the metadata.
const MAX_NODES: u32 = 200_000;
/// Most unpacked bytes of all entries together.
const MAX_UNPACKED: u64 = 40 << 20;
const FOLDER: &str = "IHE_XDM/SUBSET01";
/// Id of the submission set within its metadata.
const SET: &str = "set";
/// Slot of the ids that tie documents together, such as that of a referral (ITI TF-3, 4.2.3.2.28).
const REFERENCES: &str = "urn:ihe:iti:xds:2013:referenceIdList";

#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    #[error("the package could not be written: {0}")]
    Unwritable(#[from] ZipError),
    #[error("the package could not be written: {0}")]
    Io(#[from] std::io::Error),
}

/// A document of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// A file name in 8.3 format and capitals, such as `DOC0001.XML`.
    pub name: String,
    pub mime_type: String,
    pub title: String,
    pub content: Vec<u8>,
    /// Whether size and hash match the metadata. True if the metadata have none.
    pub is_intact: bool,
}

/// Contents of a package to be written.
pub struct Package<'a> {
    /// Direct addresses.
    pub from: &'a str,
    pub to: &'a str,
    pub institution: &'a str,
    /// OID of the sender, the base of the package's ids.
    pub source: &'a str,
    /// Unique digits in the ids.
    pub number: &'a str,
    pub at: DateTime<Utc>,
    /// `id^^^&realm&ISO` of the patient.
    pub patient: &'a str,
    /// `id^^^&assigner&ISO` of the referral.
    pub referral: &'a str,
    pub documents: &'a [Document],
}

pub fn write(package: &Package<'_>) -> Result<Vec<u8>, PackageError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let mut add = |name: &str, content: &[u8]| -> Result<(), PackageError> {
        zip.start_file(name, options)?;
        zip.write_all(content)?;
        Ok(())
    };
    add("INDEX.HTM", index(package).as_bytes())?;
    add("README.TXT", readme(package).as_bytes())?;
    add(&format!("{FOLDER}/METADATA.XML"), metadata(package).as_bytes())?;
    for document in package.documents {
        add(&format!("{FOLDER}/{}", document.name), &document.content)?;
    }
    Ok(zip.finish()?.into_inner())
}

fn readme(package: &Package<'_>) -> String {
    format!(
        "Documents of {}, exchanged over Direct.\r\nContact: {}\r\nWritten by Carepost.\r\n",
        package.institution, package.from
    )
}

fn index(package: &Package<'_>) -> String {
    let mut list = String::new();
    for document in package.documents {
        let (name, title) = (escaped(&document.name), escaped(&document.title));
        let _ = write!(list, "<li><a href=\"{FOLDER}/{name}\">{title}</a></li>");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML Basic 1.1//EN\" \
         \"http://www.w3.org/TR/xhtml-basic/xhtml-basic11.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\">\
         <head><title>{0}</title></head><body><h1>{0}</h1><ul>{list}</ul><p><a href=\"README.TXT\">README</a></p>\
         </body></html>\n",
        escaped(package.institution)
    )
}

fn metadata(package: &Package<'_>) -> String {
    let time = time::written(package.at);
    let referral = format!("{}^urn:ihe:iti:xds:2013:referral", package.referral);
    let referral = slot(REFERENCES, [&referral]);
    let number = format!("{}.{}", package.source, package.number);
    let (mut entries, mut members) = (String::new(), String::new());
    for (at, document) in package.documents.iter().enumerate() {
        let id = format!("document{at:02}");
        let mut parts = Parts::new(&id, &*id);
        let content = [
            slot("creationTime", [&time]),
            slot("URI", [&document.name]),
            slot("hash", [ebrim::hash(&document.content)]),
            slot("size", [document.content.len().to_string()]),
            referral.clone(),
            write::name(&document.title),
            parts.identifier(document_entry::PATIENT_ID, package.patient),
            parts.identifier(document_entry::UNIQUE_ID, &format!("{number}.{}", at + 1)),
        ];
        entries += &write::document_entry(&id, &document.mime_type, &content.concat());
        members += &write::member(&format!("as{at:02}"), SET, &id);
    }
    let recipient = format!("|^{}|^^Internet^{}", package.to, package.to);
    let mut parts = Parts::new(SET, "part");
    let content = [
        slot("submissionTime", [&time]),
        slot("intendedRecipient", [&recipient]),
        referral,
        parts.author(
            submission_set::AUTHOR,
            &slot("authorTelecommunication", [format!("^^Internet^{}", package.from)]),
        ),
        parts.identifier(submission_set::UNIQUE_ID, &number),
        parts.identifier(submission_set::SOURCE_ID, package.source),
        parts.identifier(submission_set::PATIENT_ID, package.patient),
    ];
    let set = write::registry_package(SET, &content.concat());
    let nodes =
        write::node("cl2", SET, submission_set::NODE) + &write::node("cl3", SET, submission_set::LIMITED);
    let request = write::submit_objects(&[entries, set, nodes, members].concat());
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{request}\n")
}

/// Whether an entry of an archive is the metadata of a package. Old software wrote no folder for each submission set,
/// but prefixed its name to the file names: `SUBSET01_METADATA.XML`.
pub fn is_metadata(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let Some(before) = upper.strip_suffix("METADATA.XML") else { return false };
    let set = before.rsplit('/').next().unwrap_or_default();
    match set.strip_suffix('_') {
        Some(set) => upper.contains("IHE_XDM/") || set.starts_with("SUBSET"),
        None => set.is_empty() && before.contains("IHE_XDM/"),
    }
}

/// The documents of a package; `None` if it is not an XDM package, or unpacks to too much. File names are compared
/// without case, and an enclosing folder is ignored.
pub fn read(content: &[u8]) -> Option<Vec<Document>> {
    let mut archive = ZipArchive::new(Cursor::new(content)).ok()?;
    if archive.len() > MAX_ENTRIES || !archive.file_names().any(is_metadata) {
        return None;
    }
    let (mut files, mut left) = (HashMap::new(), MAX_UNPACKED);
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).ok()?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().replace('\\', "/").to_ascii_uppercase();
        let mut bytes = Vec::new();
        let read = entry.by_ref().take(left + 1).read_to_end(&mut bytes).ok()? as u64;
        left = left.checked_sub(read)?;
        files.insert(name, bytes);
    }
    let mut documents = Vec::new();
    for (name, bytes) in files.iter().filter(|(name, _)| is_metadata(name)) {
        let folder = &name[..name.len() - "METADATA.XML".len()];
        documents.extend(self::documents(folder, bytes, &files)?);
    }
    Some(documents)
}

/// The referral message in a package: the first intact document that is one.
pub fn message_of(content: &[u8]) -> Option<Message> {
    let documents = read(content)?;
    let mut intact = documents.iter().filter(|document| document.is_intact);
    intact.find_map(|document| Message::parse(&document.content).ok())
}

/// Metadata of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// File name relative to the metadata.
    pub name: String,
    pub mime_type: String,
    pub title: String,
    /// HL7 time; empty if unknown.
    pub created: String,
    hash: Option<String>,
    size: Option<String>,
}

fn metadata_of(metadata: &[u8]) -> Option<xml::Document<'_>> {
    let text = std::str::from_utf8(metadata).ok()?;
    xml::parse(text.trim_start_matches('\u{feff}'), MAX_NODES).ok()
}

/// The documents in the metadata of a package; `None` if they are not XML.
pub fn described(metadata: &[u8]) -> Option<Vec<Described>> {
    let tree = metadata_of(metadata)?;
    let entries = read::objects(tree.root(), "ExtrinsicObject");
    let described = entries.filter_map(|entry| {
        Some(Described {
            name: read::value(entry, "URI")?,
            mime_type: entry.attribute("mimeType").unwrap_or_default().to_owned(),
            title: read::name(entry),
            created: read::value(entry, "creationTime").unwrap_or_default(),
            hash: read::value(entry, "hash"),
            size: read::value(entry, "size"),
        })
    });
    Some(described.collect())
}

/// The patients in the metadata of a package, as HL7 v2 PID segments, without duplicates.
pub fn patient_segments(metadata: &[u8]) -> Vec<String> {
    let Some(tree) = metadata_of(metadata) else { return Vec::new() };
    let entries = read::objects(tree.root(), "ExtrinsicObject");
    let mut segments: Vec<String> = Vec::new();
    for segment in entries.take(MAX_ENTRIES).filter_map(read::source_patient) {
        if !segments.contains(&segment) {
            segments.push(segment);
        }
    }
    segments
}

fn documents(folder: &str, metadata: &[u8], files: &HashMap<String, Vec<u8>>) -> Option<Vec<Document>> {
    let documents = described(metadata)?.into_iter().filter_map(|entry| {
        let name = entry.name.to_ascii_uppercase();
        let content = files.get(&format!("{folder}{name}"))?.clone();
        let is_intact = read::is_intact(&content, entry.hash.as_deref(), entry.size.as_deref());
        let (mime_type, title) = (entry.mime_type, entry.title);
        Some(Document { name, mime_type, title, content, is_intact })
    });
    Some(documents.collect())
}
