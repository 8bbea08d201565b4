//! Accepted and refused files.

use std::io::{Cursor, Write};

use documents::archive::{self, ArchiveError};
use documents::{Kind, UploadError, check_upload, detect, file_types, kind_of, name_note, samples};
use zip::write::SimpleFileOptions;

use crate::support::{day, patient, practice, visit_note};

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn every_supported_extension_has_a_media_type_and_its_own_entry() {
    let types = file_types();
    for name in [
        "pdf", "tif", "tiff", "png", "jpg", "jpeg", "gif", "bmp", "txt", "xml", "cda", "ccd", "hl7", "eml",
        "dat", "json", "dcm", "zip",
    ] {
        let found: Vec<_> = types.iter().filter(|entry| entry.extension == name).collect();
        assert!(matches!(found[..], [entry] if entry.previewable && entry.mime_type.contains('/')), "{name}");
    }
    let structured: Vec<_> =
        types.iter().filter(|entry| entry.structured).map(|entry| entry.extension).collect();
    assert_eq!(structured, ["xml", "cda", "ccd", "hl7"]);
}

#[test]
fn a_file_is_taken_when_name_and_content_agree() {
    let ccd = samples::ccd_xml(&patient(), &practice(0), day());
    let docx = zip_of(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w:document/>")]);
    let mail = b"From: a@x.example\nMIME-Version: 1.0\n\nHello";
    let cases: [(&str, &[u8], Kind); 14] = [
        ("Visit.PDF", &visit_note(), Kind::Pdf),
        ("summary.xml", ccd.as_bytes(), Kind::Cda),
        ("summary.ccd", ccd.as_bytes(), Kind::Cda),
        ("other.xml", b"<?xml version=\"1.0\"?><note/>", Kind::Xml),
        ("results.hl7", b"MSH|^~\\&|LAB|Q|||20261117||ORU^R01|1|P|2.5.1\rPID|1", Kind::Hl7),
        ("note.txt", b"BP 138/84, stable", Kind::Text),
        ("note.txt", b"MSH|^~\\&|LAB", Kind::Text),
        ("letter.rtf", b"{\\rtf1\\ansi Dear colleague}", Kind::Rtf),
        ("letter.docx", &docx, Kind::Docx),
        ("referral.eml", mail, Kind::Mail),
        ("winmail.dat", b"\x78\x9f\x3e\x22\x01\0", Kind::Tnef),
        ("patient.json", b"{\"resourceType\":\"Patient\"}", Kind::Fhir),
        ("other.json", b"{\"a\":1}", Kind::Text),
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind::Xls),
    ];
    for (name, content, kind) in cases {
        assert_eq!(check_upload(name, content).map(|entry| entry.kind), Ok(kind), "{name}");
    }
}

#[test]
fn a_file_is_refused_by_name_content_or_their_disagreement() {
    let refused = |name: &str, content: &[u8]| check_upload(name, content).unwrap_err();
    assert_eq!(refused("readme", b"x"), UploadError::NoExtension);
    let unsupported = UploadError::UnsupportedExtension { extension: "exe".to_owned() };
    assert_eq!(refused("tool.EXE", b"MZ"), unsupported);
    assert_eq!(refused("scan.tif", b""), UploadError::Empty);
    let mismatch = |extension, found| UploadError::ContentMismatch { extension, found };
    assert_eq!(refused("scan.pdf", b"\x89PNG\r\n\x1a\n...."), mismatch("pdf", Kind::Png));
    assert_eq!(refused("scan.png", b"<html><script>1</script></html>"), mismatch("png", Kind::Text));
    assert_eq!(refused("note.txt", b"MZ\x90\0\x03\0\0\0"), mismatch("txt", Kind::Unknown));
    assert_eq!(refused("note.xml", b"no markup here"), mismatch("xml", Kind::Text));
    assert_eq!(refused("note.cda", b"<?xml version='1.0'?><note/>"), mismatch("cda", Kind::Xml));
}

#[test]
fn text_in_other_encodings_is_text() {
    let utf16: Vec<u8> = "\u{feff}<ClinicalDocument xmlns='urn:hl7-org:v3'>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(detect(&utf16), Kind::Cda);
    assert_eq!(detect("Größe 172 cm".as_bytes()), Kind::Text);
    assert_eq!(detect(b"Gr\xf6\xdfe 172 cm"), Kind::Text);
}

#[test]
fn received_files_are_known_by_content_whatever_their_name_says() {
    assert_eq!(kind_of("document.dat", &visit_note()), Kind::Pdf);
    assert_eq!(kind_of("CDA_DOC.XML", b"<ClinicalDocument xmlns='urn:hl7-org:v3'/>"), Kind::Cda);
    assert_eq!(kind_of("lab.txt", b"MSH|^~\\&|LAB"), Kind::Text);
    assert_eq!(kind_of("lab", b"MSH|^~\\&|LAB"), Kind::Hl7);
    assert_eq!(kind_of("picture.png", b"\0\x01\x02"), Kind::Unknown);
}

#[test]
fn a_name_that_says_something_else_than_the_content_is_noted() {
    let note = name_note("Scan.PDF", Kind::Png).expect("a note");
    assert_eq!(note, "Its name says this file is a PDF, but it contains a PNG image.");
    for (name, kind) in [("Lab.docx", Kind::Doc), ("Lab.pdf", Kind::Unknown), ("a.txt", Kind::Pdf)] {
        assert!(name_note(name, kind).is_some(), "{name}");
    }
    for (name, kind) in [
        ("Scan.pdf", Kind::Pdf),
        ("Lab.xml", Kind::Cda),
        ("Note.txt", Kind::Text),
        ("a.zip", Kind::Zip),
        ("a.json", Kind::Text),
        ("Original message.eml", Kind::Unknown),
        ("Export.dat", Kind::Text),
        ("tool.exe", Kind::Unknown),
        ("README", Kind::Text),
    ] {
        assert_eq!(name_note(name, kind), None, "{name}");
    }
}

#[test]
fn harmless_archives_are_listed() {
    let xdm = zip_of(&[("INDEX.HTM", b"<html/>"), ("IHE_XDM/SUBSET01/METADATA.XML", b"<x/>")]);
    let names: Vec<_> = archive::entries(&xdm).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["INDEX.HTM", "IHE_XDM/SUBSET01/METADATA.XML"]);
    assert_eq!(check_upload("package.zip", &xdm).map(|entry| entry.kind), Ok(Kind::Zip));
}

#[test]
fn an_archive_that_lies_about_a_size_is_refused() {
    let mut lying = zip_of(&[("zeros", &vec![0; 8 << 20])]);
    // The size is in the entry of the central directory, after its signature.
    let entry = lying.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
    lying[entry + 24..entry + 28].copy_from_slice(&1_000u32.to_le_bytes());
    assert_eq!(archive::entries(&lying), Err(ArchiveError::WrongSize));
}

#[test]
fn harmful_archives_are_refused() {
    for name in ["../evil.txt", "/etc/passwd", "a/../../b", "C:\\autorun.inf", "..\\evil.txt"] {
        assert_eq!(archive::entries(&zip_of(&[(name, b"x")])), Err(ArchiveError::UnsafeName), "{name}");
    }
    let bomb = zip_of(&[("zeros", &vec![0; 8 << 20])]);
    assert_eq!(archive::entries(&bomb), Err(ArchiveError::TooLarge));
    assert_eq!(check_upload("bomb.zip", &bomb), Err(UploadError::UnsafeArchive(ArchiveError::TooLarge)));
    let many: Vec<_> = (0..=archive::MAX_ENTRIES).map(|index| format!("{index}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(archive::entries(&zip_of(&many)), Err(ArchiveError::TooManyEntries));
    assert_eq!(archive::entries(b"PK\x03\x04 torn"), Err(ArchiveError::Broken));
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    assert_eq!(archive::entries(&writer.finish().unwrap().into_inner()), Err(ArchiveError::Link));
}
