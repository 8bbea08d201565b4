//! Fax pages, checked with libtiff and through the PDF made of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use chrono::NaiveDate;
use documents::worker::Input;
use documents::{Kind, samples};
use fax::pages::{
    self, Attachment, Contents, Cover, Header, RenderError, Resolution, Sheet, page_count, stamp, to_pdf,
};
use tempfile::TempDir;

use crate::support::converter;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    async fn render(&self, contents: Contents) -> Result<u32, RenderError> {
        pages::render(&converter(), contents, Resolution::Fine, &self.file("fax.tif")).await
    }
}

fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 19).unwrap()
}

fn visit_note() -> Input {
    let (patient, practice) = (samples::patients().remove(0), samples::practices().remove(0));
    Input::bytes(Kind::Pdf, samples::visit_note_pdf(&patient, &practice, day()))
}

fn documents(documents: Vec<Input>) -> Contents {
    Contents { documents, ..Contents::default() }
}

fn cover() -> Cover {
    Cover {
        brand: "Tri-Valley Cardiology".to_owned(),
        logo: None,
        address: vec!["1 Main Street".to_owned()],
        to_name: "Summit Family Practice".to_owned(),
        to_number: "740-555-0142".to_owned(),
        from_name: "Nia Castellanos".to_owned(),
        from_number: "312-555-0100".to_owned(),
        date: day().and_hms_opt(8, 12, 0).unwrap(),
        pages: 0,
        subject: "Visit".to_owned(),
        comments: "Please call.".to_owned(),
        notice: "Confidential.".to_owned(),
    }
}

fn tiffinfo(file: &Path) -> String {
    let output = Command::new("tiffinfo").arg(file).output().expect("tiffinfo, of libtiff-tools, is needed");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn libtiff_reads_pages_of_class_f() {
    let place = Place::new();
    let pages = place.render(documents(vec![visit_note()])).await.unwrap();
    let info = tiffinfo(&place.file("fax.tif"));
    let count = |what: &str| info.matches(what).count();
    assert_eq!(count("TIFF Directory at"), pages as usize);
    for (what, value) in [
        ("Image Width: 1728 Image Length: 2156", pages),
        ("Resolution: 204, 196 pixels/inch", pages),
        ("Compression Scheme: CCITT Group 4", pages),
        ("Photometric Interpretation: min-is-white", pages),
        ("Bits/Sample: 1", pages),
        (&format!("Page Number: 1-{pages}"), 1),
    ] {
        assert_eq!(count(what), value as usize, "{what}");
    }
}

#[tokio::test]
async fn the_cover_comes_first_then_sheets_then_documents_and_the_cover_counts_them_all() {
    let place = Place::new();
    let attachment =
        Attachment { name: "Visit.pdf".to_owned(), description: "The visit".to_owned(), pages: Some(2) };
    let sheets = vec![
        Sheet::Details {
            title: "Details".to_owned(),
            rows: vec![("Patient".to_owned(), "Avery".to_owned())],
        },
        Sheet::Message { subject: "Visit".to_owned(), text: "Dear colleague".to_owned() },
        Sheet::Attachments(vec![attachment]),
    ];
    let contents = |sheets| Contents {
        cover: Some(cover()),
        sheets,
        documents: vec![visit_note(), Input::bytes(Kind::Text, "Further remarks")],
    };
    let together = contents(vec![Sheet::Together(sheets.clone())]);
    assert_eq!(place.render(together).await.unwrap(), 1 + 1 + 2 + 1, "short sheets share a page");
    let pages = place.render(contents(sheets)).await.unwrap();
    assert_eq!(pages, 1 + 3 + 2 + 1);
    let content = std::fs::read(place.file("fax.tif")).unwrap();
    assert_eq!(page_count(&content).unwrap(), pages);
}

#[tokio::test]
async fn every_page_has_the_header_and_is_unchanged_below_it() {
    let place = Place::new();
    let (plain, stamped) = (place.file("fax.tif"), place.file("stamped.tif"));
    let pages = place.render(documents(vec![visit_note()])).await.unwrap();
    let header = Header {
        sender: "Tri-Valley Cardiology".to_owned(),
        number: "312-555-0100".to_owned(),
        time: day().and_hms_opt(8, 12, 0).unwrap(),
    };
    assert_eq!(stamp(&plain, &header, &stamped).unwrap(), pages);
    let (before, after) = (rows(&plain), rows(&stamped));
    assert_eq!(before.len(), after.len());
    let height = 2156;
    for page in 0..pages as usize {
        let differing: Vec<_> =
            (0..height).filter(|row| before[page * height + row] != after[page * height + row]).collect();
        assert!(!differing.is_empty() && differing.iter().all(|row| *row < 38), "{differing:?}");
    }
}

/// The pixel rows of all pages, unpacked by libtiff.
fn rows(tiff: &Path) -> Vec<Vec<u8>> {
    let unpacked = tiff.with_extension("raw.tif");
    let status = Command::new("tiffcp")
        .args(["-c", "none", "-r", "100000"])
        .arg(tiff)
        .arg(&unpacked)
        .status()
        .unwrap();
    assert!(status.success());
    let mut rows = Vec::new();
    let info = tiffinfo_strips(&unpacked);
    let content = std::fs::read(&unpacked).unwrap();
    for (start, length) in info {
        rows.extend(content[start..start + length].chunks(1728 / 8).map(<[u8]>::to_vec));
    }
    rows
}

/// Offset and length of each page in an unpacked file with one strip per page.
fn tiffinfo_strips(tiff: &Path) -> Vec<(usize, usize)> {
    let output = Command::new("tiffinfo").arg("-s").arg(tiff).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let strips = text.lines().filter_map(|line| {
        let numbers = line.trim().strip_prefix("0: [")?.strip_suffix(']')?;
        let (start, length) = numbers.split_once(',')?;
        Some((start.trim().parse().unwrap(), length.trim().parse().unwrap()))
    });
    strips.collect()
}

#[tokio::test]
async fn pages_become_a_pdf_of_the_paper_size() {
    let place = Place::new();
    let pages = place.render(documents(vec![visit_note()])).await.unwrap();
    let tiff = std::fs::read(place.file("fax.tif")).unwrap();
    for pdf in [to_pdf(&converter(), tiff.clone()).await.unwrap(), documents::fax::pdf(&tiff).unwrap()] {
        assert!(pdf.len() < tiff.len() + 10_000, "{} {}", pdf.len(), tiff.len());
        let file = place.file("fax.pdf");
        std::fs::write(&file, pdf).unwrap();
        let output =
            Command::new("pdfinfo").arg(&file).output().expect("pdfinfo, of poppler-utils, is needed");
        let info = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{info}");
        assert!(info.contains(&format!("Pages:           {pages}")), "{info}");
        assert!(info.contains("609.88") || info.contains("letter"), "{info}");
    }
}

#[tokio::test]
async fn broken_and_empty_documents_are_refused_with_a_reason() {
    let place = Place::new();
    let no_pages = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n\
        trailer<</Root 1 0 R>>\n%%EOF"
        .to_vec();
    let empty = place.render(documents(vec![Input::bytes(Kind::Pdf, no_pages)])).await.unwrap_err();
    assert_eq!((empty.to_string().as_str(), empty.is_permanent()), ("The document has no pages.", true));
    let broken =
        place.render(documents(vec![visit_note(), Input::bytes(Kind::Pdf, "%PDF-1.7 nothing")])).await;
    let broken = broken.unwrap_err();
    assert!(matches!(broken, RenderError::Document { index: 1, .. }), "{broken:?}");
    assert_eq!(broken.to_string(), "The document is damaged and cannot be faxed.");
    let nothing = place.render(Contents::default()).await.unwrap_err();
    assert_eq!(nothing.to_string(), "There is nothing to fax.");
}

#[tokio::test]
async fn files_that_are_not_faxes_are_not_stamped() {
    let place = Place::new();
    let header =
        Header { sender: String::new(), number: String::new(), time: day().and_hms_opt(8, 0, 0).unwrap() };
    for content in [&b""[..], b"II*\0", b"II*\0\x08\0\0\0\0\0\0\0\0\0", b"%PDF-1.7"] {
        std::fs::write(place.file("bad.tif"), content).unwrap();
        let error = stamp(&place.file("bad.tif"), &header, &place.file("out.tif")).unwrap_err();
        assert!(error.is_permanent());
        assert!(documents::fax::pdf(content).is_err());
    }
}
