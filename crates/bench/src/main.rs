//! Measures Carepost against its targets and prints a table. `script/bench` builds and runs it.

mod directory;
mod fax;
mod fax_line;
mod list;
mod load;
mod memory;
mod noisy;
mod preview;
mod process;
mod send;
mod start;
mod table;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use table::Table;

/// Measures Carepost against its targets.
#[derive(Parser)]
pub struct Options {
    /// Parts to measure; all of them when none is named
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    only: Vec<Part>,
    /// Direct messages that the part `send` sends
    #[arg(long, default_value_t = 400)]
    sends: usize,
    /// Messages of the organization whose Intake is listed and searched, one figure for each run
    #[arg(long, value_delimiter = ',', value_name = "NUMBER,…", default_value = "10000,1000000")]
    messages: Vec<usize>,
    /// Requests of each kind that the part `list` makes
    #[arg(long, default_value_t = 300)]
    requests: usize,
    /// Entries of the part `directory`
    #[arg(long, default_value_t = 5_000_000)]
    entries: usize,
    /// Size in bytes of the files of the part `memory`
    #[arg(long, default_value_t = 20_000_000)]
    file_size: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Direct messages per second and their cost beside bare cryptography
    Send,
    /// Messages of a quiet organization beside a noisy one
    Noisy,
    /// Answers of Intake list and search
    List,
    /// Import and search of the provider directory
    Directory,
    /// First page of PDFs beside pdftoppm and mutool
    Preview,
    /// Pauses of a fax line, fax pages beside Ghostscript, and memory of a long fax
    Fax,
    /// Resident memory, idle and under large files
    Memory,
    /// Time until a node answers that is started again
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
    if options.wants(Part::Directory) {
        directory::measure(&options, &mut table).await?;
    }
    if options.wants(Part::Preview) {
        preview::measure(&mut table).await?;
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
