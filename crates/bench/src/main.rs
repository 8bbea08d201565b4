//! Measures Carepost against its targets and prints a table. `script/bench` builds and runs it.

mod adt;
mod bulk;
mod capture;
mod clinical_documents;
mod console;
mod directory;
mod fax;
mod fax_line;
mod filing;
mod grids;
mod list;
mod lookup;
mod memory;
mod mllp;
mod noisy;
mod patients;
mod preview;
mod process;
mod reading;
mod retry;
mod send;
mod start;
mod table;
mod webhooks;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use table::Table;
use testkit::{history, load};

/// Measures Carepost against its targets.
#[derive(Parser)]
pub struct Options {
    /// Parts to measure; all of them when none is named
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    only: Vec<Part>,
    /// Direct messages sent by the part `send`
    #[arg(long, default_value_t = 400)]
    sends: usize,
    /// Messages in the Intake that is listed and searched, one figure for each run
    #[arg(long, value_delimiter = ',', value_name = "NUMBER,…", default_value = "10000,1000000")]
    messages: Vec<usize>,
    /// Requests of each kind in the parts `list`, `grids`, `lookup` and `console`; `capture` makes ten times as many
    #[arg(long, default_value_t = 300)]
    requests: usize,
    /// Messages in the history of the part `grids`, with five step attempts each, one figure for each run
    #[arg(long, value_delimiter = ',', value_name = "NUMBER,…", default_value = "20000,200000")]
    history: Vec<usize>,
    /// Failed steps of the part `retry`
    #[arg(long, default_value_t = 10_000)]
    retries: usize,
    /// Organizations of the part `console`, with ten users each
    #[arg(long, default_value_t = 10_000)]
    organizations: usize,
    /// Entries of the part `directory`
    #[arg(long, default_value_t = 5_000_000)]
    entries: usize,
    /// Patients of one organization in the parts `patients` and `lookup`
    #[arg(long, default_value_t = 100_000)]
    patients: usize,
    /// Size in bytes of the files of the part `memory`
    #[arg(long, default_value_t = 20_000_000)]
    file_size: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Direct messages per second and their cost compared with bare cryptography
    Send,
    /// Waiting times of a quiet organization beside a noisy one
    Noisy,
    /// Intake list and search, with rules and saved filters
    List,
    /// One action on 10,000 matching messages
    Bulk,
    /// Messages, workflows and dashboards of operators, with a long history
    Grids,
    /// Retry of many failed steps
    Retry,
    /// Organizations and users in the console, their reports and an import
    Console,
    /// Messages received by HL7 v2, including from python-hl7
    Mllp,
    /// Events of an EHR received by HL7 v2, and applied
    Adt,
    /// Finding patients whom an EHR reported
    Lookup,
    /// Increase of a request's time by capturing API calls
    Capture,
    /// Events delivered to 50 endpoints, alone and beside one that never answers
    Webhooks,
    /// Documents filed into charts of a slow EHR
    Filing,
    /// Import and search of the provider directory
    Directory,
    /// Finding patients of one organization
    Patients,
    /// First page and all pages of PDFs, compared with pdftoppm and mutool
    Preview,
    /// Rendering of clinical documents, compared with xsltproc
    Clinical,
    /// Patients read from text, scans and faxes
    Reading,
    /// Pauses of a fax line, fax pages compared with Ghostscript, and memory of a long fax
    Fax,
    /// Resident memory, idle and under large files
    Memory,
    /// Time until a restarted node answers
    Start,
}

impl Options {
    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let mut table = Table::default();
    if options.wants(Part::Send) {
        send::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Noisy) {
        noisy::measure(&mut table).await?;
    }
    if options.wants(Part::List) {
        list::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Bulk) {
        bulk::measure(&mut table).await?;
    }
    if options.wants(Part::Grids) {
        grids::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Retry) {
        retry::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Console) {
        console::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Mllp) {
        mllp::measure(&mut table).await?;
    }
    if options.wants(Part::Adt) {
        adt::measure(&mut table).await?;
    }
    if options.wants(Part::Lookup) {
        lookup::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Capture) {
        capture::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Webhooks) {
        webhooks::measure(&mut table).await?;
    }
    if options.wants(Part::Filing) {
        filing::measure(&mut table).await?;
    }
    if options.wants(Part::Directory) {
        directory::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Patients) {
        patients::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Preview) {
        preview::measure(&mut table).await?;
    }
    if options.wants(Part::Clinical) {
        clinical_documents::measure(&mut table).await?;
    }
    if options.wants(Part::Reading) {
        reading::measure(&mut table).await?;
    }
    if options.wants(Part::Fax) {
        fax_line::measure(&mut table).await?;
        fax::measure(&mut table).await?;
    }
    if options.wants(Part::Memory) {
        memory::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Start) {
        start::measure(&mut table).await?;
    }
    if cfg!(debug_assertions) {
        println!("\nThis is a development build: the figures say nothing about speed.");
    }
    println!("\n{table}");
    Ok(())
}
