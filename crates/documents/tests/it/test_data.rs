//! Unusual and broken files from public collections: each gives a result or a typed error, never a hang or a
//! crash.

use std::sync::Arc;
use std::time::{Duration, Instant};

use documents::Kind;
use documents::worker::{ConvertError, Converter, Input, Job, Limits};
use tokio::task::JoinSet;

use crate::support::{converter, peer, test_data, visit_note};

async fn outcomes(
    files: Vec<std::path::PathBuf>,
    kind: Kind,
    jobs: &[Job],
) -> Vec<(String, Job, Result<(), ConvertError>)> {
    let limits = Limits { wall: Duration::from_secs(20), ..Limits::default() };
    let converter: Arc<Converter> = Arc::new(converter().with_limits(limits));
    let mut set = JoinSet::new();
    for path in files {
        for &job in jobs {
            let (converter, path) = (converter.clone(), path.clone());
            set.spawn(async move {
                let result = converter.run(job, Input::file(kind, &path)).await.map(|_| ());
                (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), job, result)
            });
        }
    }
    set.join_all().await
}

#[tokio::test]
async fn every_pdf_of_the_collection_gives_a_result_or_a_typed_error() {
    let Some(files) = test_data("pdf", &["pdf"]) else { return };
    let jobs = [Job::PageCount, Job::RenderPage { page: 1, dpi: 60 }, Job::Text];
    let count = files.len();
    let mut failed = Vec::new();
    for (name, job, result) in outcomes(files, Kind::Pdf, &jobs).await {
        match result {
            Err(
                error @ (ConvertError::Crashed(_)
                | ConvertError::TimedOut
                | ConvertError::TooComplex
                | ConvertError::Io(_)),
            ) => {
                panic!("{name} {job:?}: {error:?}")
            }
            Err(error) => failed.push(format!("{name} {job:?}: {error}")),
            Ok(()) => {}
        }
    }
    eprintln!("{count} files, without result:\n{}", failed.join("\n"));
    assert!(failed.len() * 20 < count * jobs.len(), "{failed:#?}");
}

#[tokio::test]
async fn every_clinical_document_of_the_collection_is_shown_in_every_way() {
    let Some(files) = test_data("cda", &["xml"]) else { return };
    let jobs = [
        Job::ToPdf,
        Job::CdaHtml,
        Job::CdaOutline,
        Job::PatientExtract,
        Job::Text,
        Job::RenderPage { page: 1, dpi: 60 },
    ];
    for (name, job, result) in outcomes(files, Kind::Cda, &jobs).await {
        let fragment =
            name.contains("Growth") || name.contains("Referral-Request") || name.contains("Results-of");
        match result {
            Ok(()) => {}
            // The collection contains files with a single section, which are not complete documents.
            Err(ConvertError::Broken(_)) if fragment => {}
            Err(error) => panic!("{name} {job:?}: {error:?}"),
        }
    }
}

#[tokio::test]
async fn page_counts_agree_with_poppler() {
    let Some(files) = test_data("pdf", &["pdf"]) else { return };
    let converter = converter();
    for path in files {
        let Ok(pages) = converter.page_count(Input::file(Kind::Pdf, &path)).await else { continue };
        let output = std::process::Command::new("pdfinfo").arg(&path).output().unwrap();
        let facts = String::from_utf8_lossy(&output.stdout);
        let theirs = facts.lines().find_map(|line| line.strip_prefix("Pages:")?.trim().parse::<u32>().ok());
        if let Some(theirs) = theirs {
            assert_eq!(pages, theirs, "{}", path.display());
        }
    }
}

/// Run it manually with `--run-ignored only --no-capture`, since a busy machine says nothing about speed.
#[tokio::test]
#[ignore = "measures time"]
async fn the_first_page_is_shown_faster_than_by_poppler_and_mupdf() {
    let mut files = vec![("visit note".to_owned(), visit_note())];
    for path in test_data("pdf", &["pdf"]).unwrap_or_default() {
        if ["tracemonkey.pdf", "TAMReview.pdf"].iter().any(|name| path.ends_with(name)) {
            files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    let converter = converter();
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let mut slower = Vec::new();
    for (name, pdf) in files {
        let mut ours = Vec::new();
        for _ in 0..9 {
            let start = Instant::now();
            converter.render_page(Input::bytes(Kind::Pdf, pdf.clone()), 1, 100).await.unwrap();
            ours.push(start.elapsed());
        }
        let theirs = |program: &str, args: &[&str]| {
            let times = (0..9).map(|_| {
                let start = Instant::now();
                peer(program, args, &pdf);
                start.elapsed()
            });
            median(times.collect())
        };
        let ours = median(ours);
        let poppler = theirs("pdftoppm", &["-png", "-r", "100", "-f", "1", "-l", "1", "{}"]);
        let mupdf = theirs("mutool", &["draw", "-q", "-F", "png", "-o", "/dev/null", "-r", "100", "{}", "1"]);
        eprintln!("{name}: ours {ours:?}, pdftoppm {poppler:?}, mutool {mupdf:?}");
        if ours >= poppler || ours >= mupdf {
            slower.push(name);
        }
    }
    assert!(slower.is_empty(), "{slower:?}");
}
