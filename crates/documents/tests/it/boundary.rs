//! The process boundary: whatever happens inside, the caller gets a typed error and nothing remains.

use std::time::Duration;

use documents::Kind;
use documents::worker::{Capacity, ConvertError, Converter, Fault, Input, Job, Limits, Output};

use crate::support::{converter, misbehaving, visit_note};

fn text() -> Input {
    Input::bytes(Kind::Text, "Patient name: Marisol Tenney\n")
}

async fn failure(converter: &Converter) -> ConvertError {
    converter.run(Job::ToPdf, text()).await.unwrap_err()
}

fn short(wall: u64, cpu: u64) -> Limits {
    Limits { wall: Duration::from_millis(wall), cpu: Duration::from_secs(cpu), ..Limits::default() }
}

/// Number of child processes of this process.
fn children() -> usize {
    children_ids().len()
}

fn children_ids() -> Vec<String> {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let child = |stat: String| {
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?;
        (parent == own).then(|| stat.split_whitespace().next().map(str::to_owned))?
    };
    stats.filter_map(child).collect()
}

#[tokio::test]
async fn a_hanging_worker_is_killed_and_reported_as_too_slow() {
    let error = failure(&misbehaving(&["hang"]).with_limits(short(300, 30))).await;
    assert!(matches!(error, ConvertError::TimedOut), "{error:?}");
    assert_eq!(error.fault(), Fault::Machine);
    assert_eq!(children(), 0);
}

#[tokio::test]
async fn an_endless_loop_is_ended_by_the_limit_on_processor_time() {
    let error = failure(&misbehaving(&["spin"]).with_limits(short(300_000, 1))).await;
    assert!(matches!(error, ConvertError::TooComplex), "{error:?}");
    assert!(error.is_permanent() && error.fault() == Fault::TooHeavy);
    assert_eq!(children(), 0);
}

#[tokio::test]
async fn a_crash_and_a_stack_overflow_are_reported() {
    for how in ["abort", "overflow-stack"] {
        let error = failure(&misbehaving(&[how])).await;
        assert!(matches!(&error, ConvertError::Crashed(words) if words == "signal 6"), "{how}: {error:?}");
        assert!(error.is_permanent() && error.fault() == Fault::Damaged);
    }
    assert_eq!(children(), 0);
}

#[tokio::test]
async fn a_worker_that_takes_too_much_memory_is_ended() {
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let error = failure(&misbehaving(&["exhaust-memory"]).with_limits(limits)).await;
    assert!(matches!(error, ConvertError::OutOfMemory), "{error:?}");
    assert_eq!(error.fault(), Fault::TooHeavy);
}

#[tokio::test]
async fn answers_that_make_no_sense_or_never_end_are_refused() {
    let error = failure(&misbehaving(&["babble"])).await;
    assert!(matches!(error, ConvertError::Crashed(_)), "{error:?}");
    let limits = Limits { output: 1 << 20, ..Limits::default() };
    let error = failure(&misbehaving(&["flood"]).with_limits(limits)).await;
    assert!(matches!(error, ConvertError::TooLarge), "{error:?}");
    let error = failure(&Converter::new("/bin/true", [""; 0])).await;
    assert!(matches!(error, ConvertError::Crashed(_)), "{error:?}");
    assert_eq!(children(), 0);
}

#[tokio::test]
async fn a_program_that_cannot_be_started_says_nothing_about_the_document() {
    let error = failure(&Converter::new("/nonexistent/carepost", [""; 0])).await;
    assert!(matches!(error, ConvertError::Io(_)), "{error:?}");
    assert!(!error.is_permanent());
}

#[tokio::test]
async fn a_missing_file_says_nothing_about_the_document() {
    let error = converter().run(Job::ToPdf, Input::file(Kind::Text, "/nonexistent/file")).await.unwrap_err();
    assert!(matches!(error, ConvertError::Io(_)), "{error:?}");
}

#[tokio::test]
async fn the_worker_cannot_read_or_write_files_open_sockets_start_programs_or_see_the_environment() {
    let reached = |error: &ConvertError| match error {
        ConvertError::Crashed(words) => words != "exit status 42",
        _ => true,
    };
    let attempts = [
        "read-file",
        "open-socket",
        "start-program",
        "start-process",
        "signal-parent",
        "watch-parent",
        "run-own-code",
        "show-environment",
    ];
    for how in attempts {
        let error = failure(&misbehaving(&[how])).await;
        assert!(!reached(&error), "{how}: {error:?}");
    }
    let error = failure(&misbehaving(&["write-file"])).await;
    let stopped = |words: &str| words == "exit status 42" || words == format!("signal {}", libc::SIGXFSZ);
    assert!(matches!(&error, ConvertError::Crashed(words) if stopped(words)), "{error:?}");
}

#[tokio::test]
async fn the_worker_cannot_read_the_configuration() {
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(config.path(), "[keys]\nmaster_key = \"dGhlIGtleQ==\"\n").unwrap();
    let error = failure(&misbehaving(&["read-file", config.path().to_str().unwrap()])).await;
    assert!(matches!(&error, ConvertError::Crashed(words) if words == "exit status 42"), "{error:?}");
}

#[tokio::test]
async fn the_worker_can_share_its_work_among_threads() {
    let error = failure(&misbehaving(&["work-in-threads"])).await;
    assert!(matches!(&error, ConvertError::Crashed(words) if words == "exit status 42"), "{error:?}");
}

#[tokio::test]
async fn the_confinement_on_this_machine_is_reported() {
    let confinement = converter().confinement().await.unwrap();
    assert!(confinement.limits && confinement.files && confinement.network_cut(), "{confinement}");
    assert!(confinement.to_string().contains("system call filter: on"), "{confinement}");
}

#[tokio::test]
async fn a_cancelled_job_leaves_no_process() {
    let converter = misbehaving(&["hang"]);
    let job = tokio::spawn(async move { converter.run(Job::ToPdf, text()).await });
    while children() == 0 {
        tokio::task::yield_now().await;
    }
    job.abort();
    assert!(job.await.unwrap_err().is_cancelled());
    while children() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_process_started_ahead_takes_the_next_job_and_is_replaced_when_it_died() {
    let converter = converter().with_spare();
    let spare = async || {
        loop {
            if let [only] = children_ids().as_slice() {
                return only.clone();
            }
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(converter.page_count(text()).await.unwrap(), 1);
    let first = spare().await;
    assert_eq!(converter.page_count(text()).await.unwrap(), 1);
    let second = spare().await;
    assert_ne!(second, first, "no process sees two files");
    std::process::Command::new("kill").args(["-KILL", &second]).status().unwrap();
    while std::fs::read_to_string(format!("/proc/{second}/stat")).is_ok_and(|stat| !stat.contains(") Z")) {
        tokio::task::yield_now().await;
    }
    assert_eq!(converter.page_count(text()).await.unwrap(), 1);
    assert_ne!(spare().await, second);
    drop(converter);
    while children() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn files_above_the_limit_are_refused_without_starting_a_process() {
    let limits = Limits { input: 10, ..Limits::default() };
    let converter = Converter::new("/nonexistent/carepost", [""; 0]).with_limits(limits);
    assert!(matches!(failure(&converter).await, ConvertError::TooLarge));
}

#[tokio::test]
async fn jobs_beyond_the_capacity_wait_for_their_turn() {
    let converter = converter().with_capacity(Capacity { processes: 1, bytes: 1 << 20 });
    let jobs: Vec<_> = (0..6)
        .map(|_| {
            let converter = converter.clone();
            tokio::spawn(async move { converter.page_count(text()).await })
        })
        .collect();
    let mut most = 0;
    for job in jobs {
        while !job.is_finished() {
            most = most.max(children());
            tokio::task::yield_now().await;
        }
        assert_eq!(job.await.unwrap().unwrap(), 1);
    }
    assert!(most <= 1, "{most} processes at a time");
}

#[tokio::test]
async fn a_file_larger_than_the_whole_capacity_runs_alone() {
    let converter = converter().with_capacity(Capacity { processes: 2, bytes: 1000 });
    let long = "A line of text that fills the page.\n".repeat(500);
    assert!(converter.page_count(Input::bytes(Kind::Text, long)).await.unwrap() > 1);
}

#[tokio::test]
async fn files_on_disk_and_in_memory_give_the_same() {
    let note = visit_note();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &note).unwrap();
    let converter = converter();
    let from_disk = converter.to_pdf(Input::file(Kind::Pdf, file.path())).await.unwrap();
    let from_memory = converter.run(Job::ToPdf, Input::bytes(Kind::Pdf, note.clone())).await.unwrap();
    assert_eq!(Output::Pdf(from_disk.clone()), from_memory);
    assert_eq!(from_disk, note, "a PDF passes untouched");
}
