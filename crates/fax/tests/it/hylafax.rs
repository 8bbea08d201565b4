//! Faxes over two software modems on a real HylaFAX server; see `hylafax.sh`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fax::providers::hylafax::HylaFax;
use fax::{FileFormat, Finished, Found, Outcome, OutgoingFax, Provider, ProviderJob, Resolution, State};
use uuid::Uuid;

use crate::lines::{LONGEST_CALL, LOOK, Lines};
use crate::support::{short_and_long_page_to, short_pages_to, two_pages_to};

impl Lines {
    /// A provider that calls from modem 0, which reaches modem 1.
    fn provider(&self) -> HylaFax {
        self.provider_of("ttyIAX0")
    }

    fn provider_of(&self, modem: &str) -> HylaFax {
        HylaFax::new(self.server(), "carepost", "secret").with_modem(modem)
    }
}

const FAX_NUMBER: &str = "+17405550142";

/// Polls a call until `done` returns something.
async fn follow<T>(
    provider: &HylaFax,
    job: &ProviderJob,
    fax: &OutgoingFax,
    mut done: impl FnMut(State) -> Option<T>,
) -> T {
    let watch = async {
        loop {
            let progress = provider.follow(job, fax).await.unwrap();
            if let Some(answer) = done(progress.state) {
                return answer;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(LONGEST_CALL, watch).await.expect("the call has no end")
}

async fn end_of(provider: &HylaFax, job: &ProviderJob, fax: &OutgoingFax) -> Finished {
    follow(provider, job, fax, |state| match state {
        State::Finished(finished) => Some(finished),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn two_pages_are_sent_and_received_over_modems() {
    let Some(lines) = Lines::start() else { return };
    let provider = lines.provider();
    let sample = short_pages_to(FAX_NUMBER).await;
    let fax = &sample.fax;
    assert_eq!(provider.find(fax).await.unwrap(), Found::Nothing);
    let job = provider.submit(fax).await.unwrap();
    assert_eq!(provider.find(fax).await.unwrap(), Found::Job(job.clone()));

    let mut states = Vec::new();
    let end = follow(&provider, &job, fax, |state| {
        if let State::Finished(finished) = state {
            return Some(finished);
        }
        if states.last() != Some(&state) {
            states.push(state);
        }
        None
    })
    .await;
    assert_eq!((end.outcome, end.confirmed_pages, end.words.as_str()), (Outcome::Delivered, 2, ""));
    assert!(states.contains(&State::Dialling), "{states:?}");
    assert!(states.contains(&State::Sending { page: 2, of: 2 }), "{states:?}");
    assert_eq!(end.rate, Some(14_400));
    assert!(end.remote_id.is_some_and(|id| id.starts_with("Modem ")));
    assert!(end.duration.is_some_and(|time| time > Duration::from_secs(10)));
    let log = end.log.unwrap();
    assert!(
        log.contains("SEND recv MCF (message confirmation)") && !log.contains("send frame number"),
        "{log}"
    );
    assert_eq!(provider.find(fax).await.unwrap(), Found::Job(job));

    let arrived = provider.received(None).await.unwrap();
    let [reception] = &arrived[..] else { panic!("{arrived:?}") };
    assert_eq!((reception.pages, reception.partial.as_deref()), (Some(2), None));
    assert_eq!(reception.called.as_deref(), Some("17405550142"));
    assert_eq!(reception.station_id.as_deref(), Some("+1 312 555 0100"));
    assert!(reception.caller.as_deref().is_some_and(|caller| caller.starts_with("312555010")));
    assert_eq!((reception.resolution, reception.rate), (Some(Resolution::Fine), Some(14_400)));
    let file = provider.fetch(reception).await.unwrap();
    assert_eq!(file.format, FileFormat::Tiff);
    assert_same_pixels(&sample.fax.tiff, &file.content);

    provider.acknowledge(reception).await.unwrap();
    assert_eq!(provider.received(None).await.unwrap(), []);
    provider.acknowledge(reception).await.unwrap();
    assert_eq!(provider.test().await, Vec::<String>::new());
}

/// T.30's error correction leaves no pixel to chance.
fn assert_same_pixels(sent: &Path, received: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), received).unwrap();
    let output = Command::new("/usr/bin/tiffcmp").arg("-t").args([sent, file.path()]).output().unwrap();
    let differences = String::from_utf8_lossy(&output.stdout);
    let differ = ["Scanline", "ImageWidth", "ImageLength"].iter().any(|what| differences.contains(what));
    assert!(output.status.success() && !differ, "{differences}");
}

#[tokio::test]
async fn an_unanswered_call_may_be_retried() {
    let Some(mut lines) = Lines::start() else { return };
    let provider = lines.provider();
    let sample = short_pages_to(FAX_NUMBER).await;
    lines.command("no-getty 1");
    let job = provider.submit(&sample.fax).await.unwrap();
    let end = end_of(&provider, &job, &sample.fax).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::NoAnswer, 0));
    assert!(end.words.starts_with("No answer from remote"), "{}", end.words);
    assert_eq!((end.remote_id, end.outcome.may_retry()), (None, true));
}

#[tokio::test]
async fn a_busy_line_is_reported_and_a_call_in_progress_can_be_cancelled() {
    let Some(lines) = Lines::start() else { return };
    let (first, second) = (lines.provider(), lines.provider_of("ttyIAX2"));
    // HylaFAX itself makes one call at a time to a number.
    let (one, other) = (two_pages_to(FAX_NUMBER), two_pages_to("+17405550143"));
    let one_job = first.submit(&one.fax).await.unwrap();
    lines.logged("REMOTE CSI").await;
    let other_job = second.submit(&other.fax).await.unwrap();
    let end = end_of(&second, &other_job, &other.fax).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::LocalFault, 0), "{}", end.words);
    assert!(end.words.starts_with("No local dialtone"), "{}", end.words);

    first.cancel(&one_job).await.unwrap();
    let end = end_of(&first, &one_job, &one.fax).await;
    assert_eq!((end.outcome, end.words.as_str()), (Outcome::LocalFault, "Job aborted by request"));
    assert!(end.confirmed_pages < 2);
    first.cancel(&one_job).await.unwrap();
}

/// Calls until a call reaches its second page: on a busy machine software modems miss a call now and then.
async fn second_page(provider: &HylaFax, fax: &OutgoingFax) {
    for _ in 0..3 {
        let fax = OutgoingFax { key: Uuid::now_v7(), ..fax.clone() };
        let job = provider.submit(&fax).await.unwrap();
        let is_there = follow(provider, &job, &fax, |state| match state {
            State::Sending { page: 2, .. } => Some(true),
            State::Finished(_) => Some(false),
            _ => None,
        });
        if is_there.await {
            return;
        }
    }
    panic!("no call came to its second page");
}

#[tokio::test]
async fn a_call_whose_caller_hangs_up_leaves_a_partial_fax() {
    let Some(mut lines) = Lines::start() else { return };
    let provider = lines.provider();
    let sample = short_and_long_page_to(FAX_NUMBER).await;
    // Without a complete page HylaFAX keeps nothing; of the second it keeps what came.
    second_page(&provider, &sample.fax).await;
    lines.until(|story| story.split("SEND end page").skip(1).any(|rest| rest.contains("<-- data"))).await;
    lines.command("hang-up 0");
    let wait = async {
        loop {
            match &provider.received(None).await.unwrap()[..] {
                [] => tokio::time::sleep(LOOK).await,
                arrived => return arrived[0].clone(),
            }
        }
    };
    let arrived = tokio::time::timeout(LONGEST_CALL, wait).await.expect("the fax is not kept");
    assert!(arrived.partial.as_deref().is_some_and(|reason| !reason.is_empty()), "{arrived:?}");
    assert_eq!((arrived.called.as_deref(), arrived.pages), (Some("17405550142"), Some(2)));
    let pages = provider.fetch(&arrived).await.unwrap();
    assert_eq!(&pages.content[..2], b"II");
}

#[tokio::test]
async fn a_call_cut_in_mid_page_confirms_no_page() {
    let Some(mut lines) = Lines::start() else { return };
    let provider = lines.provider();
    let sample = short_pages_to(FAX_NUMBER).await;
    let job = provider.submit(&sample.fax).await.unwrap();
    lines.logged("SEND begin page").await;
    lines.command("kill-modem 1");
    let end = end_of(&provider, &job, &sample.fax).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::PagesLost, 0), "{}", end.words);
    // Which one depends on what the modem was doing.
    let reasons = ["No response to PPS repeated 3 times.", "Failure to receive silence"];
    assert!(reasons.iter().any(|reason| end.words.starts_with(reason)), "{}", end.words);
}

#[tokio::test]
async fn a_call_resumes_at_the_first_unconfirmed_page() {
    let Some(lines) = Lines::start() else { return };
    let provider = lines.provider();
    let sample = short_pages_to(FAX_NUMBER).await;
    let rest = OutgoingFax { key: Uuid::now_v7(), first_page: 2, ..sample.fax.clone() };
    let job = provider.submit(&rest).await.unwrap();
    let end = end_of(&provider, &job, &rest).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Delivered, 2), "{}", end.words);
    assert_eq!(provider.received(None).await.unwrap()[0].pages, Some(1));
}

#[tokio::test]
async fn problems_of_the_account_are_described() {
    let Some(lines) = Lines::start() else { return };
    let server = lines.server();
    let wrong = HylaFax::new(&server, "carepost", "wrong").test().await;
    assert_eq!(wrong, ["HylaFAX does not accept the user name or the password."]);
    let simple = HylaFax::new(&server, "guest", "secret").test().await;
    assert!(simple[0].starts_with("The user does not administer HylaFAX"), "{simple:?}");
    drop(lines);
    let gone = HylaFax::new(&server, "carepost", "secret").test().await;
    assert!(gone[0].starts_with("HylaFAX cannot be reached"), "{gone:?}");
}
