//! Helpers for all tests.

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

/// Runs an external program, with `{}` replaced by a file of this content; returns its standard output.
pub fn peer(program: &str, args: &[&str], content: &[u8]) -> String {
    String::from_utf8_lossy(&peer_bytes(program, args, content)).into_owned()
}

/// As [`peer`], for programs with binary output.
pub fn peer_bytes(program: &str, args: &[&str], content: &[u8]) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let path = file.path().to_str().unwrap();
    let output = Command::new(program).args(args.iter().map(|arg| arg.replace("{}", path))).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} failed: {said}");
    output.stdout
}

/// A PDF file of one Letter page, built object by object. Catalog, page tree and page are objects 1 to 3, a
/// font without embedding is object 4 (`/F` on the page), the content is object 5.
pub struct Pdf {
    catalog: String,
    page: String,
    objects: Vec<(u32, String)>,
}

impl Pdf {
    pub fn page(resources: &str, content: &str) -> Self {
        let resources = if resources.contains("/Font") {
            resources.to_owned()
        } else {
            format!("/Font << /F 4 0 R >> {resources}")
        };
        let page = format!(
            "/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << {resources} >>"
        );
        let mut pdf = Self { catalog: String::new(), page, objects: Vec::new() };
        pdf.object(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        pdf.object(4, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
        pdf.stream(5, "", content);
        pdf
    }

    /// Adds entries to the catalog.
    pub fn with_catalog(self, entries: &str) -> Self {
        Self { catalog: entries.to_owned(), ..self }
    }

    /// Adds entries to the page.
    pub fn with_page(&mut self, entries: &str) {
        self.page.push_str(entries);
    }

    pub fn object(&mut self, number: u32, content: &str) {
        self.objects.push((number, content.to_owned()));
    }

    pub fn stream(&mut self, number: u32, entries: &str, content: &str) {
        self.object(
            number,
            &format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len()),
        );
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.object(1, &format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.catalog));
        self.object(3, &format!("<< {} >>", self.page));
        self.objects.sort();
        let mut file = "%PDF-1.7\n".to_owned();
        let mut table = String::from("xref\n0 1\n0000000000 65535 f \n");
        for (number, content) in &self.objects {
            table.push_str(&format!("{number} 1\n{:010} 00000 n \n", file.len()));
            file.push_str(&format!("{number} 0 obj\n{content}\nendobj\n"));
        }
        let (at, size) = (file.len(), self.objects.last().map_or(0, |(number, _)| number + 1));
        file.push_str(&format!("{table}trailer\n<< /Root 1 0 R /Size {size} >>\nstartxref\n{at}\n%%EOF\n"));
        file.into_bytes()
    }
}

/// Rewrites a TIFF with libtiff.
pub fn tiffcp(args: &[&str], content: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.tif"), folder.path().join("out.tif"));
    std::fs::write(&from, content).unwrap();
    let status =
        Command::new("tiffcp").args(args).arg(&from).arg(&to).stderr(Stdio::inherit()).status().unwrap();
    assert!(status.success());
    std::fs::read(to).unwrap()
}

/// Files of the test data with one of these extensions; `None`, with a notice, if there is no test data.
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

/// Share of dark pixels, in percent.
pub fn ink(png: &[u8]) -> f64 {
    let picture = grey(png);
    let dark = picture.pixels().filter(|pixel| pixel.0[0] < 128).count();
    dark as f64 * 100.0 / f64::from(picture.width() * picture.height())
}
