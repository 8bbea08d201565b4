//! Part `reading`: accuracy of reading patients from a labelled set of documents: text, scans and faxes.

use crate::{
    preview::{CONVERT, Program},
    table::Table,
};
use anyhow::{Result, bail};
use documents::{
    ocr,
    samples::{Labelled, Medium, Score, labelled},
    worker::{Converter, Input},
};
use std::{fs, time::Instant};

/// Documents that are also read by Tesseract alone.
const PLAIN: usize = 8;
/// Resolution of the pages for Tesseract, in pixels per inch.
const DPI: u32 = 300;

pub async fn measure(table: &mut Table) -> Result<()> {
    let converter = Converter::new(std::env::current_exe()?, [CONVERT]).with_spare();
    let documents = labelled();
    for medium in [Medium::Text, Medium::Scan, Medium::Fax] {
        if medium != Medium::Text && !ocr::is_installed() {
            println!("tesseract-ocr is not installed: scans and faxes are left out");
            break;
        }
        let (begun, mut score) = (Instant::now(), Score::default());
        for document in &documents {
            let (kind, content) = document.file(medium);
            score.add(&document.says, &converter.patient(Input::bytes(kind, content)).await?);
        }
        let what = match medium {
            Medium::Text => "text PDFs",
            Medium::Scan => "clean scans",
            Medium::Fax => "faxes at 204x98",
        };
        table.at_least(
            format!("fields read right, {} {what}", documents.len()),
            score.percent(),
            medium.aim(),
            "%",
        );
        table.at_most(format!("values invented, {what}"), score.invented.into(), 0.0, "values");
        let seconds = begun.elapsed().as_secs_f64() / documents.len() as f64;
        table.note(format!("time for each, {what}"), format!("{seconds:.2} s"));
    }
    if ocr::is_installed() {
        plain(&converter, &documents[..PLAIN], table).await?;
    }
    Ok(())
}

/// Reading pages in two ways with positions, compared with Tesseract alone on the same pictures.
async fn plain(converter: &Converter, documents: &[Labelled], table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (mut ours, mut theirs) = (0.0, 0.0);
    for document in documents {
        let (kind, content) = document.file(Medium::Scan);
        let page = converter.render_page(Input::bytes(kind, content.clone()), 1, DPI).await?;
        let picture = folder.path().join("page.png");
        fs::write(&picture, &page.png)?;
        let begun = Instant::now();
        converter.patient(Input::bytes(kind, content)).await?;
        ours += begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let out = folder.path().join("page");
        if !Program::new("tesseract", &[], &[&picture, &out]).run() {
            bail!("tesseract could not read a page");
        }
        theirs += begun.elapsed().as_secs_f64();
    }
    let a_minute = |seconds: f64| format!("{:.0}", 60.0 * documents.len() as f64 / seconds);
    table.note("scanned pages read a minute", a_minute(ours));
    table.note("scanned pages a minute by plain tesseract", a_minute(theirs));
    Ok(())
}
