//! The worker's side of the boundary.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clinical::cda;

use super::protocol::{self, Failure, Reply, Request};
use super::{Job, confine};
use crate::convert::{self, ConversionError};
use crate::{Kind, extract, fax, pdf};

/// Serves one job and returns. Call it before any thread exists: a process with threads cannot leave its network.
pub fn main() -> ExitCode {
    main_after(|| {})
}

/// As [`main`], with something to do first inside the confinement: lets tests misbehave there.
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
    let (reply, payload) = if request.job == Job::Confinement {
        (Reply::Confinement(confinement), Vec::new())
    } else {
        guarded(&request, &content)
    };
    let mut stdout = io::stdout().lock();
    stdout.write_all(&protocol::reply(&reply))?;
    stdout.write_all(&payload)?;
    stdout.flush()
}

/// Reads exactly the request, byte for byte: nothing of the file before the confinement.
fn read_request(stdin: &mut impl Read) -> io::Result<Request> {
    let mut length = [0; 4];
    stdin.read_exact(&mut length)?;
    let mut json = vec![0; (u32::from_le_bytes(length) as usize).min(64 * 1024)];
    stdin.read_exact(&mut json)?;
    serde_json::from_slice(&json).map_err(io::Error::other)
}

/// Where the last panic happened. Its message may quote the document, so only the place is kept.
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

fn perform(job: Job, kind: Kind, content: &[u8]) -> Result<(Reply, Vec<u8>), Failure> {
    let reply = match job {
        Job::ToPdf => return Ok((Reply::Pdf, convert::to_pdf(kind, content)?)),
        Job::RenderPage { page, dpi } => {
            let page = pdf::render_page(&viewable(kind, content)?, page, dpi)?;
            return Ok((Reply::Page { width: page.width, height: page.height }, page.png));
        }
        Job::CdaHtml => {
            return Ok((Reply::Html, cda::render::html(&cda::parse_or_text(content)?).into_bytes()));
        }
        Job::CdaOutline => Reply::Outline(Box::new(cda::outline::outline(&cda::parse_or_text(content)?))),
        Job::Text => Reply::Text(convert::to_text(kind, content)?),
        Job::PatientExtract => Reply::Patient(patient(kind, content)?),
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
        Job::Confinement => return Err(Failure::Unsupported),
    };
    Ok((reply, Vec::new()))
}

fn viewable(kind: Kind, content: &[u8]) -> Result<Vec<u8>, Failure> {
    if kind == Kind::Pdf { Ok(content.to_vec()) } else { Ok(convert::to_pdf(kind, content)?) }
}

fn patient(kind: Kind, content: &[u8]) -> Result<extract::ExtractedPatient, Failure> {
    match kind {
        Kind::Cda => Ok(extract::from_cda(&cda::parse_or_text(content)?)),
        _ => Ok(extract::from_text(&convert::to_text(kind, content)?)),
    }
}

impl From<ConversionError> for Failure {
    fn from(error: ConversionError) -> Self {
        match error {
            ConversionError::Unsupported => Self::Unsupported,
            ConversionError::TooLarge => Self::TooLarge,
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

impl From<cda::CdaError> for Failure {
    fn from(error: cda::CdaError) -> Self {
        match error {
            cda::CdaError::TooLarge => Self::TooLarge,
            other => Self::Broken(other.to_string()),
        }
    }
}
