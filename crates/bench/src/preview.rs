//! Part `preview`: the first page of PDFs as a picture, beside other programs that do the same.
//!
//! Each gets a new process a file, from the asking to the finished picture. That of Carepost was started ahead, as in
//! a server that runs; the others are started as people start them.

use crate::table::Table;
use anyhow::{Result, bail};
use chrono::NaiveDate;
use documents::{
    Kind,
    samples::{
        cardiology_consultation_pdf, lab_report_pdf, patients, practices, referral_letter_pdf, visit_note_pdf,
    },
    worker::{Converter, Input},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The subcommand under which this program converts a file for itself, as `carepost` does.
pub const CONVERT: &str = "convert";
const DPI: u32 = 96;
/// The best of so many runs counts: all of them are disturbed by the same neighbours.
const RUNS: usize = 3;

pub async fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    compare("sample papers", &samples(folder.path())?, folder.path(), table).await?;
    match std::env::var_os("CAREPOST_TEST_DATA") {
        Some(data) => {
            compare("reference PDFs", &pdfs(&Path::new(&data).join("pdf"))?, folder.path(), table).await?
        }
        None => println!("CAREPOST_TEST_DATA names no folder: the PDFs there are left out"),
    }
    Ok(())
}

/// Papers of a practice, as files in that folder.
pub fn samples(folder: &Path) -> Result<Vec<PathBuf>> {
    let (patients, practices) = (patients(), practices());
    let (patient, from, to) = (&patients[0], &practices[0], &practices[1]);
    let Some(day) = NaiveDate::from_ymd_opt(2026, 11, 19) else { bail!("no such day") };
    let papers = [
        visit_note_pdf(patient, from, day),
        cardiology_consultation_pdf(patient, from, to, day),
        referral_letter_pdf(patient, from, to, day),
        lab_report_pdf(patient, to, from, day),
    ];
    let files = papers.iter().enumerate().map(|(number, paper)| {
        let path = folder.join(format!("paper-{number}.pdf"));
        fs::write(&path, paper)?;
        Ok(path)
    });
    files.collect()
}

/// The PDFs of a folder.
pub fn pdfs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<_> = fs::read_dir(folder)?.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "pdf"));
    files.sort();
    Ok(files)
}

/// Sums over the files that all programs can draw.
async fn compare(what: &str, files: &[PathBuf], folder: &Path, table: &mut Table) -> Result<()> {
    let converter = Converter::new(std::env::current_exe()?, [CONVERT]).with_spare();
    let (mut ours, mut poppler, mut mupdf, mut drawn) = (0.0, 0.0, 0.0, 0);
    let mut slower = Vec::new();
    for file in files {
        let own =
            best_of(async || converter.render_page(Input::file(Kind::Pdf, file), 1, DPI).await.is_ok()).await;
        let dpi = DPI.to_string();
        let out = folder.join("page");
        let pdftoppm = Program::new("pdftoppm", &["-f", "1", "-l", "1", "-r", &dpi, "-png"], &[file, &out]);
        let out = folder.join("page.png");
        let mutool =
            Program::new("mutool", &["draw", "-q", "-r", &dpi, "-F", "png", "-o"], &[&out, file]).then("1");
        let others = (best_of(async || pdftoppm.run()).await, best_of(async || mutool.run()).await);
        let (Some(own), (Some(theirs), Some(others))) = (own, others) else { continue };
        drawn += 1;
        ours += own.as_secs_f64();
        poppler += theirs.as_secs_f64();
        mupdf += others.as_secs_f64();
        if own > theirs.min(others) {
            slower.push(file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    if drawn == 0 {
        bail!(
            "no file was drawn by Carepost, pdftoppm and mutool alike; are poppler-utils and mupdf-tools installed?"
        );
    }
    let mean = |seconds: f64| seconds * 1e3 / f64::from(drawn);
    table.note(format!("first page by pdftoppm, {what}"), format!("{:.1} ms", mean(poppler)));
    table.note(format!("first page by mutool, {what}"), format!("{:.1} ms", mean(mupdf)));
    table.at_most(
        format!("first page, mean of {drawn} {what}"),
        mean(ours),
        mean(poppler.min(mupdf)).round(),
        "ms",
    );
    if !slower.is_empty() {
        println!("slower than one of the others in {} of {drawn}: {}", slower.len(), slower.join(", "));
    }
    Ok(())
}

/// The shortest of some runs; None when one fails.
pub async fn best_of(mut draw: impl AsyncFnMut() -> bool) -> Option<Duration> {
    let mut best: Option<Duration> = None;
    for _ in 0..RUNS {
        let begun = Instant::now();
        if !draw().await {
            return None;
        }
        let took = begun.elapsed();
        best = Some(best.map_or(took, |best| best.min(took)));
    }
    best
}

/// Another program with its arguments.
pub struct Program {
    name: &'static str,
    arguments: Vec<std::ffi::OsString>,
}

impl Program {
    pub fn new(name: &'static str, options: &[&str], files: &[&PathBuf]) -> Self {
        let files = files.iter().map(|file| file.as_os_str().to_owned());
        Self { name, arguments: options.iter().map(Into::into).chain(files).collect() }
    }

    fn then(mut self, argument: &str) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub fn run(&self) -> bool {
        let mut command = Command::new(self.name);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}
