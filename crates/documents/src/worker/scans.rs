//! Reads pages that are pictures.

use std::sync::{Arc, OnceLock};

use super::{
    ConvertError, Converter, Input, Job, Output, Request, WAITING, WAITING_PER_ORGANIZATION, unexpected,
};
use crate::extract::{self, ExtractedPatient, LETTERS_OF_A_PICTURE, Pages, letters};
use crate::{Kind, ocr, places::PlacedText};
use admission::{Pool, Room};

/// Maximum number of pages of a scan whose full text is read.
const PAGES_READ_WHOLE: u32 = 10;

impl Converter {
    /// Patient details. If the text of the file contains none, the first pages are read as pictures, if
    /// Tesseract is installed.
    pub async fn patient(&self, input: Input) -> Result<ExtractedPatient, ConvertError> {
        let kind = input.kind;
        let read = match self.run(Job::PatientExtract, input.clone()).await? {
            Output::Patient(patient) => *patient,
            _ => return Err(unexpected()),
        };
        if !read.is_empty() || !is_picture(kind) || !ocr::is_installed() {
            return Ok(read);
        }
        if says_much(&self.text(input.clone()).await?) {
            return Ok(read);
        }
        self.patient_of_pictures(input).await
    }

    /// The text of a file, page by page. If the file has none itself, its first pages are read as pictures,
    /// if Tesseract is installed; a page may then occur once for each reading.
    pub async fn whole_text(&self, input: Input) -> Result<Vec<String>, ConvertError> {
        let kind = input.kind;
        let mut texts = self.text(input.clone()).await?;
        if !is_picture(kind) || !ocr::is_installed() || says_much(&texts) {
            return Ok(texts);
        }
        let pages = self.page_count(input.clone()).await?.min(PAGES_READ_WHOLE);
        for page in 1..=pages {
            let read = self.page_text(input.clone(), page).await?;
            texts.extend(read.iter().map(|read| ocr::without_unsure(&read.text)));
        }
        Ok(texts)
    }

    /// Patient details from pictures. The page with the most details wins, the first one on a tie.
    async fn patient_of_pictures(&self, input: Input) -> Result<ExtractedPatient, ConvertError> {
        let count = self.page_count(input.clone()).await?;
        let is_cut = count > ocr::PAGES_MAX;
        let (mut best, mut pages) = (ExtractedPatient::default(), Pages::of_one());
        for page in 1..=count.min(ocr::PAGES_MAX) {
            let texts = self.page_text(input.clone(), page).await?;
            let readings: Vec<_> =
                texts.iter().map(|text| extract::from_places(std::slice::from_ref(text))).collect();
            let unsure: Vec<_> =
                texts.iter().map(|text| extract::from_text(&[ocr::with_unsure(&text.text)])).collect();
            let found = extract::agreed(&readings, &unsure).on_page(page);
            let most = texts.iter().map(|text| letters(&ocr::without_unsure(&text.text))).max();
            pages.add(&found, most.unwrap_or_default());
            // Somebody is named on the page, but the readings do not agree who.
            let named = |read: &ExtractedPatient| read.last_name.is_some() || read.birth_date.is_some();
            pages.are_read &= named(&found) || !readings.iter().chain(&unsure).any(named);
            if found.facts() > best.facts() {
                best = found;
            }
            // The other pages tell whether all are about one patient, which stays unknown for more pages.
            if best.is_complete() && is_cut {
                break;
            }
        }
        pages.are_read &= !is_cut && count > 0;
        Ok(ExtractedPatient { pages, ..best })
    }

    /// The text of a page picture, one entry for each reading. For every two processors, one page is read at
    /// a time.
    async fn page_text(&self, input: Input, page: u32) -> Result<Vec<PlacedText>, ConvertError> {
        let limits = ocr::LIMITS;
        let Output::ScannedPage(picture, dpi) = self.run(Job::ScannedPage { page }, input).await? else {
            return Err(unexpected());
        };
        if picture.png.len() as u64 > limits.input {
            return Err(ConvertError::TooLarge);
        }
        let _place = pool().enter(self.party.clone(), 1).await.map_err(|_| ConvertError::Busy)?;
        // The folder is removed with this value, even if the process fails.
        let folder = tempfile::Builder::new().prefix("carepost-ocr-").tempdir()?;
        let request = Request::new(Job::Ocr { dpi }, Kind::Png, limits).in_folder(folder.path());
        match self.perform(request, Input::bytes(Kind::Png, picture.png), limits).await? {
            Output::Scan(texts) => Ok(texts),
            _ => Err(unexpected()),
        }
    }
}

/// Whether the first pages contain more text than a scan does.
fn says_much(texts: &[String]) -> bool {
    texts.iter().take(ocr::PAGES_MAX as usize).map(|text| letters(text)).sum::<usize>() > LETTERS_OF_A_PICTURE
}

fn is_picture(kind: Kind) -> bool {
    matches!(kind, Kind::Pdf | Kind::Tiff | Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp)
}

/// Capacity for reading pictures, in which organizations take turns.
fn pool() -> &'static Arc<Pool> {
    static POOL: OnceLock<Arc<Pool>> = OnceLock::new();
    let processors = std::thread::available_parallelism().map_or(2, |n| n.get() as u64);
    let total = (processors / 2).max(1);
    let room =
        Room { total, per_party: total, waiting_per_party: WAITING_PER_ORGANIZATION, waiting: WAITING };
    POOL.get_or_init(|| Pool::new("Scanned pages", room))
}
