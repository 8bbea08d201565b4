//! The worker's side of the process boundary.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clinical::{cda, referral};

use super::protocol::{self, Failure, Reply, Request};
use super::{Confinement, Job, confine};
use crate::convert;
use crate::error::ConversionError;
use crate::extract::{self, Pages};
use crate::office::{self, OfficeError};
use crate::{Kind, fax, ocr, paging, pdf, reading, signing};

/// Serves one job and returns. Call it before any thread exists: a process with threads cannot leave its
/// network.
pub fn main() -> ExitCode {
    main_after(|| {})
}

/// As [`main`], but first calls `first` inside the confinement, so that tests can misbehave there.
#[doc(hidden)]
pub fn main_after(first: impl FnOnce()) -> ExitCode {
    match serve(first) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(first: impl FnOnce()) -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    let request = read_request(&mut stdin)?;
    let confinement = confine::confine(&request);
    first();
    let mut content = Vec::new();
    stdin.read_to_end(&mut content)?;
    let (reply, payload) = match request.job {
        Job::Confinement => (Reply::Confinement(confinement), Vec::new()),
        Job::Office => office(&request, confinement, &content)?,
        Job::Ocr { dpi } => scanned(&request, dpi, confinement, &content)?,
        _ => guarded(&request, &content),
    };
    let mut stdout = io::stdout().lock();
    stdout.write_all(&protocol::reply(&reply))?;
    stdout.write_all(&payload)?;
    stdout.flush()
}

/// Reads exactly the request, so that nothing of the file is read before the confinement.
fn read_request(stdin: &mut impl Read) -> io::Result<Request> {
    let mut length = [0; 4];
    stdin.read_exact(&mut length)?;
    let mut json = vec![0; (u32::from_le_bytes(length) as usize).min(64 * 1024)];
    stdin.read_exact(&mut json)?;
    serde_json::from_slice(&json).map_err(io::Error::other)
}

/// Location of the last panic. Its message is not kept, since it may quote the document.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn guarded(request: &Request, content: &[u8]) -> (Reply, Vec<u8>) {
    panic::set_hook(Box::new(|info| {
        if let (Some(location), Ok(mut place)) = (info.location(), PANIC.lock()) {
            let file = location.file().rsplit('/').next().unwrap_or_default();
            *place = format!("panic in {file} line {}", location.line());
        }
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(|| perform(request.job, request.kind, content)));
    let place = || PANIC.lock().map(|place| place.clone()).unwrap_or_default();
    match done {
        Ok(Ok(done)) => done,
        Ok(Err(failure)) => (Reply::Failed(failure), Vec::new()),
        Err(_) => (Reply::Failed(Failure::Panicked(place())), Vec::new()),
    }
}

/// Converts a file with LibreOffice. The program is not started without a confinement of files and networks.
fn office(request: &Request, confinement: Confinement, content: &[u8]) -> io::Result<(Reply, Vec<u8>)> {
    let (Some(program), Some(folder)) = (office::program(), &request.folder) else {
        return Ok((Reply::Failed(Failure::Unsupported), Vec::new()));
    };
    if !confinement.files || !confinement.network_cut() {
        return Ok((Reply::Failed(Failure::Unsupported), Vec::new()));
    }
    match office::to_pdf(program, folder, content) {
        Ok(pdf) => Ok((Reply::Pdf, pdf)),
        Err(OfficeError::Locked) => Ok((Reply::Failed(Failure::Encrypted), Vec::new())),
        Err(OfficeError::Unreadable) => {
            let reason = "LibreOffice made no PDF of it".to_owned();
            Ok((Reply::Failed(Failure::Broken(reason)), Vec::new()))
        }
        Err(OfficeError::Io(error)) => Err(error),
    }
}

/// Reads the picture of a page with Tesseract, under the same condition as LibreOffice.
fn scanned(
    request: &Request,
    dpi: (f32, f32),
    confinement: Confinement,
    content: &[u8],
) -> io::Result<(Reply, Vec<u8>)> {
    let (Some(program), Some(folder)) = (ocr::program(), &request.folder) else {
        return Ok((Reply::Failed(Failure::Unsupported), Vec::new()));
    };
    if !confinement.files || !confinement.network_cut() {
        return Ok((Reply::Failed(Failure::Unsupported), Vec::new()));
    }
    let texts = ocr::read(program, folder, content, dpi);
    let broken = || Reply::Failed(Failure::Broken("Tesseract could not read the page".to_owned()));
    Ok((texts.map_or_else(|_| broken(), Reply::Scan), Vec::new()))
}

fn perform(job: Job, kind: Kind, content: &[u8]) -> Result<(Reply, Vec<u8>), Failure> {
    let reply = match job {
        Job::ToPdf => return Ok((Reply::Pdf, convert::to_pdf(kind, content)?)),
        Job::ToKeep { at } => {
            let (pdf, flaws) = convert::to_pdf_to_keep(kind, content, at)?;
            return Ok((Reply::Kept(flaws), pdf));
        }
        Job::RenderPage { page, dpi } => {
            let page = pdf::render_page(&viewable(kind, content)?, page, dpi)?;
            return Ok((Reply::Page { width: page.width, height: page.height }, page.png));
        }
        Job::ScannedPage { page } => {
            let (page, dpi) = pdf::scanned_page(&viewable(kind, content)?, page, ocr::DPI as f32)?;
            return Ok((Reply::ScannedPage { width: page.width, height: page.height, dpi }, page.png));
        }
        Job::CdaHtml => {
            return Ok((Reply::Html, cda::render::html(&cda::parse_or_text(content)?).into_bytes()));
        }
        Job::CdaOutline => {
            Reply::Outline(Box::new(cda::outline::outline(&cda::parse_with_entries(content)?)))
        }
        Job::Text => Reply::Text(convert::to_text(kind, content)?),
        Job::PatientExtract => Reply::Patient(Box::new(patient(kind, content)?)),
        Job::LookAtPages { from, count } => {
            let (looks, sheet) = paging::contact_sheet(content, from, count)?;
            return Ok((Reply::Pages(looks), sheet));
        }
        Job::Assemble => return Ok((Reply::Pdf, paging::assemble_packed(content)?)),
        Job::PrepareSignature => match signing::prepare_packed(content) {
            Ok((made, hole)) => return Ok((Reply::Prepared(Ok(hole)), made)),
            Err(problem) => Reply::Prepared(Err(problem)),
        },
        Job::PageCount => Reply::PageCount(pdf::page_count(&viewable(kind, content)?)?),
        Job::Fax { resolution } => {
            let (tiff, pages) = fax::document(kind, content, resolution)?;
            return Ok((Reply::Fax { pages }, tiff));
        }
        Job::FaxSheet { resolution } => {
            let sheet = serde_json::from_slice(content).map_err(|_| Failure::Unsupported)?;
            let (tiff, pages) = fax::draw_sheet(&sheet, resolution)?;
            return Ok((Reply::Fax { pages }, tiff));
        }
        Job::Referral => Reply::Referral(referral::message_of(content).map(Box::new)),
        Job::Parts => Reply::Parts(reading::list(kind, content)?),
        Job::Part { index } => {
            let part = reading::parts(kind, content)?.into_iter().nth(index).ok_or(Failure::NoSuchPart)?;
            return Ok((Reply::Part(part.info()), part.content));
        }
        Job::Office | Job::Ocr { .. } | Job::Confinement => return Err(Failure::Unsupported),
    };
    Ok((reply, Vec::new()))
}

fn viewable(kind: Kind, content: &[u8]) -> Result<Vec<u8>, Failure> {
    if kind == Kind::Pdf { Ok(content.to_vec()) } else { Ok(convert::to_pdf(kind, content)?) }
}

fn patient(kind: Kind, content: &[u8]) -> Result<extract::ExtractedPatient, Failure> {
    let (patient, pages) = match kind {
        Kind::Cda => (extract::from_cda(&cda::parse_or_text(content)?), Pages::of_one()),
        Kind::Hl7 => (reading::hl7_patient(content), Pages::of_one()),
        // Its papers and pictures are not searched.
        Kind::Zip => (extract::from_package(reading::patients_of_package(content)?), Pages::default()),
        Kind::Pdf => {
            let texts = pdf::placed_text(content)?;
            let pages = Pages::of_texts(texts.iter().map(|page| page.text.as_str()));
            (extract::from_places(&texts), pages)
        }
        _ => {
            let texts = convert::to_text(kind, content)?;
            let pages = Pages::of_texts(texts.iter().map(String::as_str));
            (extract::from_text(&texts), pages)
        }
    };
    Ok(extract::ExtractedPatient { pages, ..patient })
}

impl From<ConversionError> for Failure {
    fn from(error: ConversionError) -> Self {
        match error {
            ConversionError::Unsupported => Self::Unsupported,
            ConversionError::TooLarge => Self::TooLarge,
            ConversionError::Locked => Self::Encrypted,
            ConversionError::Broken(reason) => Self::Broken(reason.to_owned()),
            ConversionError::Pdf(error) => error.into(),
            ConversionError::Cda(error) => error.into(),
            ConversionError::Unprintable(characters) => Self::Unprintable(characters),
        }
    }
}

impl From<pdf::PdfError> for Failure {
    fn from(error: pdf::PdfError) -> Self {
        match error {
            pdf::PdfError::Encrypted => Self::Encrypted,
            pdf::PdfError::Broken | pdf::PdfError::NoPages | pdf::PdfError::NoText => {
                Self::Broken(error.to_string())
            }
            pdf::PdfError::NoSuchPage { pages, .. } => Self::NoSuchPage { pages },
        }
    }
}

impl From<paging::AssemblyError> for Failure {
    fn from(error: paging::AssemblyError) -> Self {
        match error {
            paging::AssemblyError::TooMany => Self::TooLarge,
            paging::AssemblyError::Pdf(error) => error.into(),
            other => Self::Broken(other.to_string()),
        }
    }
}

impl From<cda::CdaError> for Failure {
    fn from(error: cda::CdaError) -> Self {
        match error {
            cda::CdaError::TooLarge => Self::TooLarge,
            other => Self::Broken(other.to_string()),
        }
    }
}
