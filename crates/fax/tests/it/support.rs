//! Shared by all tests.

use std::fs;

use chrono::NaiveDate;
use documents::samples;
use fax::{FaxNumber, OutgoingFax, Resolution};
use tempfile::TempDir;
use uuid::Uuid;

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

/// Two pages for that number.
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
