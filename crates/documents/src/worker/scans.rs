//! Reading pages that are pictures.

use std::sync::{Arc, OnceLock};

use super::{
    ConvertError, Converter, Input, Job, Output, Request, WAITING, WAITING_PER_ORGANIZATION, unexpected,
};
use crate::{Kind, extract, extract::ExtractedPatient, ocr, places::PlacedText};
use admission::{Pool, Room};

/// A scan may have the line of a fax machine or a stamp as text. What has more than that was read already.
const LETTERS_OF_A_PICTURE: usize = 200;
/// Pages of a scan whose whole text is read.
const PAGES_READ_WHOLE: u32 = 10;

impl Converter {
    /// Patient details, as far as they are readable. Where the text says nothing, the first pages are looked at as pictures,
    /// if Tesseract is installed.
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

    /// The text of a file, page by page. Where the file itself says nothing, the first pages are looked at as pictures, if
    /// Tesseract is installed; then a page may stand there once for each way of looking at it.
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

    /// The page that tells most wins, the first of several.
    async fn patient_of_pictures(&self, input: Input) -> Result<ExtractedPatient, ConvertError> {
        let pages = self.page_count(input.clone()).await?.min(ocr::PAGES_MAX);
        let mut best = ExtractedPatient::default();
        for page in 1..=pages {
            let texts = self.page_text(input.clone(), page).await?;
            let readings: Vec<_> =
                texts.iter().map(|text| extract::from_places(std::slice::from_ref(text))).collect();
            let unsure: Vec<_> =
                texts.iter().map(|text| extract::from_text(&[ocr::with_unsure(&text.text)])).collect();
            let found = extract::agreed(&readings, &unsure).on_page(page);
            if found.facts() > best.facts() {
                best = found;
            }
            if best.is_complete() {
                break;
            }
        }
        Ok(best)
    }

    /// The text of the picture of a page, once for each way of looking at it: one page at a time for each two processors.
    async fn page_text(&self, input: Input, page: u32) -> Result<Vec<PlacedText>, ConvertError> {
        let limits = ocr::LIMITS;
        let Output::ScannedPage(picture, dpi) = self.run(Job::ScannedPage { page }, input).await? else {
            return Err(unexpected());
        };
        if picture.png.len() as u64 > limits.input {
            return Err(ConvertError::TooLarge);
        }
        let _place = pool().enter(self.party.clone(), 1).await.map_err(|_| ConvertError::Busy)?;
        // The folder goes with this value, whatever becomes of the process.
        let folder = tempfile::Builder::new().prefix("carepost-ocr-").tempdir()?;
        let request = Request::new(Job::Ocr { dpi }, Kind::Png, limits).in_folder(folder.path());
        match self.perform(request, Input::bytes(Kind::Png, picture.png), limits).await? {
            Output::Scan(texts) => Ok(texts),
            _ => Err(unexpected()),
        }
    }
}

/// Whether there is more on the first pages than a scan has as text.
fn says_much(texts: &[String]) -> bool {
    let letters = |text: &String| text.chars().filter(|c| c.is_alphanumeric()).count();
    texts.iter().take(ocr::PAGES_MAX as usize).map(letters).sum::<usize>() > LETTERS_OF_A_PICTURE
}

fn is_picture(kind: Kind) -> bool {
    matches!(kind, Kind::Pdf | Kind::Tiff | Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp)
}

/// Room for reading pictures, in which organizations take turns.
fn pool() -> &'static Arc<Pool> {
    static POOL: OnceLock<Arc<Pool>> = OnceLock::new();
    let processors = std::thread::available_parallelism().map_or(2, |n| n.get() as u64);
    let total = (processors / 2).max(1);
    let room =
        Room { total, per_party: total, waiting_per_party: WAITING_PER_ORGANIZATION, waiting: WAITING };
    POOL.get_or_init(|| Pool::new("Scanned pages", room))
}
