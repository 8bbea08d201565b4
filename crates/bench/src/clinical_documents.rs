//! Part `clinical`: rendering of clinical documents, compared with xsltproc and HL7's stylesheet.
//!
//! `CAREPOST_BENCH_CDA_STYLESHEET` is the path of that stylesheet; without it or the program its row is skipped.

use crate::{
    preview::{CONVERT, Program, best_of},
    table::Table,
};
use anyhow::{Context, Result};
use chrono::NaiveDate;
use clinical::cda;
use documents::{
    Kind,
    samples::{ccd_xml, patients, practices},
    worker::{Converter, Input},
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// Runs of which the best counts, as in part `preview`.
const RUNS: usize = 3;
const LARGE: usize = 5_000_000;

pub async fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let sample = sample().context("a sample")?;
    let files = files(&sample, folder.path())?;
    let mut took = Vec::new();
    for file in &files {
        took.extend(milliseconds(&fs::read(file)?));
    }
    let what = format!("C-CDA read and shown, median of {}", took.len());
    table.at_most(what, median(took).context("documents that can be read")?, 10.0, "ms");
    let large = milliseconds(large(&sample).as_bytes()).context("a large document")?;
    table.at_most("C-CDA of 5 MB read and shown", large, 150.0, "ms");
    beside(&files, folder.path(), table).await
}

/// The documents of the collection, or the sample alone.
fn files(sample: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    let Some(data) = std::env::var_os("CAREPOST_TEST_DATA") else {
        println!("CAREPOST_TEST_DATA is not a folder: its clinical documents are skipped");
        let path = folder.join("ccd.xml");
        fs::write(&path, sample)?;
        return Ok(vec![path]);
    };
    let files = fs::read_dir(Path::new(&data).join("cda"))?;
    let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml")));
    files.sort();
    Ok(files)
}

fn sample() -> Option<String> {
    let day = NaiveDate::from_ymd_opt(2026, 11, 19)?;
    Some(ccd_xml(&patients()[0], &practices()[0], day))
}

/// The sample with its sections repeated until it is large.
fn large(sample: &str) -> String {
    let (head, rest) = sample.split_once("<structuredBody>").unwrap_or((sample, ""));
    let (sections, foot) = rest.split_once("</structuredBody>").unwrap_or((rest, ""));
    let body = sections.repeat(LARGE / sections.len().max(1) + 1);
    format!("{head}<structuredBody>{body}</structuredBody>{foot}")
}

/// Time from the bytes to the page in this process; None if they are not a document.
fn milliseconds(content: &[u8]) -> Option<f64> {
    let run = || {
        let begun = Instant::now();
        let page = cda::render::html(&cda::parse_or_text(content).ok()?);
        (!page.is_empty()).then(|| begun.elapsed().as_secs_f64() * 1e3)
    };
    (0..RUNS).map(|_| run()).collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::min)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Comparison with a new process per document.
async fn beside(files: &[PathBuf], folder: &Path, table: &mut Table) -> Result<()> {
    let Some(stylesheet) = std::env::var_os("CAREPOST_BENCH_CDA_STYLESHEET").map(PathBuf::from) else {
        println!("CAREPOST_BENCH_CDA_STYLESHEET is not a stylesheet: xsltproc is skipped");
        return Ok(());
    };
    let converter = Converter::new(std::env::current_exe()?, [CONVERT]).with_spare();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let out = folder.join("page.html");
    for file in files {
        let own = best_of(async || converter.cda_html(Input::file(Kind::Cda, file)).await.is_ok()).await;
        let xsltproc = Program::new("xsltproc", &["--nonet", "-o"], &[&out, &stylesheet, file]);
        let (Some(own), Some(other)) = (own, best_of(async || xsltproc.run()).await) else { continue };
        ours.push(own.as_secs_f64() * 1e3);
        theirs.push(other.as_secs_f64() * 1e3);
    }
    let shown = ours.len();
    let (Some(ours), Some(theirs)) = (median(ours), median(theirs)) else {
        println!("no document was shown by Carepost and xsltproc alike; is xsltproc installed?");
        return Ok(());
    };
    table.note("C-CDA by xsltproc, median", format!("{theirs:.1} ms"));
    table.at_most(format!("C-CDA in a process of its own, median of {shown}"), ours, theirs.round(), "ms");
    Ok(())
}
