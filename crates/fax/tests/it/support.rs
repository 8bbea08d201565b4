//! Shared by all tests.

use std::fs;
use std::io::Cursor;

use chrono::NaiveDate;
use documents::worker::{Converter, Input};
use documents::{Kind, samples};
use fax::pages::{self, Contents};
use fax::{FaxNumber, OutgoingFax, Resolution};
use tempfile::TempDir;
use uuid::Uuid;

use crate::CONVERT;

/// A fax of the pages of a sample paper, with the folder that keeps its file.
pub struct Sample {
    pub fax: OutgoingFax,
    _folder: TempDir,
}

impl Sample {
    pub fn content(&self) -> Vec<u8> {
        fs::read(&self.fax.tiff).unwrap()
    }
}

pub fn number(digits: &str) -> FaxNumber {
    FaxNumber::from_e164(digits).unwrap()
}

/// The program that draws documents, which is this one.
pub fn converter() -> Converter {
    Converter::new(std::env::current_exe().unwrap(), [CONVERT])
}

/// Two pages of a few lines for that number, which take seconds to send.
pub async fn short_pages_to(to: &str) -> Sample {
    let sample = two_pages_to(to);
    let notes = ["Right knee pain since spring.", "No swelling. X-ray in two weeks."];
    let documents = notes.map(|note| Input::bytes(Kind::Text, note.repeat(8).into_bytes())).into();
    let contents = Contents { documents, ..Contents::default() };
    let pages = pages::render(&converter(), contents, Resolution::Fine, &sample.fax.tiff).await;
    assert_eq!(pages.unwrap(), 2);
    sample
}

/// A page of a few lines for that number, and one that takes a while to send.
pub async fn short_and_long_page_to(to: &str) -> Sample {
    let (short, sample) = (short_pages_to(to).await, two_pages_to(to));
    let page = |sample: &Sample, page: u32| {
        let mut file = Cursor::new(Vec::new());
        documents::fax::select(&sample.content(), page, page, &mut file).unwrap();
        file.into_inner()
    };
    let mut file = Cursor::new(Vec::new());
    documents::fax::assemble(&[page(&short, 1), page(&sample, 1)], &mut file).unwrap();
    fs::write(&sample.fax.tiff, file.into_inner()).unwrap();
    sample
}

/// Two pages for that number, as a machine scans them.
pub fn two_pages_to(to: &str) -> Sample {
    let (patients, practices) = (samples::patients(), samples::practices());
    let day = NaiveDate::from_ymd_opt(2026, 11, 19).unwrap();
    let paper = samples::visit_note_pdf(&patients[0], &practices[0], day);
    let tiff = samples::fax_tiff(&paper, "11/19/2026 08:12 AM", "TRI-VALLEY CARDIOLOGY +1 312 555 0100");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fax.tif");
    fs::write(&path, &tiff).unwrap();
    let from = number("+13125550100");
    let fax = OutgoingFax {
        key: Uuid::now_v7(),
        station_id: from.station_id(),
        from,
        to: number(to),
        sender_name: "Tri-Valley Cardiology".to_owned(),
        tiff: path,
        pages: documents::fax::page_count(&tiff).unwrap(),
        first_page: 1,
        resolution: Resolution::Fine,
    };
    assert_eq!(fax.pages, 2);
    Sample { fax, _folder: folder }
}
