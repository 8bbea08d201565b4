//! Archives, including XDM packages (IHE ITI-32), as lists of their documents.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use clinical::cda;
use clinical::referral::package::{self, is_metadata};
use zip::ZipArchive;

use super::{MAX_PART_BYTES, MAX_PARTS, Part, Reading, file_name, hl7, size_words};
use crate::Kind;
use crate::archive::{self, Entry};
use crate::error::ConversionError;
use crate::extract::{self, ExtractedPatient, Named};

/// Maximum size of a METADATA.XML, in bytes.
const MAX_METADATA: u64 = 16 << 20;

/// Reads a harmless archive: first the documents named by the metadata of a package, then all other files.
pub(super) fn read(content: &[u8]) -> Result<Reading, ConversionError> {
    let entries = archive::entries(content)?;
    let mut archive = Opened::new(content).ok_or(ConversionError::Broken("the archive cannot be read"))?;
    let described = described(&mut archive, &entries);
    let is_package = entries.iter().any(|entry| is_metadata(&entry.name));
    let mut reading = Reading::new(if is_package { "XDM package" } else { "Archive" });
    let (mut documents, mut others): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| described.contains_key(&entry.name.to_ascii_uppercase()));
    // The order of the metadata is the one intended by the sender.
    documents
        .sort_by_key(|entry| described.get(&entry.name.to_ascii_uppercase()).map(|found| found.position));
    if is_package {
        others.retain(|entry| !is_furniture(&entry.name));
    }
    reading.facts([
        ("Documents".to_owned(), if is_package { documents.len().to_string() } else { String::new() }),
        ("Files".to_owned(), entries.len().to_string()),
        ("Unpacked".to_owned(), size_words(entries.iter().map(|entry| entry.size as usize).sum())),
    ]);
    let mut rows = Vec::new();
    for entry in documents.into_iter().chain(others) {
        let found = described.get(&entry.name.to_ascii_uppercase());
        let title = found.map(|found| found.title.clone()).unwrap_or_default();
        let content = archive.unpacked(entry, MAX_PART_BYTES - part_bytes(&reading));
        let listed = content.and_then(|content| {
            let name = file_name(&entry.name, &content, reading.parts.len() + 1);
            reading.part(Part { name, title: title.clone(), content, is_decoration: false })
        });
        let remark = if listed.is_some() { "" } else { "Not opened here" };
        let created = found.map(|found| found.created.clone()).unwrap_or_default();
        rows.push(vec![
            title,
            entry.name.clone(),
            size_words(entry.size as usize),
            created,
            remark.to_owned(),
        ]);
    }
    if rows.is_empty() {
        reading.note("There are no files in this archive.");
    }
    reading.table(&["Title", "File", "Size", "Created", "Remark"], rows);
    Ok(reading)
}

/// Maximum number of documents of a package that are searched for patients.
const MAX_DOCUMENTS: usize = 50;

/// The patients named by a package: in its metadata, and in its clinical documents and messages.
pub(crate) fn patients(content: &[u8]) -> Result<Named, ConversionError> {
    let entries = archive::entries(content)?;
    let mut archive = Opened::new(content).ok_or(ConversionError::Broken("the archive cannot be read"))?;
    let mut named = Named::default();
    let metadata = entries.iter().filter(|entry| is_metadata(&entry.name) && entry.size <= MAX_METADATA);
    for entry in metadata.take(MAX_PARTS) {
        let content = archive.unpacked(entry, MAX_METADATA as usize).unwrap_or_default();
        for segment in package::patient_segments(&content) {
            add(&mut named.by_metadata, hl7::patient(format!("MSH|^~\\&|\r{segment}").as_bytes()));
        }
    }
    for part in read(content)?.parts.iter().take(MAX_PARTS) {
        if named.by_documents.len() < MAX_DOCUMENTS {
            add(&mut named.by_documents, patient_of(part));
        }
    }
    Ok(named)
}

fn add(known: &mut Vec<ExtractedPatient>, patient: ExtractedPatient) {
    if !patient.is_empty() && !known.contains(&patient) {
        known.push(patient);
    }
}

/// The patient of a document; empty for kinds that would require guessing.
fn patient_of(part: &Part) -> ExtractedPatient {
    match part.kind() {
        Kind::Cda => {
            cda::parse_or_text(&part.content).map(|document| extract::from_cda(&document)).unwrap_or_default()
        }
        Kind::Hl7 => hl7::patient(&part.content),
        _ => ExtractedPatient::default(),
    }
}

fn part_bytes(reading: &Reading) -> usize {
    reading.parts.iter().map(|part| part.content.len()).sum::<usize>().min(MAX_PART_BYTES)
}

/// An archive and the positions of its entries.
struct Opened<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    places: HashMap<String, usize>,
}

impl<'a> Opened<'a> {
    fn new(content: &'a [u8]) -> Option<Self> {
        let mut archive = ZipArchive::new(Cursor::new(content)).ok()?;
        let mut places = HashMap::new();
        for at in 0..archive.len() {
            places.entry(archive.by_index_raw(at).ok()?.name().replace('\\', "/")).or_insert(at);
        }
        Some(Self { archive, places })
    }

    /// The content of an entry; `None` if it exceeds the remaining room or its compression is not supported.
    fn unpacked(&mut self, entry: &Entry, room: usize) -> Option<Vec<u8>> {
        let at = *self.places.get(&entry.name).filter(|_| entry.size <= room as u64)?;
        let mut content = Vec::new();
        self.archive.by_index(at).ok()?.take(entry.size).read_to_end(&mut content).ok()?;
        Some(content)
    }
}

/// Whether a file only supports the package, such as its index or metadata.
fn is_furniture(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let base = upper.rsplit('/').next().unwrap_or_default();
    matches!(base, "INDEX.HTM" | "INDEX.HTML" | "README.TXT")
        || is_metadata(name)
        || upper.contains("__MACOSX/")
}

/// Properties of a file from the metadata.
struct Found {
    position: usize,
    title: String,
    created: String,
}

/// Files of the metadata by their upper-case path: media with old file systems have upper-case names only.
fn described(archive: &mut Opened<'_>, entries: &[Entry]) -> HashMap<String, Found> {
    let mut found = HashMap::new();
    for entry in
        entries.iter().filter(|entry| is_metadata(&entry.name) && entry.size <= MAX_METADATA).take(MAX_PARTS)
    {
        let Some(metadata) = archive.unpacked(entry, MAX_METADATA as usize) else { continue };
        let folder = &entry.name[..entry.name.len() - "METADATA.XML".len()];
        for described in package::described(&metadata).unwrap_or_default() {
            let path = path_of(folder, &described.name, entries);
            let position = found.len();
            found.entry(path).or_insert(Found {
                position,
                title: described.title,
                created: super::hl7::time(&described.created),
            });
        }
    }
    found
}

/// The upper-case path of a file. The text before `METADATA.XML` in the path of the metadata, or only its
/// folder, also precedes the file name.
fn path_of(before: &str, name: &str, entries: &[Entry]) -> String {
    let folder = &before[..before.rfind('/').map_or(0, |at| at + 1)];
    let paths = [before, folder].map(|before| format!("{before}{name}").to_ascii_uppercase());
    let is_there = |path: &&String| entries.iter().any(|entry| entry.name.eq_ignore_ascii_case(path));
    paths.iter().find(is_there).unwrap_or(&paths[0]).clone()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in entries {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn a_package_lists_its_documents_by_their_titles() {
        let metadata = r#"<s xmlns:rim="urn:r"><rim:ExtrinsicObject mimeType="text/xml"><rim:Slot name="creationTime"><rim:ValueList><rim:Value>20261117</rim:Value>
            </rim:ValueList></rim:Slot><rim:Slot name="URI"><rim:ValueList><rim:Value>DOC0002.TXT</rim:Value></rim:ValueList></rim:Slot>
            <rim:Name><rim:LocalizedString value="Visit note"/></rim:Name></rim:ExtrinsicObject></s>"#;
        let zip = zip_of(&[
            ("INDEX.HTM", b"<html/>"),
            ("IHE_XDM/SUBSET01/DOC0001.TXT", b"first"),
            ("IHE_XDM/SUBSET01/DOC0002.TXT", b"second"),
            ("IHE_XDM/SUBSET01/METADATA.XML", metadata.as_bytes()),
        ]);
        let reading = read(&zip).unwrap();
        let parts: Vec<_> =
            reading.parts.iter().map(|part| (part.name.as_str(), part.title.as_str())).collect();
        assert_eq!(parts, [("DOC0002.TXT", "Visit note"), ("DOC0001.TXT", "")]);
        let text = reading.plain_text();
        assert!(
            text.contains("XDM package") && text.contains("2026-11-17") && !text.contains("INDEX"),
            "{text}"
        );
    }

    #[test]
    fn the_metadata_of_a_package_tell_of_its_patient() {
        let slot = |name: &str, values: &str| {
            format!("<r:Slot name=\"{name}\"><r:ValueList>{values}</r:ValueList></r:Slot>")
        };
        let facts = "<r:Value>PID-3|8842^^^&amp;1.2.3&amp;ISO</r:Value><r:Value>PID-5|Pruitt^Desmond^K</r:Value>\
                     <r:Value>PID-7|19571108</r:Value><r:Value>PID-8|M</r:Value>\
                     <r:Value>PID-11|27 Orchard Row^^Larkfield^OH^43999</r:Value>";
        let named = slot("sourcePatientInfo", facts);
        let metadata = format!(
            "<s xmlns:r=\"urn:r\"><r:ExtrinsicObject/><r:ExtrinsicObject>{named}</r:ExtrinsicObject></s>"
        );
        let of = |metadata: &str| {
            let zip = zip_of(&[("IHE_XDM/SUBSET01/METADATA.XML", metadata.as_bytes())]);
            extract::from_package(patients(&zip).unwrap())
        };
        let found = of(&metadata);
        assert_eq!(found.last_name.as_deref(), Some("Pruitt"));
        assert_eq!((found.identifier.as_deref(), found.city.as_deref()), (Some("8842"), Some("Larkfield")));
        assert_eq!(found.birth_date.map(|day| day.to_string()).as_deref(), Some("1957-11-08"));
        assert!(of("<s/>").is_empty());
        assert!(matches!(patients(&zip_of(&[("../x", b"x")])), Err(ConversionError::Broken(_))));
    }

    const ENTRY: &str = r#"<r:ExtrinsicObject><r:Slot name="URI"><r:ValueList><r:Value>DOC1.XML</r:Value></r:ValueList></r:Slot>
        <r:Slot name="sourcePatientInfo"><r:ValueList><r:Value>PID-5|Pruitt^Desmond</r:Value></r:ValueList></r:Slot>
        <r:Name><r:LocalizedString value="Summary"/></r:Name></r:ExtrinsicObject>"#;

    fn document(family: &str) -> Vec<u8> {
        let text = format!(
            r#"<ClinicalDocument xmlns="urn:hl7-org:v3"><recordTarget><patientRole><id root="1.2" extension="9"/><patient><name>
            <given>Ravi</given><family>{family}</family></name></patient></patientRole></recordTarget></ClinicalDocument>"#
        );
        text.into_bytes()
    }

    fn names(patients: &[ExtractedPatient]) -> Vec<&str> {
        patients.iter().filter_map(|patient| patient.last_name.as_deref()).collect()
    }

    #[test]
    fn the_documents_of_a_package_name_their_patients_themselves() {
        let package = |metadata: &str, documents: &[&str]| {
            let metadata = format!("<s xmlns:r=\"urn:r\">{metadata}</s>").into_bytes();
            let documents: Vec<_> = documents
                .iter()
                .enumerate()
                .map(|(at, of)| (format!("IHE_XDM/SUBSET01/DOC{}.XML", at + 1), document(of)))
                .collect();
            let mut entries = vec![("IHE_XDM/SUBSET01/METADATA.XML", metadata.as_slice())];
            entries.extend(documents.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
            extract::from_package(patients(&zip_of(&entries)).unwrap())
        };
        let bare = package("<r:ExtrinsicObject/>", &["Tamsin"]);
        assert_eq!(bare.last_name.as_deref(), Some("Tamsin"), "the metadata name nobody");
        let other = package(ENTRY, &["Tamsin", "Tamsin", "Okafor"]);
        assert_eq!(other.last_name.as_deref(), Some("Pruitt"));
        assert_eq!(names(&other.named.by_metadata), ["Pruitt"]);
        assert_eq!(names(&other.named.by_documents), ["Tamsin", "Okafor"]);
    }

    #[test]
    fn a_package_may_have_its_set_in_the_names_of_its_files() {
        let metadata = format!("<s xmlns:r=\"urn:r\">{ENTRY}</s>").into_bytes();
        for (folder, file) in
            [("IHE_XDM/", "SUBSET01_DOC1.XML"), ("", "SUBSET01_DOC1.XML"), ("IHE_XDM/", "DOC1.XML")]
        {
            let names = [format!("{folder}SUBSET01_METADATA.XML"), format!("{folder}{file}")];
            let zip =
                zip_of(&[("INDEX.HTM", b"x"), (&names[0], &metadata), (&names[1], &document("Tamsin"))]);
            let reading = read(&zip).unwrap();
            assert_eq!(reading.title, "XDM package", "{names:?}");
            let parts: Vec<_> =
                reading.parts.iter().map(|part| (part.name.as_str(), part.title.as_str())).collect();
            assert_eq!(parts, [(file, "Summary")]);
            assert_eq!(patients(&zip).unwrap().by_metadata.len(), 1);
        }
        assert_eq!(read(&zip_of(&[("my_METADATA.XML", b"<s/>")])).unwrap().title, "Archive");
    }

    #[test]
    fn any_archive_is_a_list_and_an_unsafe_one_is_refused() {
        let reading =
            read(&zip_of(&[("scans/a.txt", b"one"), ("scans/b.zip", &zip_of(&[("c.txt", b"two")]))]))
                .unwrap();
        let kinds: Vec<_> = reading.parts.iter().map(|part| part.kind()).collect();
        assert_eq!(kinds, [crate::Kind::Text, crate::Kind::Zip]);
        assert!(matches!(read(&zip_of(&[("../x.txt", b"x")])), Err(ConversionError::Broken(_))));
        assert_eq!(read(&zip_of(&[("zeros", &vec![0; 8 << 20])])).unwrap_err(), ConversionError::TooLarge);
    }
}
