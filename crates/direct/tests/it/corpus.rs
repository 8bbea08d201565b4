//! The corpus of each fuzz target, replayed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

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

/// Number of mutations of each file; a fuzzer tries more, and better ones.
const CHANGES: u64 = 60;

#[test]
fn no_change_of_a_file_of_the_corpus_breaks_its_fuzz_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let changes = std::env::var("CAREPOST_TEST_CHANGES").map_or(CHANGES, |text| text.parse().unwrap());
    for (name, target) in TARGETS {
        for file in fs::read_dir(corpus.join(name)).unwrap().map(|f| f.unwrap().path()) {
            let whole = fs::read(&file).unwrap();
            for seed in 0..changes {
                let changed = changed(&whole, seed);
                let outcome = std::panic::catch_unwind(|| target(&changed));
                assert!(outcome.is_ok(), "{} with seed {seed}: {}", file.display(), changed.escape_ascii());
            }
        }
    }
}

/// The bytes with a few of them changed, left out, repeated or put elsewhere; the same for the same seed.
fn changed(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut changed = bytes.to_vec();
    for _ in 0..random.random_range(1..6) {
        let at = random.random_range(0..=changed.len());
        let end = (at + random.random_range(0..40)).min(changed.len());
        match random.random_range(0..6) {
            0 if at < changed.len() => changed[at] = random.random(),
            1 if at < changed.len() => changed[at] ^= 1u8 << random.random_range(0..8u32),
            2 => drop(changed.drain(at..end)),
            3 => changed.extend_from_within(at..end),
            4 => changed.truncate(at),
            _ => {
                let piece = PIECES[random.random_range(0..PIECES.len())];
                drop(changed.splice(at..at, piece.iter().copied()));
            }
        }
    }
    changed
}

/// Bytes that often break parsers.
const PIECES: [&[u8]; 16] = [
    b"\0",
    b"\xFF\xFF\xFF\xFF",
    b"\x80",
    b"\r\n",
    b"\n",
    b"\r\n\r\n",
    b" \r\n",
    b"--",
    b"=",
    b"\"",
    b"<",
    b";",
    b"@",
    b"=?utf-8?Q?=",
    b"=?gb18030?B?/w==?=",
    b".\r\n",
];
