//! Part `fax`: rendering of fax pages compared with Ghostscript, and the memory of a long fax.

use crate::{
    preview::{CONVERT, Program, best_of, pdfs, samples},
    process::{children, peak_of},
    table::Table,
};
use ::fax::pages::{Contents, Header, Resolution, render, stamp};
use anyhow::{Context, Result, ensure};
use chrono::NaiveDate;
use documents::{
    Kind,
    worker::{Converter, Input},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

const MEBIBYTE: f64 = (1 << 20) as f64;
/// Pages of the long fax, at least.
const LONG: u32 = 300;

pub async fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let papers = samples(folder.path())?;
    compare("sample papers", &papers, folder.path(), table).await?;
    match std::env::var_os("CAREPOST_TEST_DATA") {
        Some(data) => {
            compare("reference PDFs", &pdfs(&Path::new(&data).join("pdf"))?, folder.path(), table).await?
        }
        None => println!("CAREPOST_TEST_DATA is not a folder: its PDFs are skipped"),
    }
    long_fax(&papers, folder.path(), table).await
}

fn converter() -> Result<Converter> {
    Ok(Converter::new(std::env::current_exe()?, [CONVERT]))
}

/// Sums over the files that both programs can render, each in a new process.
async fn compare(what: &str, files: &[PathBuf], folder: &Path, table: &mut Table) -> Result<()> {
    let converter = converter()?.with_spare();
    let (mut ours, mut theirs, mut pages, mut drawn) = (0.0, 0.0, 0, 0);
    let mut slower = Vec::new();
    for file in files {
        let Ok((_, count)) = converter.fax(Input::file(Kind::Pdf, file), Resolution::Fine).await else {
            continue;
        };
        let own =
            best_of(async || converter.fax(Input::file(Kind::Pdf, file), Resolution::Fine).await.is_ok())
                .await;
        let mut out = std::ffi::OsString::from("-sOutputFile=");
        out.push(folder.join("fax.tif"));
        let options = [
            "-q",
            "-dNOPAUSE",
            "-dBATCH",
            "-dSAFER",
            "-sDEVICE=tiffg4",
            "-r204x196",
            "-g1728x2156",
            "-dPDFFitPage",
        ];
        let ghostscript = Program::new("gs", &options, &[&PathBuf::from(out), file]);
        let (Some(own), Some(other)) = (own, best_of(async || ghostscript.run()).await) else { continue };
        (drawn, pages) = (drawn + 1, pages + count);
        ours += own.as_secs_f64();
        theirs += other.as_secs_f64();
        if own > other {
            slower.push(file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    ensure!(drawn > 0, "no file was drawn by Carepost and Ghostscript alike; is ghostscript installed?");
    let per_second = |seconds: f64| f64::from(pages) / seconds;
    table.note(format!("fax pages by tiffg4, {what}"), format!("{:.1} a second", per_second(theirs)));
    table.note(format!("fax pages, {pages} of {drawn} {what}"), format!("{:.1} a second", per_second(ours)));
    let per_page = |seconds: f64| seconds * 1e3 / f64::from(pages);
    table.at_most(format!("time for a fax page, {what}"), per_page(ours), per_page(theirs).round(), "ms");
    if !slower.is_empty() {
        println!("slower than tiffg4 in {} of {drawn}: {}", slower.len(), slower.join(", "));
    }
    Ok(())
}

/// The memory of the rendering process, and the time of the header, which is printed when a line is free.
async fn long_fax(papers: &[PathBuf], folder: &Path, table: &mut Table) -> Result<()> {
    let long = folder.join("long.pdf");
    // Most documents have two pages, and a fax has at most 500.
    let copies = vec![papers; LONG as usize * 2 / 3 / papers.len()].concat();
    let status = std::process::Command::new("pdfunite").args(&copies).arg(&long).status();
    ensure!(status.context("pdfunite, of poppler-utils, is needed")?.success(), "pdfunite failed");
    let (rendered, sent) = (folder.join("rendered.tif"), folder.join("sent.tif"));
    let peak = AtomicU64::new(0);
    let contents = Contents { documents: vec![Input::file(Kind::Pdf, &long)], ..Contents::default() };
    let begun = Instant::now();
    let converter = converter()?;
    let pages = tokio::select! {
        pages = render(&converter, contents, Resolution::Fine, &rendered) => pages?,
        never = watch(&peak) => never,
    };
    let took = begun.elapsed();
    ensure!(pages >= LONG, "the long fax has {pages} pages only");
    let peak = peak.into_inner() as f64 / MEBIBYTE;
    table.at_most(format!("memory of the process that draws {pages} fax pages"), peak, 150.0, "MiB");
    table.note(format!("{pages} fax pages"), format!("{:.1} s", took.as_secs_f64()));
    let day = NaiveDate::from_ymd_opt(2026, 11, 19).and_then(|day| day.and_hms_opt(8, 12, 0));
    let header = Header {
        sender: "Tri-Valley Cardiology".to_owned(),
        number: "312-555-0100".to_owned(),
        time: day.context("no such day")?,
    };
    let begun = Instant::now();
    stamp(&rendered, &header, &sent)?;
    let stamped = begun.elapsed();
    table.note("header on a page", format!("{:.1} ms", stamped.as_secs_f64() * 1e3 / f64::from(pages)));
    table.note(
        format!("size of {pages} pages"),
        format!("{:.1} MiB", fs::metadata(&sent)?.len() as f64 / MEBIBYTE),
    );
    Ok(())
}

/// Records the greatest resident memory of the child processes.
async fn watch(peak: &AtomicU64) -> ! {
    loop {
        let most = children(std::process::id()).into_iter().map(peak_of).max();
        peak.fetch_max(most.unwrap_or(0), Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
