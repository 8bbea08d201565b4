//! `carepost directory`: lists of providers that others publish.

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
    /// An import that is interrupted goes on where it stood when it is started again with the same file.
    Import(Import),
    /// Show the latest imports
    Imports,
}

#[derive(Args)]
pub struct Import {
    /// What the file is
    #[arg(value_enum)]
    list: ListName,
    /// CSV file with a header line, uncompressed
    file: PathBuf,
    /// The file is the whole list: entries of earlier imports that it does not name are removed
    #[arg(long)]
    complete: bool,
    /// Import the file although it was imported already
    #[arg(long)]
    again: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ListName {
    /// Registry of National Provider Identifiers (npidata_pfile_….csv)
    Npi,
    /// Directory of providers with Direct addresses; docs/operations.md names the columns
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
                "{} rows were read: {} entries are new or changed, {} rows hold none.",
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
