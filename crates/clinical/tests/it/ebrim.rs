//! Metadata of registries, as they are written here and read.

use clinical::ebrim::{
    document_entry,
    read::{self, classifications, identifier, objects, source_patient, value, values},
    submission_set,
    write::{self, Parts, slot},
};
use proptest::prelude::*;

fn submitted(title: &str, media_type: &str, info: &[&str]) -> String {
    let mut parts = Parts::new("d1", "d1");
    let content = [
        slot("size", ["3"]),
        slot("sourcePatientInfo", info),
        write::name(title),
        parts.code(document_entry::TYPE, "18842-5", "2.16.840.1.113883.6.1", "Discharge summary"),
        parts.identifier(document_entry::UNIQUE_ID, "1.2.3"),
    ];
    let entry = write::document_entry("d1", media_type, &content.concat());
    let set = write::registry_package("set", &slot("submissionTime", ["20261120"]));
    let folder = write::registry_package("folder", "");
    let node = write::node("n", "set", submission_set::NODE);
    write::submit_objects(&[entry, folder, set, node, write::member("m", "set", "d1")].concat())
}

#[test]
fn what_is_written_is_read() {
    let xml = submitted("A & \"B\"", "text/xml", &["PID-5|Roe^Ines"]);
    let tree = xml::parse(&xml, 1_000).expect("XML");
    let entry = objects(tree.root(), "ExtrinsicObject").next().expect("an entry");
    assert_eq!((entry.attribute("mimeType"), read::name(entry).as_str()), (Some("text/xml"), "A & \"B\""));
    assert_eq!(value(entry, "size").as_deref(), Some("3"));
    assert_eq!(value(entry, "hash"), None);
    assert_eq!(identifier(entry, document_entry::UNIQUE_ID).as_deref(), Some("1.2.3"));
    assert_eq!(identifier(entry, document_entry::PATIENT_ID), None);
    let kind = classifications(entry, document_entry::TYPE).next().expect("a type");
    assert_eq!(
        (kind.attribute("nodeRepresentation"), read::name(kind).as_str()),
        (Some("18842-5"), "Discharge summary")
    );
    assert_eq!(value(kind, "codingScheme").as_deref(), Some("2.16.840.1.113883.6.1"));
    let set = read::find_submission_set(tree.root()).expect("a set");
    assert_eq!(values(set, "submissionTime"), ["20261120"], "the folder is none");
    let ids: Vec<_> = tree.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids.len(), ids.iter().collect::<std::collections::HashSet<_>>().len());
}

#[test]
fn schemes_are_recognized_in_any_spelling_and_namespaces_do_not_matter() {
    let id = document_entry::UNIQUE_ID.id.trim_start_matches("urn:uuid:").to_uppercase();
    let xml = format!(
        "<ExtrinsicObject><ExternalIdentifier identificationScheme=\"{id}\" value=\" 1.2 \"/></ExtrinsicObject>"
    );
    let tree = xml::parse(&xml, 1_000).expect("XML");
    assert_eq!(identifier(tree.root_element(), document_entry::UNIQUE_ID).as_deref(), Some("1.2"));
}

#[test]
fn the_patient_of_an_entry_is_a_segment() {
    let patient = |info: &[&str]| {
        let xml = submitted("", "", info);
        let tree = xml::parse(&xml, 1_000).expect("XML");
        source_patient(objects(tree.root(), "ExtrinsicObject").next().expect("an entry"))
    };
    let full = patient(&["PID-3|7^^^&1.2&ISO", "PID-3|8", " PID-5|Roe|^Ines", "PID-99|x", "PID-x|y", "z"]);
    assert_eq!(full.as_deref().map(|pid| pid.trim_end_matches('|')), Some("PID|||7^^^&1.2&ISO~8||Roe^Ines"));
    for nameless in [&["PID-3|7"][..], &["PID-3|7", "PID-5|"], &["PID-3|7", "PID-5|^^"]] {
        assert_eq!(patient(nameless), None, "{nameless:?}");
    }
}

#[test]
fn content_that_was_changed_is_noticed() {
    let hash = clinical::ebrim::hash(b"abc");
    assert_eq!(hash, "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert!(read::is_intact(b"abc", Some(&hash.to_uppercase()), Some("3")));
    assert!(read::is_intact(b"abc", None, None));
    assert!(!read::is_intact(b"abd", Some(&hash), None) && !read::is_intact(b"abc", None, Some("4")));
}

proptest! {
    #[test]
    fn no_text_breaks_the_metadata(title in any::<String>(), info in any::<String>()) {
        let xml = submitted(&title, &title, &[&info]);
        let tree = xml::parse(&xml, 1_000).expect("XML");
        let entry = objects(tree.root(), "ExtrinsicObject").next().expect("an entry");
        prop_assert_eq!(values(entry, "sourcePatientInfo").len(), 1);
        let _ = source_patient(entry);
    }
}
