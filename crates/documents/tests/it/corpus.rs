//! Replays the corpus of each fuzz target.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::targets;

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 10] = [
    ("archive", targets::archive),
    ("dicom", targets::dicom),
    ("fhir", targets::fhir),
    ("hl7", targets::hl7),
    ("mail", targets::mail),
    ("paging", targets::paging),
    ("pdf", targets::pdf),
    ("text", targets::text),
    ("tiff", targets::tiff),
    ("tnef", targets::tnef),
];

#[test]
fn every_file_of_the_corpus_passes_its_fuzz_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries =
        |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let folders: BTreeSet<String> = entries(&corpus).iter().map(|path| name(path)).collect();
    assert_eq!(folders, TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for (name, target) in TARGETS {
        for file in entries(&corpus.join(name)) {
            eprintln!("{}", file.display());
            target(&fs::read(file).unwrap());
        }
    }
}

/// Truncates each file at every position, and inverts every byte of its head.
#[test]
fn damaged_files_of_the_corpus_pass_their_fuzz_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (name, target, files) in [
        ("tiff", targets::tiff as fn(&[u8]), &["palette", "planes", "group4-tiles", "old-jpeg"][..]),
        ("pdf", targets::pdf, &["form", "group"]),
        ("paging", targets::paging, &["shared-form"]),
        ("archive", targets::archive, &["xdm", "nested"]),
        ("dicom", targets::dicom, &["grey", "colour", "wavelets"]),
        ("fhir", targets::fhir, &["document", "collection-xml"]),
        ("hl7", targets::hl7, &["oru-with-document"]),
        ("mail", targets::mail, &["mixed-with-enclosed"]),
        ("tnef", targets::tnef, &["letter-and-message"]),
    ] {
        for file in files {
            let content = fs::read(corpus.join(name).join(file)).unwrap();
            for at in (0..content.len()).step_by(content.len() / 60 + 1) {
                target(&content[..at]);
                let mut changed = content.clone();
                changed[at] ^= 0xff;
                target(&changed);
            }
        }
    }
}
