//! Shared by all tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chrono::NaiveDate;
use documents::samples::{self, SamplePatient, SamplePractice};
use documents::worker::Converter;

pub fn converter() -> Converter {
    misbehaving(&[])
}

/// A converter whose workers misbehave once they are confined; see `src/bin/documents-worker.rs`.
pub fn misbehaving(how: &[&str]) -> Converter {
    Converter::new(env!("CARGO_BIN_EXE_documents-worker"), how)
}

pub fn patient() -> SamplePatient {
    samples::patients().remove(0)
}

pub fn practice(index: usize) -> SamplePractice {
    samples::practices().remove(index)
}

pub fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 18).unwrap()
}

pub fn visit_note() -> Vec<u8> {
    samples::visit_note_pdf(&patient(), &practice(0), day())
}

/// Runs an outside program with `{}` replaced by a file of this content; its standard output.
pub fn peer(program: &str, args: &[&str], content: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let path = file.path().to_str().unwrap();
    let output = Command::new(program).args(args.iter().map(|arg| arg.replace("{}", path))).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} failed: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Rewrites a TIFF with libtiff; None when the program is not installed.
pub fn tiffcp(args: &[&str], content: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.tif"), folder.path().join("out.tif"));
    std::fs::write(&from, content).unwrap();
    let status =
        Command::new("tiffcp").args(args).arg(&from).arg(&to).stderr(Stdio::inherit()).status().unwrap();
    assert!(status.success());
    std::fs::read(to).unwrap()
}

/// Files of the test data with one of these extensions; None, with a word about it, when there is no test data.
pub fn test_data(folder: &str, extensions: &[&str]) -> Option<Vec<PathBuf>> {
    let Some(root) = std::env::var_os("CAREPOST_TEST_DATA") else {
        eprintln!("skipped: CAREPOST_TEST_DATA is not set");
        return None;
    };
    let wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        extensions.contains(&extension.to_lowercase().as_str())
    };
    let entries = std::fs::read_dir(Path::new(&root).join(folder)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(wanted).collect();
    files.sort();
    assert!(!files.is_empty());
    Some(files)
}

/// Grey pixels of a PNG.
pub fn grey(png: &[u8]) -> image::GrayImage {
    image::load_from_memory(png).unwrap().into_luma8()
}

/// Share of pixels that are dark, in percent.
pub fn ink(png: &[u8]) -> f64 {
    let picture = grey(png);
    let dark = picture.pixels().filter(|pixel| pixel.0[0] < 128).count();
    dark as f64 * 100.0 / f64::from(picture.width() * picture.height())
}
