//! The corpus of each fuzz target, replayed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::targets;

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 6] = [
    ("addresses", targets::addresses),
    ("cms", targets::cms),
    ("mdn", targets::mdn),
    ("mime", targets::mime),
    ("smtp_command", targets::smtp_command),
    ("smtp_data", targets::smtp_data),
];

#[test]
fn every_file_of_the_corpus_passes_its_fuzz_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folders: BTreeSet<String> =
        fs::read_dir(&corpus).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for (name, target) in TARGETS {
        let files: Vec<_> = fs::read_dir(corpus.join(name)).unwrap().map(|f| f.unwrap().path()).collect();
        assert!(!files.is_empty(), "{name} has no files");
        for file in files {
            eprintln!("{}", file.display());
            target(&fs::read(file).unwrap());
        }
    }
}
