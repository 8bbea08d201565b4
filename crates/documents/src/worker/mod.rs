//! Converts hostile files in a separate process.
//!
//! [`Converter`] starts one process per job, sends it the file over standard input and reads the result from
//! standard output. The process ([`main`]) confines itself before it reads the file: limits on memory,
//! processor time, open files and file writes, no network, no environment. Whatever the file causes, the
//! caller gets a result or a [`ConvertError`], and nothing remains on the machine.
//!
//! The server starts itself again with a hidden subcommand that only calls [`main`].

mod calls;
mod child;
mod confine;
mod error;
mod protocol;
mod scans;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use admission::{Party, Pool, Room};
use bytes::Bytes;
use chrono::NaiveDateTime;
use clinical::{cda::outline::Outline, referral::Message};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

pub use child::main;
#[doc(hidden)]
pub use child::main_after;
pub use error::{ConvertError, Fault, Unprintable};

use crate::extract::ExtractedPatient;
use crate::fax::{Resolution, Sheet};
pub use crate::limits::Limits;
use crate::paging::{self, PageLook, PickedPage};
pub use crate::pdf::PagePng;
use crate::places::PlacedText;
use crate::reading::PartInfo;
use crate::{Flaws, Kind, office, signing};
use protocol::{Reply, Request};

/// A task for a worker process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Job {
    /// Convert to PDF for viewing; PDF files are returned unchanged.
    ToPdf,
    /// As [`Job::ToPdf`], for archiving.
    ToKeep {
        /// Creation time, UTC.
        at: NaiveDateTime,
    },
    /// Draw one page, after conversion to PDF where needed.
    RenderPage {
        /// Page, counted from 1.
        page: u32,
        /// Pixels per inch.
        dpi: u32,
    },
    /// Draw one page in its scanned resolution, after conversion to PDF where needed.
    ScannedPage {
        /// Page, counted from 1.
        page: u32,
    },
    /// Read the text of each page.
    Text,
    /// Read the patient details.
    PatientExtract,
    /// Count the pages.
    PageCount,
    /// Examine pages of a PDF.
    LookAtPages {
        /// First page, counted from 1.
        from: u32,
        /// Maximum number of pages.
        count: u32,
    },
    /// Assemble pages to a new PDF; the file is the result of [`paging::packed`].
    Assemble,
    /// Prepare a PDF for a signature; the file is the result of [`signing::packed`].
    PrepareSignature,
    /// Render a CDA document as one HTML page.
    CdaHtml,
    /// The structure of a CDA document for the explorer.
    CdaOutline,
    /// Draw all pages as fax pages, after conversion to PDF where needed.
    Fax {
        /// Resolution of the pages.
        resolution: Resolution,
    },
    /// Draw a sheet of a fax; the file is a [`Sheet`] as JSON.
    FaxSheet {
        /// Resolution of the pages.
        resolution: Resolution,
    },
    /// Find the referral message in an XDM package.
    Referral,
    /// List the files in a file.
    Parts,
    /// Extract a file from a file.
    Part {
        /// Index of the file, counted from 0.
        index: usize,
    },
    /// Convert an office file to PDF with LibreOffice, in its own folder.
    Office,
    /// Read the picture of a page with Tesseract, in its own folder.
    Ocr {
        /// Pixels per inch, horizontally and vertically.
        dpi: (f32, f32),
    },
    /// Report the confinement of the process on this machine; ignores the file.
    Confinement,
}

/// Result of a job. The [`Job`] determines the variant.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// PDF file.
    Pdf(Vec<u8>),
    /// PDF file for archiving, and the missing parts of the document.
    Kept(Vec<u8>, Flaws),
    /// Picture of a page.
    Page(PagePng),
    /// Picture of a page, and its pixels per inch, horizontally and vertically.
    ScannedPage(PagePng, (f32, f32)),
    /// Text of each page.
    Text(Vec<String>),
    /// The text of a page picture, one entry for each reading.
    Scan(Vec<PlacedText>),
    /// Patient details.
    Patient(Box<ExtractedPatient>),
    /// Number of pages.
    PageCount(u32),
    /// Appearance of pages, and a PNG with thumbnails of them.
    Pages {
        /// One entry per page.
        looks: Vec<PageLook>,
        /// See [`paging::contact_sheet`].
        sheet: Vec<u8>,
    },
    /// Fax pages in a TIFF file of class F.
    Fax {
        /// The file.
        tiff: Vec<u8>,
        /// Number of pages.
        pages: u32,
    },
    /// PDF file with a hole for a signature, or why it cannot be signed.
    Prepared(Result<(Vec<u8>, Range<usize>), pades::Problem>),
    /// HTML page.
    Html(String),
    /// Structure of a CDA document.
    Outline(Box<Outline>),
    /// The referral message, if the package has one.
    Referral(Option<Box<Message>>),
    /// Files in a file.
    Parts(Vec<PartInfo>),
    /// A file from inside a file.
    Part {
        /// Its properties.
        info: PartInfo,
        /// Its content.
        content: Vec<u8>,
    },
    /// Confinement of the process.
    Confinement(Confinement),
}

/// A file to work on.
#[derive(Debug, Clone)]
pub struct Input {
    kind: Kind,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Bytes(Bytes),
    File(PathBuf),
    Later { size: u64, read: Read },
}

/// Function that reads a file into memory.
type Read = Arc<dyn Fn() -> BoxFuture<'static, io::Result<Bytes>> + Send + Sync>;

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::File(path) => path.fmt(f),
            Self::Later { size, .. } => write!(f, "{size} bytes to be read"),
        }
    }
}

impl Input {
    /// A file in memory.
    pub fn bytes(kind: Kind, content: impl Into<Bytes>) -> Self {
        Self { kind, content: Content::Bytes(content.into()) }
    }

    /// A file on disk. It is streamed to the worker, which cannot open files itself.
    pub fn file(kind: Kind, path: impl Into<PathBuf>) -> Self {
        Self { kind, content: Content::File(path.into()) }
    }

    /// A file of `size` bytes that is read only when its turn comes, so that waiting files take no memory.
    pub fn later<F>(kind: Kind, size: u64, read: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<Bytes>> + Send + 'static,
    {
        let read: Read = Arc::new(move || Box::pin(read()));
        Self { kind, content: Content::Later { size, read } }
    }

    /// Kind of the file.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    async fn len(&self) -> io::Result<u64> {
        match &self.content {
            Content::Later { size, .. } => Ok(*size),
            Content::Bytes(bytes) => Ok(bytes.len() as u64),
            Content::File(path) => Ok(tokio::fs::metadata(path).await?.len()),
        }
    }

    async fn write_to(self, pipe: &mut (impl tokio::io::AsyncWrite + Unpin)) -> io::Result<()> {
        match self.content {
            Content::Bytes(bytes) => pipe.write_all(&bytes).await,
            Content::Later { read, .. } => pipe.write_all(&read().await?).await,
            Content::File(path) => {
                let mut file = tokio::fs::File::open(path).await?;
                tokio::io::copy(&mut file, pipe).await.map(|_| ())
            }
        }
    }
}

/// Limits of all jobs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Maximum number of simultaneous processes.
    pub processes: u32,
    /// Maximum input of simultaneous jobs, in bytes. A larger file runs alone.
    pub bytes: u64,
}

impl Default for Capacity {
    /// One process per processor; 128 MiB.
    fn default() -> Self {
        let processes = std::thread::available_parallelism().map_or(2, |n| n.get() as u32);
        Self { processes, bytes: 128 << 20 }
    }
}

impl Capacity {
    /// Weight of a job: the share of one process for a small job, the size for a larger one.
    fn weight(self, bytes: u64) -> u64 {
        let share = self.bytes / u64::from(self.processes.max(1));
        bytes.clamp(share.max(1), self.bytes.max(1)).div_ceil(UNIT)
    }

    /// One organization may use three quarters.
    fn room(self) -> Room {
        let total = self.bytes.max(1).div_ceil(UNIT);
        let per_party = (total - total / 4).max(1);
        Room { total, per_party, waiting_per_party: WAITING_PER_ORGANIZATION, waiting: WAITING }
    }
}

/// Maximum number of waiting jobs: of one organization, and in total.
const WAITING_PER_ORGANIZATION: usize = 100;
const WAITING: usize = 1_000;

/// Bytes per unit of capacity.
const UNIT: u64 = 1024;

/// Confinement of the worker process on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Confinement {
    /// Whether it has its own network namespace without any link.
    pub network_namespace: bool,
    /// Whether its system calls are limited to those it needs: it cannot open sockets or start programs.
    pub syscall_filter: bool,
    /// Whether limits on memory, processor time, open files and file sizes are set.
    pub limits: bool,
    /// Whether it cannot open any file except fonts.
    pub files: bool,
}

impl Confinement {
    /// Whether the process cannot reach a network.
    pub fn network_cut(self) -> bool {
        self.network_namespace || self.syscall_filter
    }
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |on| if on { "on" } else { "refused by the kernel" };
        write!(
            f,
            "own network namespace: {}; system call filter: {}; resource limits: {}; files: {}",
            word(self.network_namespace),
            word(self.syscall_filter),
            word(self.limits),
            word(self.files)
        )
    }
}

/// Starts a worker process for each job. Clones share the capacity, in which organizations take turns.
#[derive(Debug, Clone)]
pub struct Converter {
    program: PathBuf,
    args: Vec<OsString>,
    limits: Limits,
    capacity: Capacity,
    name: &'static str,
    pool: Arc<Pool>,
    party: Party,
    spare: Option<Arc<Mutex<Option<Child>>>>,
}

impl Converter {
    /// `program args...` must call [`main`]; `program` is an absolute path, usually
    /// [`std::env::current_exe`].
    pub fn new(program: impl Into<PathBuf>, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let (capacity, name) = (Capacity::default(), "Conversion");
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            limits: Limits::default(),
            capacity,
            name,
            pool: Pool::new(name, capacity.room()),
            party: Party::Installation,
            spare: None,
        }
    }

    /// Keeps a spare process ready, since starting one takes longer than many jobs.
    pub fn with_spare(self) -> Self {
        Self { spare: Some(Arc::default()), ..self }
    }

    /// Sets the limits of each job.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the limits of all jobs together.
    pub fn with_capacity(self, capacity: Capacity) -> Self {
        Self { capacity, pool: Pool::new(self.name, capacity.room()), ..self }
    }

    /// Gives the converter its own capacity, under a name that operators see.
    pub fn named(self, name: &'static str) -> Self {
        Self { name, pool: Pool::new(name, self.capacity.room()), ..self }
    }

    /// A clone for the files of one party.
    pub fn of(&self, party: impl Into<Party>) -> Self {
        Self { party: party.into(), ..self.clone() }
    }

    /// Queue of running and waiting jobs.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The file as PDF; a PDF is checked and returned unchanged.
    pub async fn to_pdf(&self, input: Input) -> Result<Vec<u8>, ConvertError> {
        match self.run(Job::ToPdf, input).await? {
            Output::Pdf(pdf) => Ok(pdf),
            _ => Err(unexpected()),
        }
    }

    /// As [`Self::to_pdf`], for archiving, with the creation time `at` (UTC). See
    /// [`crate::convert::to_pdf_to_keep`].
    pub async fn to_pdf_to_keep(&self, input: Input, at: NaiveDateTime) -> Result<Vec<u8>, ConvertError> {
        Ok(self.preview(input, at).await?.0)
    }

    /// As [`Self::to_pdf_to_keep`], with the missing parts of the document.
    pub async fn preview(&self, input: Input, at: NaiveDateTime) -> Result<(Vec<u8>, Flaws), ConvertError> {
        match self.run(Job::ToKeep { at }, input).await? {
            Output::Kept(pdf, flaws) => Ok((pdf, flaws)),
            _ => Err(unexpected()),
        }
    }

    /// One page (counted from 1) as PNG.
    pub async fn render_page(&self, input: Input, page: u32, dpi: u32) -> Result<PagePng, ConvertError> {
        match self.run(Job::RenderPage { page, dpi }, input).await? {
            Output::Page(page) => Ok(page),
            _ => Err(unexpected()),
        }
    }

    /// Number of pages.
    pub async fn page_count(&self, input: Input) -> Result<u32, ConvertError> {
        match self.run(Job::PageCount, input).await? {
            Output::PageCount(pages) => Ok(pages),
            _ => Err(unexpected()),
        }
    }

    /// Examines up to `count` pages of a PDF from page `from`; also returns a PNG with thumbnails of them.
    /// See [`paging::contact_sheet`].
    pub async fn look_at_pages(
        &self,
        pdf: Bytes,
        from: u32,
        count: u32,
    ) -> Result<(Vec<PageLook>, Vec<u8>), ConvertError> {
        match self.run(Job::LookAtPages { from, count }, Input::bytes(Kind::Pdf, pdf)).await? {
            Output::Pages { looks, sheet } => Ok((looks, sheet)),
            _ => Err(unexpected()),
        }
    }

    /// Assembles pages of several PDF files to a new one. See [`paging::assemble`].
    pub async fn assemble(&self, files: &[Bytes], pages: &[PickedPage]) -> Result<Vec<u8>, ConvertError> {
        match self.run(Job::Assemble, Input::bytes(Kind::Unknown, paging::packed(files, pages))).await? {
            Output::Pdf(pdf) => Ok(pdf),
            _ => Err(unexpected()),
        }
    }

    /// Prepares a PDF for a signature, or says why it cannot be signed. The key is not needed here.
    pub async fn prepare_signature(
        &self,
        pdf: &Bytes,
        what: &pades::Signing,
    ) -> Result<Result<pades::Prepared, pades::Problem>, ConvertError> {
        let input = Input::bytes(Kind::Unknown, signing::packed(what, pdf));
        match self.run(Job::PrepareSignature, input).await? {
            Output::Prepared(Err(problem)) => Ok(Err(problem)),
            Output::Prepared(Ok((made, hole))) => {
                pades::Prepared::of_parts(pdf, made, hole).map(Ok).ok_or_else(unexpected)
            }
            _ => Err(unexpected()),
        }
    }

    /// Text of each page; pictures have none.
    pub async fn text(&self, input: Input) -> Result<Vec<String>, ConvertError> {
        match self.run(Job::Text, input).await? {
            Output::Text(pages) => Ok(pages),
            _ => Err(unexpected()),
        }
    }

    /// A CDA document as one safe HTML page.
    pub async fn cda_html(&self, input: Input) -> Result<String, ConvertError> {
        clinical_only(&input)?;
        match self.run(Job::CdaHtml, input).await? {
            Output::Html(html) => Ok(html),
            _ => Err(unexpected()),
        }
    }

    /// The structure of a CDA document.
    pub async fn cda_outline(&self, input: Input) -> Result<Outline, ConvertError> {
        clinical_only(&input)?;
        match self.run(Job::CdaOutline, input).await? {
            Output::Outline(outline) => Ok(*outline),
            _ => Err(unexpected()),
        }
    }

    /// All pages as fax pages in a TIFF file of class F, and the number of pages.
    pub async fn fax(&self, input: Input, resolution: Resolution) -> Result<(Vec<u8>, u32), ConvertError> {
        match self.run(Job::Fax { resolution }, input).await? {
            Output::Fax { tiff, pages } => Ok((tiff, pages)),
            _ => Err(unexpected()),
        }
    }

    /// A sheet of a fax in a TIFF file of class F, and its number of pages.
    pub async fn fax_sheet(
        &self,
        sheet: &Sheet,
        resolution: Resolution,
    ) -> Result<(Vec<u8>, u32), ConvertError> {
        let json = serde_json::to_vec(sheet).map_err(io::Error::other)?;
        match self.run(Job::FaxSheet { resolution }, Input::bytes(Kind::Unknown, json)).await? {
            Output::Fax { tiff, pages } => Ok((tiff, pages)),
            _ => Err(unexpected()),
        }
    }

    /// The referral message in a zip archive, if it is an XDM package with one.
    pub async fn referral(&self, zip: Bytes) -> Result<Option<Message>, ConvertError> {
        match self.run(Job::Referral, Input::bytes(Kind::Zip, zip)).await? {
            Output::Referral(message) => Ok(message.map(|message| *message)),
            _ => Err(unexpected()),
        }
    }

    /// The files in a file: attachments of a mail, documents of an archive, a message or a resource.
    pub async fn parts(&self, input: Input) -> Result<Vec<PartInfo>, ConvertError> {
        match self.run(Job::Parts, input).await? {
            Output::Parts(parts) => Ok(parts),
            _ => Err(unexpected()),
        }
    }

    /// A file from inside a file; `index` counts from 0.
    pub async fn part(&self, input: Input, index: usize) -> Result<(PartInfo, Vec<u8>), ConvertError> {
        match self.run(Job::Part { index }, input).await? {
            Output::Part { info, content } => Ok((info, content)),
            _ => Err(unexpected()),
        }
    }

    /// Confinement of worker processes on this machine.
    pub async fn confinement(&self) -> Result<Confinement, ConvertError> {
        match self.run(Job::Confinement, Input::bytes(Kind::Unknown, Bytes::new())).await? {
            Output::Confinement(confinement) => Ok(confinement),
            _ => Err(unexpected()),
        }
    }

    /// Runs one job in its own process, as soon as there is capacity. Dropping the future kills the process.
    /// An office file is converted to PDF first.
    pub async fn run(&self, job: Job, input: Input) -> Result<Output, ConvertError> {
        if !input.kind.is_office() || matches!(job, Job::Confinement | Job::Parts | Job::Part { .. }) {
            return self.work(job, input).await;
        }
        let pdf = self.office(input).await?;
        match job {
            Job::ToPdf => Ok(Output::Pdf(pdf)),
            Job::ToKeep { .. } => Ok(Output::Kept(pdf, Flaws::default())),
            job => self.work(job, Input::bytes(Kind::Pdf, pdf)).await,
        }
    }

    async fn work(&self, job: Job, input: Input) -> Result<Output, ConvertError> {
        let size = input.len().await?;
        if size > self.limits.input {
            return Err(ConvertError::TooLarge);
        }
        let place = self.pool.enter(self.party.clone(), self.capacity.weight(size)).await;
        let _place = place.map_err(|_| ConvertError::Busy)?;
        self.perform(Request::new(job, input.kind, self.limits), input, self.limits).await
    }

    /// Converts an office file to PDF. The node converts one office file at a time, for all converters.
    async fn office(&self, input: Input) -> Result<Vec<u8>, ConvertError> {
        let limits = office::LIMITS;
        if !office::is_installed() {
            return Err(ConvertError::Unsupported(input.kind));
        }
        if input.len().await? > limits.input {
            return Err(ConvertError::TooLarge);
        }
        let _place = office_pool().enter(self.party.clone(), 1).await.map_err(|_| ConvertError::Busy)?;
        // The folder is removed with this value, even if the process fails.
        let folder = tempfile::Builder::new().prefix("carepost-office-").tempdir()?;
        let request = Request::new(Job::Office, input.kind, limits).in_folder(folder.path());
        match self.perform(request, input, limits).await? {
            Output::Pdf(pdf) => Ok(pdf),
            _ => Err(unexpected()),
        }
    }

    async fn perform(&self, request: Request, input: Input, limits: Limits) -> Result<Output, ConvertError> {
        let (job, kind) = (request.job, request.kind);
        let mut child = self.process()?;
        let answered =
            tokio::time::timeout(limits.wall, talk(&mut child, &request, input, limits.output)).await;
        let Ok(talked) = answered else {
            child.kill().await?;
            return Err(ConvertError::TimedOut);
        };
        let Talk { answer, complaint, status } = match talked {
            Ok(talk) => talk,
            Err(error) => {
                child.kill().await?;
                return Err(error);
            }
        };
        if !status.success() {
            return Err(crash(status, &complaint));
        }
        let (reply, payload) = protocol::split_reply(answer).ok_or_else(unexpected)?;
        output(reply, payload, kind, job)
    }

    /// Takes the spare process, or starts one. The next spare starts while this one works.
    fn process(&self) -> io::Result<Child> {
        let Some(spare) = &self.spare else { return self.spawn() };
        let waiting = lock(spare).take().and_then(|mut child| match child.try_wait() {
            Ok(None) => Some(child),
            _ => None,
        });
        let child = waiting.map_or_else(|| self.spawn(), Ok)?;
        let (converter, spare) = (self.clone(), spare.clone());
        tokio::spawn(async move {
            if lock(&spare).is_none() {
                let next = converter.spawn().ok();
                *lock(&spare) = next;
            }
        });
        Ok(child)
    }

    fn spawn(&self) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.args)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }
}

async fn talk(child: &mut Child, request: &Request, input: Input, most: u64) -> Result<Talk, ConvertError> {
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(unexpected());
    };
    let request = protocol::request(request);
    let send = async move {
        let sent = match stdin.write_all(&request).await {
            Ok(()) => input.write_to(&mut stdin).await,
            failed => failed,
        };
        // A worker that gives up early closes its pipe; its answer or exit status has the reason.
        sent.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
    };
    let answer = read_up_to(stdout, most);
    let complaint = read_up_to(stderr, 64 * 1024);
    let (sent, answer, complaint) = tokio::join!(send, answer, complaint);
    sent?;
    let status = child.wait().await?;
    Ok(Talk { answer: answer?, complaint: complaint.unwrap_or_default(), status })
}

/// Capacity for one office file at a time, in which organizations take turns.
fn office_pool() -> &'static Arc<Pool> {
    static POOL: OnceLock<Arc<Pool>> = OnceLock::new();
    let room = Room { total: 1, per_party: 1, waiting_per_party: WAITING_PER_ORGANIZATION, waiting: WAITING };
    POOL.get_or_init(|| Pool::new("Office documents", room))
}

fn lock(spare: &Mutex<Option<Child>>) -> MutexGuard<'_, Option<Child>> {
    spare.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Talk {
    answer: Vec<u8>,
    complaint: Vec<u8>,
    status: ExitStatus,
}

async fn read_up_to(pipe: impl AsyncRead + Unpin, limit: u64) -> Result<Vec<u8>, ConvertError> {
    let mut content = Vec::new();
    pipe.take(limit + 1).read_to_end(&mut content).await?;
    if content.len() as u64 > limit { Err(ConvertError::TooLarge) } else { Ok(content) }
}

fn output(reply: Reply, payload: Vec<u8>, kind: Kind, job: Job) -> Result<Output, ConvertError> {
    Ok(match reply {
        Reply::Pdf => Output::Pdf(payload),
        Reply::Kept(flaws) => Output::Kept(payload, flaws),
        Reply::Page { width, height } => Output::Page(PagePng { png: payload, width, height }),
        Reply::ScannedPage { width, height, dpi } => {
            Output::ScannedPage(PagePng { png: payload, width, height }, dpi)
        }
        Reply::Text(pages) => Output::Text(pages),
        Reply::Scan(readings) => Output::Scan(readings),
        Reply::Patient(patient) => Output::Patient(patient),
        Reply::PageCount(pages) => Output::PageCount(pages),
        Reply::Pages(looks) => Output::Pages { looks, sheet: payload },
        Reply::Prepared(prepared) => Output::Prepared(prepared.map(|hole| (payload, hole))),
        Reply::Html => Output::Html(String::from_utf8(payload).map_err(|_| unexpected())?),
        Reply::Fax { pages } => Output::Fax { tiff: payload, pages },
        Reply::Outline(outline) => Output::Outline(outline),
        Reply::Referral(message) => Output::Referral(message),
        Reply::Parts(parts) => Output::Parts(parts),
        Reply::Part(info) => Output::Part { info, content: payload },
        Reply::Confinement(confinement) => Output::Confinement(confinement),
        Reply::Failed(failure) => return Err(ConvertError::from_failure(failure, kind, job)),
    })
}

/// Refuses other kinds of files, which would otherwise be shown as damaged clinical documents.
fn clinical_only(input: &Input) -> Result<(), ConvertError> {
    if input.kind == Kind::Cda { Ok(()) } else { Err(ConvertError::Unsupported(input.kind)) }
}

fn unexpected() -> ConvertError {
    ConvertError::Crashed("no valid answer".to_owned())
}

fn crash(status: ExitStatus, complaint: &[u8]) -> ConvertError {
    use std::os::unix::process::ExitStatusExt;
    let complaint = String::from_utf8_lossy(complaint);
    match status.signal() {
        Some(libc::SIGXCPU) => ConvertError::TooComplex,
        Some(libc::SIGALRM) => ConvertError::TimedOut,
        Some(libc::SIGABRT) if complaint.contains("memory allocation of") => ConvertError::OutOfMemory,
        Some(signal) => ConvertError::Crashed(format!("signal {signal}")),
        None => ConvertError::Crashed(format!("exit status {}", status.code().unwrap_or(-1))),
    }
}
