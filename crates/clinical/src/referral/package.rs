//! XDM packages as attachments of Direct messages (IHE ITI-32, media option "zip over e-mail").

use super::Message;
use chrono::{DateTime, Utc};
use openssl::sha::sha1;
use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{Cursor, Read, Write},
};
use zip::{ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// Most entries of a package.
const MAX_ENTRIES: usize = 200;
/// Most XML nodes of the metadata.
const MAX_NODES: u32 = 200_000;
/// Most unpacked bytes of all entries together.
const MAX_UNPACKED: u64 = 40 << 20;
const FOLDER: &str = "IHE_XDM/SUBSET01";

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
        let (name, title) = (text(&document.name), text(&document.title));
        let _ = write!(list, "<li><a href=\"{FOLDER}/{name}\">{title}</a></li>");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML Basic 1.1//EN\" \
         \"http://www.w3.org/TR/xhtml-basic/xhtml-basic11.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\">\
         <head><title>{0}</title></head><body><h1>{0}</h1><ul>{list}</ul><p><a href=\"README.TXT\">README</a></p>\
         </body></html>\n",
        text(package.institution)
    )
}

/// Escapes text of an element or attribute.
fn text(value: &str) -> String {
    quick_xml::escape::escape(value).into_owned()
}

fn slot(name: &str, value: &str) -> String {
    format!(
        "<rim:Slot name=\"{name}\"><rim:ValueList><rim:Value>{}</rim:Value></rim:ValueList></rim:Slot>",
        text(value)
    )
}

fn identifier(object: &str, scheme: &str, name: &str, value: &str, number: &mut u32) -> String {
    *number += 1;
    format!(
        "<rim:ExternalIdentifier id=\"ei{number}\" registryObject=\"{object}\" identificationScheme=\"urn:uuid:{scheme}\" \
         value=\"{}\"><rim:Name><rim:LocalizedString value=\"{name}\"/></rim:Name></rim:ExternalIdentifier>",
        text(value)
    )
}

const DOCUMENT_PATIENT: &str = "58a6f841-87b3-4a3e-92fd-a8ffeff98427";
const DOCUMENT_ID: &str = "2e82c1f6-a085-4c72-9da3-8640a32e42ab";
const SET: &str = "a54d6aa5-d40d-43f9-88c5-b4633d873bdd";
const SET_AUTHOR: &str = "a7058bb9-b4e4-4307-ba5b-e3f0ab85e12d";
const SET_ID: &str = "96fdda7c-d067-4183-912e-bf5ee74998a8";
const SET_SOURCE: &str = "554ac39e-e3fe-47fe-b233-965d2a147832";
const SET_PATIENT: &str = "6b5aea1a-874d-4603-a4bc-96a0a7b38446";
const LIMITED: &str = "ab9b591b-83ab-4d03-8f5d-f93b1fb92e85";

fn metadata(package: &Package<'_>) -> String {
    let mut ids = 0;
    let (mut entries, mut members) = (String::new(), String::new());
    let time = package.at.format("%Y%m%d%H%M%S").to_string();
    let referral = format!("{}^urn:ihe:iti:xds:2013:referral", package.referral);
    for (at, document) in package.documents.iter().enumerate() {
        let id = format!("document{at:02}");
        let hash: String = sha1(&document.content).iter().map(|byte| format!("{byte:02x}")).collect();
        let unique = format!("{}.{}.{}", package.source, package.number, at + 1);
        let _ = write!(
            entries,
            "<rim:ExtrinsicObject id=\"{id}\" mimeType=\"{}\" objectType=\"urn:uuid:7edca82f-054d-47f2-a032-9b2a5b5186c1\" \
             status=\"urn:oasis:names:tc:ebxml-regrep:StatusType:Approved\">{}{}{}{}{}\
             <rim:Name><rim:LocalizedString value=\"{}\"/></rim:Name>{}{}</rim:ExtrinsicObject>",
            text(&document.mime_type),
            slot("creationTime", &time),
            slot("URI", &document.name),
            slot("hash", &hash),
            slot("size", &document.content.len().to_string()),
            slot("urn:ihe:iti:xds:2013:referenceIdList", &referral),
            text(&document.title),
            identifier(&id, DOCUMENT_PATIENT, "XDSDocumentEntry.patientId", package.patient, &mut ids),
            identifier(&id, DOCUMENT_ID, "XDSDocumentEntry.uniqueId", &unique, &mut ids),
        );
        let _ = write!(
            members,
            "<rim:Association id=\"as{at:02}\" associationType=\"urn:oasis:names:tc:ebxml-regrep:AssociationType:HasMember\" \
             sourceObject=\"set\" targetObject=\"{id}\">{}</rim:Association>",
            slot("SubmissionSetStatus", "Original")
        );
    }
    let author = format!("^^Internet^{}", package.from);
    let recipient = format!("|^{}|^^Internet^{}", package.to, package.to);
    let unique = format!("{}.{}", package.source, package.number);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<lcm:SubmitObjectsRequest \
         xmlns:lcm=\"urn:oasis:names:tc:ebxml-regrep:xsd:lcm:3.0\" xmlns:rim=\"urn:oasis:names:tc:ebxml-regrep:xsd:rim:3.0\">\
         <rim:RegistryObjectList>{entries}<rim:RegistryPackage id=\"set\" \
         status=\"urn:oasis:names:tc:ebxml-regrep:StatusType:Approved\">{}{}{}\
         <rim:Classification id=\"cl1\" classificationScheme=\"urn:uuid:{SET_AUTHOR}\" classifiedObject=\"set\" \
         nodeRepresentation=\"\">{}</rim:Classification>{}{}{}</rim:RegistryPackage>\
         <rim:Classification id=\"cl2\" classifiedObject=\"set\" classificationNode=\"urn:uuid:{SET}\"/>\
         <rim:Classification id=\"cl3\" classifiedObject=\"set\" classificationNode=\"urn:uuid:{LIMITED}\"/>{members}\
         </rim:RegistryObjectList></lcm:SubmitObjectsRequest>\n",
        slot("submissionTime", &time),
        slot("intendedRecipient", &recipient),
        slot("urn:ihe:iti:xds:2013:referenceIdList", &referral),
        slot("authorTelecommunication", &author),
        identifier("set", SET_ID, "XDSSubmissionSet.uniqueId", &unique, &mut ids),
        identifier("set", SET_SOURCE, "XDSSubmissionSet.sourceId", package.source, &mut ids),
        identifier("set", SET_PATIENT, "XDSSubmissionSet.patientId", package.patient, &mut ids),
    )
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

/// Most fields of a PID segment.
const PID_FIELDS: usize = 30;

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
    let entries = tree.descendants().filter(|node| node.tag_name().name() == "ExtrinsicObject");
    let described = entries.filter_map(|entry| {
        let slot = |name: &str| {
            let slot = entry
                .children()
                .find(|n| n.tag_name().name() == "Slot" && n.attribute("name") == Some(name))?;
            slot.descendants().find(|n| n.tag_name().name() == "Value")?.text().map(|t| t.trim().to_owned())
        };
        let title = entry.children().find(|n| n.tag_name().name() == "Name");
        let title = title.and_then(|n| n.descendants().find_map(|n| n.attribute("value")));
        Some(Described {
            name: slot("URI")?,
            mime_type: entry.attribute("mimeType").unwrap_or_default().to_owned(),
            title: title.unwrap_or_default().to_owned(),
            created: slot("creationTime").unwrap_or_default(),
            hash: slot("hash"),
            size: slot("size"),
        })
    });
    Some(described.collect())
}

/// The patients in the metadata of a package, as HL7 v2 PID segments, without duplicates.
pub fn patient_segments(metadata: &[u8]) -> Vec<String> {
    let Some(tree) = metadata_of(metadata) else { return Vec::new() };
    let entries = tree.descendants().filter(|node| node.tag_name().name() == "ExtrinsicObject");
    let mut segments: Vec<String> = Vec::new();
    for segment in entries.take(MAX_ENTRIES).filter_map(segment) {
        if !segments.contains(&segment) {
            segments.push(segment);
        }
    }
    segments
}

/// PID segment from `sourcePatientInfo`, which has its fields as `PID-5|Pruitt^Desmond`.
fn segment(entry: roxmltree::Node<'_, '_>) -> Option<String> {
    let values = |name: &'static str| {
        let slots = entry
            .children()
            .filter(move |n| n.tag_name().name() == "Slot" && n.attribute("name") == Some(name));
        let values = slots.flat_map(|slot| slot.descendants()).filter(|n| n.tag_name().name() == "Value");
        values.filter_map(|value| value.text())
    };
    let clean = |text: &str| text.replace(['|', '\r', '\n'], "").trim().to_owned();
    let mut fields = vec![String::new(); PID_FIELDS + 1];
    for line in values("sourcePatientInfo") {
        let Some((name, value)) = line.split_once('|') else { continue };
        let number = name.trim().strip_prefix("PID-").and_then(|number| number.parse::<usize>().ok());
        if let Some(field) = number.and_then(|number| fields.get_mut(number)).filter(|f| f.is_empty()) {
            *field = clean(value);
        }
    }
    if fields[3].is_empty() {
        fields[3] = values("sourcePatientId").next().map(clean).unwrap_or_default();
    }
    (!fields[5].is_empty()).then(|| format!("PID|{}", fields[1..].join("|")))
}

fn documents(folder: &str, metadata: &[u8], files: &HashMap<String, Vec<u8>>) -> Option<Vec<Document>> {
    let documents = described(metadata)?.into_iter().filter_map(|entry| {
        let name = entry.name.to_ascii_uppercase();
        let content = files.get(&format!("{folder}{name}"))?.clone();
        let hash: String = sha1(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        let is_hash = entry.hash.is_none_or(|said| said.eq_ignore_ascii_case(&hash));
        let is_size = entry.size.is_none_or(|said| said.parse() == Ok(content.len()));
        let (mime_type, title) = (entry.mime_type, entry.title);
        Some(Document { name, mime_type, title, content, is_intact: is_hash && is_size })
    });
    Some(documents.collect())
}
