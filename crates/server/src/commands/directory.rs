//! `carepost directory`: published lists of providers.

use super::open_app;
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use directory::import::{self, List, Options};
use platform::Config;
use std::{
    io::{IsTerminal, Write, stderr},
    path::PathBuf,
};

#[derive(Subcommand)]
pub enum Directory {
    /// Import a list of providers
    ///
    /// An interrupted import continues when it is started again with the same file.
    Import(Import),
    /// Show the latest imports
    Imports,
}

#[derive(Args)]
pub struct Import {
    /// Kind of the file
    #[arg(value_enum)]
    list: ListName,
    /// CSV file with a header line, uncompressed
    file: PathBuf,
    /// The file is the complete list: entries of earlier imports that are not in it are removed
    #[arg(long)]
    complete: bool,
    /// Import the file even if it was already imported
    #[arg(long)]
    again: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ListName {
    /// Registry of National Provider Identifiers (npidata_pfile_….csv)
    Npi,
    /// Directory of providers with Direct addresses; docs/operations.md lists the columns
    Provider,
}

pub async fn run(config: Config, command: Directory) -> Result<()> {
    let app = open_app(config).await?;
    match command {
        Directory::Import(wanted) => {
            let list = match wanted.list {
                ListName::Npi => List::Npi,
                ListName::Provider => List::Provider,
            };
            let options = Options { complete: wanted.complete, again: wanted.again };
            let done = import::run(&app, list, &wanted.file, options, |so_far| {
                if stderr().is_terminal() {
                    eprint!("\r{} rows, {} entries written", so_far.rows, so_far.written);
                    let _ = stderr().flush();
                }
            });
            let done = done.await?;
            if stderr().is_terminal() {
                eprintln!();
            }
            println!(
                "{} rows read: {} entries are new or changed, {} rows have no entry.",
                done.rows, done.written, done.refused
            );
        }
        Directory::Imports => {
            for import in import::history(&app).await? {
                let state = match import.finished_at {
                    Some(at) => format!("finished {}", at.format("%F %R UTC")),
                    None => "unfinished".into(),
                };
                println!("{}  {}  {} rows, {state}", import.source, import.file, import.rows);
            }
        }
    }
    Ok(())
}
