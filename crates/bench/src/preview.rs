//! Part `preview`: rendering of PDF pages, compared with other programs.
//!
//! Each file gets a new process, timed from the request to the finished picture. Carepost's process is started in
//! advance, as in a running server; the others are started normally.

use crate::{
    capture::median,
    process::{children, peak_of},
    table::Table,
};
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
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Subcommand with which this program converts a file in a child process, like `carepost`.
pub const CONVERT: &str = "convert";
const DPI: u32 = 96;
/// Runs of which the best counts, to exclude disturbances by other processes.
const RUNS: usize = 3;

pub async fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    compare("sample papers", &samples(folder.path())?, folder.path(), table).await?;
    match std::env::var_os("CAREPOST_TEST_DATA") {
        Some(data) => {
            compare("reference PDFs", &pdfs(&Path::new(&data).join("pdf"))?, folder.path(), table).await?
        }
        None => println!("CAREPOST_TEST_DATA is not a folder: its PDFs are skipped"),
    }
    Ok(())
}

/// Writes sample documents of a practice to the folder.
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

/// Single pages and whole files, with the memory of the rendering processes.
async fn compare(what: &str, files: &[PathBuf], folder: &Path, table: &mut Table) -> Result<()> {
    let converter = Converter::new(std::env::current_exe()?, [CONVERT]).with_spare();
    let most = AtomicU64::new(0);
    let draw = async {
        first_pages(&converter, what, files, folder, table).await?;
        whole_files(&converter, what, files, folder, table).await
    };
    tokio::select! {
        done = draw => done?,
        () = watch(&most) => {}
    }
    let mebibytes = most.into_inner() as f64 / f64::from(1 << 20);
    table.at_most(format!("memory of a process that draws, {what}"), mebibytes, 512.0, "MiB");
    Ok(())
}

/// Records the peak memory of a rendering process. The other programs run unobserved.
async fn watch(most: &AtomicU64) {
    loop {
        let held = children(std::process::id()).into_iter().map(peak_of).max().unwrap_or(0);
        most.fetch_max(held, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// All pages of each file; for Carepost one page after the other, as in a viewer.
async fn whole_files(
    converter: &Converter,
    what: &str,
    files: &[PathBuf],
    folder: &Path,
    table: &mut Table,
) -> Result<()> {
    let dpi = DPI.to_string();
    let (mut shares, mut drawn) = (Vec::new(), 0);
    for file in files {
        let input = || Input::file(Kind::Pdf, file);
        let own = best_of(async || {
            let Ok(pages) = converter.page_count(input()).await else { return false };
            for page in 1..=pages {
                if converter.render_page(input(), page, DPI).await.is_err() {
                    return false;
                }
            }
            true
        })
        .await;
        let out = folder.join("all");
        let pdftoppm = Program::new("pdftoppm", &["-r", &dpi, "-png"], &[file, &out]);
        let out = folder.join("all-%d.png");
        let mutool = Program::new("mutool", &["draw", "-q", "-r", &dpi, "-F", "png", "-o"], &[&out, file]);
        let others = (best_of(async || pdftoppm.run()).await, best_of(async || mutool.run()).await);
        let (Some(theirs), Some(others)) = others else { continue };
        let Some(own) = own else {
            println!("{} is drawn by the others alone", file.display());
            continue;
        };
        drawn += 1;
        shares.push(own.as_secs_f64() / theirs.min(others).as_secs_f64());
    }
    shares.sort_by(f64::total_cmp);
    if let Some(share) = shares.get(shares.len() / 2) {
        let row = format!("all pages, beside the faster one, median of {drawn} {what}");
        table.at_most(row, *share, 1.0, "times");
    }
    Ok(())
}

/// Medians over the files that all programs can render, so that a single odd file does not decide.
async fn first_pages(
    converter: &Converter,
    what: &str,
    files: &[PathBuf],
    folder: &Path,
    table: &mut Table,
) -> Result<()> {
    let (mut ours, mut poppler, mut mupdf) = (Vec::new(), Vec::new(), Vec::new());
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
        ours.push(own);
        poppler.push(theirs);
        mupdf.push(others);
        if own > theirs.min(others) {
            slower.push(file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    let drawn = ours.len();
    if drawn == 0 {
        bail!(
            "no file was drawn by Carepost, pdftoppm and mutool alike; are poppler-utils and mupdf-tools installed?"
        );
    }
    let [ours, poppler, mupdf] = [ours, poppler, mupdf].map(median);
    table.note(format!("first page by pdftoppm, {what}"), format!("{poppler:.1} ms"));
    table.note(format!("first page by mutool, {what}"), format!("{mupdf:.1} ms"));
    table.at_most(format!("first page, median of {drawn} {what}"), ours, poppler.min(mupdf).round(), "ms");
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
