//! Own modems behind a HylaFAX server.
//!
//! A job is one call: HylaFAX's own dials and tries are set to 1. Its tag is the key of the fax, by which it is found
//! again in the queues and the call log. Deleting received faxes and reading that log require a user who administers the
//! server.

mod call_log;
mod client;
mod words;

use std::fmt;
use std::io::Cursor;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::clock::{made, now};
use crate::number::DialRules;
use crate::outcome::Outcome;
use crate::port::{
    FileFormat, Finished, Found, OutgoingFax, Progress, Provider, ProviderError, ProviderJob, ReceivedFile,
    Reception, Resolution, State, SubmitError,
};
use client::{Client, Failure, quoted};

const JOBS: &str = "JOBFMT \"%j\t%J\t%a\t%p\t%W\t%s\"";
const MODEMS: &str = "MDMFMT \"%m\t%s\"";
const RECEIVED: &str = "RCVFMT \"%f\t%Y\t%z\t%p\t%r\t%b\t%h\t%e\t%j\t%i\t%s\"";
const CALLS: &str = "RETR log/xferfaxlog";
/// HylaFAX forgets finished jobs after 15 minutes at the earliest (faxqclean(8)).
const REMEMBERED: TimeDelta = TimeDelta::minutes(10);
/// The call log is rotated once a month at most (faxcron(8)).
const LOGGED: TimeDelta = TimeDelta::days(20);
/// How long after a fax its call may appear in the call log.
const LOGGED_WITHIN: TimeDelta = TimeDelta::minutes(5);
/// Killing a job waits for the modem to hang up.
const HANG_UP: Duration = Duration::from_secs(3);
/// Most characters that are kept of a T.30 log.
const MAX_LOG: usize = 100_000;

/// A HylaFAX server and a user of it.
#[derive(Clone)]
pub struct HylaFax {
    /// `host:port`; the port is usually 4559.
    server: String,
    /// User of hosts.hfaxd(5).
    user: String,
    /// Password for signing in and for administration.
    password: String,
    /// Dialling rules of its lines.
    rules: DialRules,
    /// Name of a modem, or of a class of modems (`ModemClass` of HylaFAX' configuration), that makes the calls; `any`
    /// of them otherwise.
    modem: String,
}

impl HylaFax {
    /// A server whose modems dial as in the United States.
    pub fn new(server: impl Into<String>, user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            user: user.into(),
            password: password.into(),
            rules: DialRules::default(),
            modem: "any".to_owned(),
        }
    }

    /// Sets the dialling rules of the lines.
    pub fn with_rules(self, rules: DialRules) -> Self {
        Self { rules, ..self }
    }

    /// Sets the modem, or class of modems, that makes the calls.
    pub fn with_modem(self, modem: impl Into<String>) -> Self {
        Self { modem: modem.into(), ..self }
    }
}

impl fmt::Debug for HylaFax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HylaFax")
            .field("server", &self.server)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl From<Failure> for ProviderError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Broken(words) => Self::Unreachable(words),
            Failure::Refused(_, words) => Self::Refused(words),
        }
    }
}

/// A job as the queues list it.
#[derive(Debug)]
struct Listed {
    job: String,
    tag: String,
    /// T suspended, P pending, S sleeping, B blocked, W waiting, R running, D done, F failed.
    state: String,
    /// Pages that were confirmed in this call.
    pages: u32,
    /// Name of the call's log, once it has ended or a page was confirmed.
    call: String,
    status: String,
}

impl Listed {
    fn read(fields: &[String]) -> Option<Self> {
        let [job, tag, state, pages, call, status] = fields else { return None };
        Some(Self {
            job: job.clone(),
            tag: tag.clone(),
            state: state.clone(),
            pages: pages.parse().unwrap_or_default(),
            call: call.clone(),
            status: status.clone(),
        })
    }
}

/// A file in the receive queue. Names start over with a new spool, so the time is part of the id.
#[derive(Debug)]
struct Arrived {
    file: String,
    at: String,
    is_arriving: bool,
    pages: u32,
    lines_per_inch: f32,
    rate: Option<u32>,
    duration: Option<Duration>,
    error: String,
    caller: String,
    caller_name: String,
    station_id: String,
}

impl Arrived {
    fn read(fields: &[String]) -> Option<Self> {
        let [file, at, busy, pages, resolution, rate, duration, error, caller, name, station_id] = fields
        else {
            return None;
        };
        is_fax_file(file).then(|| Self {
            file: file.clone(),
            at: at.clone(),
            is_arriving: busy.trim() == "*",
            pages: pages.trim().parse().unwrap_or_default(),
            lines_per_inch: resolution.trim().parse().unwrap_or_default(),
            rate: rate.trim().parse().ok(),
            duration: call_log::duration(duration.trim()),
            error: error.clone(),
            caller: caller.clone(),
            caller_name: name.clone(),
            station_id: station_id.clone(),
        })
    }

    fn id(&self) -> String {
        format!("{}@{}", self.file, self.at)
    }

    fn received_at(&self) -> Option<DateTime<Utc>> {
        NaiveDateTime::parse_from_str(&self.at, "%Y/%m/%d %H.%M.%S").ok().map(|time| time.and_utc())
    }

    fn reception(self, log: Option<&str>) -> Reception {
        let call = log.and_then(|log| call_log::received(log, &self.file));
        let reason = call.as_ref().and_then(|call| call.reason.clone()).or_else(|| known(&self.error));
        let no_pages = || (self.pages == 0).then(|| "The call ended before the first page.".to_owned());
        Reception {
            id: self.id(),
            received_at: self.received_at(),
            called: call.as_ref().and_then(|call| call.called.clone()),
            caller: known(&self.caller),
            caller_name: known(&self.caller_name),
            station_id: known(&self.station_id),
            pages: Some(self.pages),
            resolution: resolution(self.lines_per_inch),
            rate: self.rate,
            duration: call.as_ref().and_then(|call| call.duration).or(self.duration),
            partial: reason.or_else(no_pages),
            line: call.map(|call| call.modem),
            is_marked: false,
        }
    }
}

/// Reads a text as each of the things that the server writes. For the fuzz target.
#[doc(hidden)]
pub fn read_as_each(text: &str) {
    for line in text.lines().take(20) {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if let Some(listed) = Listed::read(&fields) {
            let _ = (words::outcome(&listed.status), call_log::sent(text, &listed.tag));
        }
        if let Some(arrived) = Arrived::read(&fields) {
            arrived.reception(Some(text));
        }
        let _ = (client::passive_port(line), client::extended_port(line), job_number(line));
        for field in fields.iter().take(4) {
            let _ = (call_log::received(text, field), call_log::sent(text, field));
        }
    }
    let _ = (rate(text), shortened(text));
}

fn is_fax_file(name: &str) -> bool {
    let number = name.strip_prefix("fax").and_then(|rest| rest.strip_suffix(".tif"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn known(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text != "<NONE>").then(|| text.to_owned())
}

fn resolution(lines_per_inch: f32) -> Option<Resolution> {
    match lines_per_inch {
        80.0..130.0 => Some(Resolution::Standard),
        130.0..250.0 => Some(Resolution::Fine),
        _ => None,
    }
}

impl HylaFax {
    async fn session(&self) -> Result<(Client, bool), Failure> {
        let mut client = Client::connect(&self.server).await?;
        let administers = client.sign_in(&self.user, &self.password).await?;
        Ok((client, administers))
    }

    /// The job with this tag. A job moves from the first queue to the second.
    async fn listed(&self, client: &mut Client, tag: &str) -> Result<Option<Listed>, Failure> {
        client.execute(JOBS).await?;
        for queue in ["sendq", "doneq"] {
            let jobs = client.list(queue).await?;
            if let Some(job) =
                jobs.iter().filter_map(|fields| Listed::read(fields)).find(|job| job.tag == tag)
            {
                return Ok(Some(job));
            }
        }
        Ok(None)
    }

    /// The call log; None when this user may not read it.
    async fn calls(&self) -> Result<Option<String>, Failure> {
        // A refusal makes a session unusable, so this uses its own.
        let (mut client, _) = self.session().await?;
        match client.retrieve(CALLS).await {
            Ok(log) => Ok(Some(String::from_utf8_lossy(&log).into_owned())),
            // No calls since the log was rotated.
            Err(Failure::Refused(550, words)) if words.contains("No such file") => Ok(Some(String::new())),
            Err(Failure::Refused(..)) => Ok(None),
            Err(broken) => Err(broken),
        }
    }

    /// The T.30 log of a call, where this user may read it.
    async fn t30_log(&self, call: &str) -> Option<String> {
        if call.is_empty() || !call.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (mut client, _) = self.session().await.ok()?;
        let log = client.retrieve(&format!("RETR log/c{call}")).await.ok()?;
        Some(String::from_utf8_lossy(&log).into_owned())
    }

    async fn ended(
        &self,
        outcome: Outcome,
        pages: u32,
        words: String,
        call: Option<call_log::Sent>,
    ) -> Finished {
        let log = match &call {
            Some(call) => self.t30_log(&call.call).await,
            None => None,
        };
        Finished {
            outcome,
            confirmed_pages: pages,
            words,
            rate: log.as_deref().and_then(rate),
            duration: call.as_ref().and_then(|call| call.duration),
            remote_id: call.and_then(|call| call.remote_id),
            log: log.as_deref().map(shortened),
        }
    }

    async fn finished(&self, listed: Listed, fax: &OutgoingFax) -> Result<Progress, ProviderError> {
        let call = self.calls().await?.and_then(|log| call_log::sent(&log, &listed.tag));
        let line = call.as_ref().map(|call| call.modem.clone());
        let call = call.or_else(|| {
            known(&listed.call).map(|name| call_log::Sent {
                job: listed.job.clone(),
                call: name,
                modem: String::new(),
                remote_id: None,
                pages: listed.pages,
                duration: None,
                reason: String::new(),
            })
        });
        let pages = fax.first_page - 1 + listed.pages;
        let outcome = match listed.state.as_str() {
            "D" if pages >= fax.pages => Outcome::Delivered,
            "D" => Outcome::PagesLost,
            _ => words::outcome(&listed.status),
        };
        let finished = self.ended(outcome, pages.min(fax.pages), listed.status, call).await;
        Ok(Progress { state: State::Finished(finished), line })
    }

    /// Progress of a job that has left the queues, from the call log.
    async fn remembered(&self, fax: &OutgoingFax) -> Result<Progress, ProviderError> {
        let log = self.calls().await?.ok_or(ProviderError::Unknown)?;
        let call = call_log::sent(&log, &tag(fax)).ok_or(ProviderError::Unknown)?;
        let pages = fax.first_page - 1 + call.pages;
        let outcome = match call.reason.as_str() {
            "" if pages >= fax.pages => Outcome::Delivered,
            "" => Outcome::PagesLost,
            reason => words::outcome(reason),
        };
        let (line, reason) = (call.modem.clone(), call.reason.clone());
        let finished = self.ended(outcome, pages.min(fax.pages), reason, Some(call)).await;
        Ok(Progress { state: State::Finished(finished), line: Some(line) })
    }

    /// Progress of a running job. The status of its modem tells that it is dialling, the first confirmed page that it is
    /// sending.
    async fn running(
        &self,
        client: &mut Client,
        listed: &Listed,
        fax: &OutgoingFax,
    ) -> Result<Progress, Failure> {
        client.execute(MODEMS).await?;
        let busy = format!("Sending job {}", listed.job);
        let modems = client.list("status").await?;
        let line = modems.into_iter().find_map(|fields| match &fields[..] {
            [modem, status] if *status == busy => Some(modem.clone()),
            _ => None,
        });
        let state = match (listed.pages, &line) {
            (0, None) => State::Queued,
            (0, Some(_)) => State::Dialling,
            (pages, _) => State::Sending { page: (fax.first_page + pages).min(fax.pages), of: fax.pages },
        };
        Ok(Progress { state, line })
    }

    async fn hand_over(&self, fax: &OutgoingFax) -> Result<(Client, String), SubmitError> {
        let unreachable = |failure: Failure| SubmitError::Unreachable(failure.words());
        let content = pages(fax).await.map_err(|error| SubmitError::Refused(Outcome::LocalFault, error))?;
        let (mut client, _) = self.session().await.map_err(refused)?;
        let document = client.store(&content).await.map_err(refused)?;
        let words = client.execute("JNEW").await.map_err(refused)?;
        let job = job_number(&words)
            .ok_or_else(|| unreachable(Failure::Broken("The server names no job.".to_owned())))?;
        for (name, value) in self.parameters(fax, &document) {
            client.execute(&format!("JPARM {name} {value}")).await.map_err(refused)?;
        }
        Ok((client, job))
    }

    fn parameters(&self, fax: &OutgoingFax, document: &str) -> Vec<(&'static str, String)> {
        let number = quoted(&fax.to.dial_string(&self.rules));
        vec![
            ("FROMUSER", quoted(&fax.sender_name)),
            ("LASTTIME", "000200".to_owned()),
            ("MAXDIALS", "1".to_owned()),
            ("MAXTRIES", "1".to_owned()),
            ("SCHEDPRI", "127".to_owned()),
            ("DIALSTRING", number.clone()),
            ("EXTERNAL", number),
            ("NOTIFYADDR", quoted(&self.user)),
            ("NOTIFY", "none".to_owned()),
            ("VRES", fax.resolution.dpi().1.to_string()),
            ("PAGEWIDTH", "215".to_owned()),
            ("PAGELENGTH", "279".to_owned()),
            ("PAGECHOP", "none".to_owned()),
            ("MODEM", quoted(&self.modem)),
            // The pages already have a header.
            ("USETAGLINE", "YES".to_owned()),
            ("TAGLINE", quoted("")),
            ("TSI", quoted(&fax.station_id)),
            ("JOBINFO", quoted(&tag(fax))),
            ("DOCUMENT", document.to_owned()),
        ]
    }
}

/// A refusal before the job is submitted: nothing was sent.
fn refused(failure: Failure) -> SubmitError {
    match failure {
        Failure::Broken(words) => SubmitError::Unreachable(words),
        Failure::Refused(_, words) => SubmitError::Refused(Outcome::LocalFault, words),
    }
}

fn tag(fax: &OutgoingFax) -> String {
    fax.key.to_string()
}

/// The pages of this call.
async fn pages(fax: &OutgoingFax) -> Result<Vec<u8>, String> {
    let content = tokio::fs::read(&fax.tiff).await.map_err(|error| error.to_string())?;
    if fax.first_page == 1 {
        return Ok(content);
    }
    let mut rest = Cursor::new(Vec::new());
    documents::fax::select(&content, fax.first_page, fax.pages, &mut rest)
        .map_err(|error| error.to_string())?;
    Ok(rest.into_inner())
}

/// `New job created: jobid: 4 groupid: 4.`
fn job_number(words: &str) -> Option<String> {
    let rest = words.split_once("jobid: ")?.1;
    let number = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    (!number.is_empty()).then(|| number.to_owned())
}

/// The last bit rate of a call.
fn rate(log: &str) -> Option<u32> {
    let line = log.lines().rfind(|line| line.contains("]: USE ") && line.ends_with(" bit/s"))?;
    line.strip_suffix(" bit/s")?.rsplit(' ').next()?.parse().ok()
}

/// A log without the lines about each block of data.
fn shortened(log: &str) -> String {
    let is_noise = |line: &str| line.contains("]: SEND send frame number") || line.contains("]: <-- data [");
    let mut out = String::new();
    for line in log.lines().filter(|line| !is_noise(line)) {
        if out.len() + line.len() > MAX_LOG {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Whether a key is so recent that a job submitted with it must still be listed.
fn is_younger(key: Uuid, age: TimeDelta) -> bool {
    made(key).is_some_and(|made| now() - made < age)
}

#[async_trait]
impl Provider for HylaFax {
    async fn submit(&self, fax: &OutgoingFax) -> Result<ProviderJob, SubmitError> {
        let (mut client, job) = self.hand_over(fax).await?;
        match client.execute("JSUBM").await {
            Ok(_) => Ok(ProviderJob { id: job }),
            Err(Failure::Refused(_, words)) => Err(SubmitError::Refused(Outcome::LocalFault, words)),
            Err(Failure::Broken(words)) => Err(SubmitError::Uncertain(words)),
        }
    }

    async fn find(&self, fax: &OutgoingFax) -> Result<Found, ProviderError> {
        let (mut client, _) = self.session().await?;
        match self.listed(&mut client, &tag(fax)).await? {
            // A broken session leaves an unsubmitted job until the server notices.
            Some(listed) if listed.state == "T" => {
                return Err(ProviderError::Unreachable(
                    "The server has not decided about the job.".to_owned(),
                ));
            }
            Some(listed) => return Ok(Found::Job(ProviderJob { id: listed.job })),
            None => {}
        }
        let remembered = match self.calls().await? {
            Some(log) => match call_log::sent(&log, &tag(fax)) {
                Some(call) => return Ok(Found::Job(ProviderJob { id: call.job })),
                None => LOGGED,
            },
            None => REMEMBERED,
        };
        Ok(if is_younger(fax.key, remembered) { Found::Nothing } else { Found::CannotTell })
    }

    async fn follow(&self, _job: &ProviderJob, fax: &OutgoingFax) -> Result<Progress, ProviderError> {
        let (mut client, _) = self.session().await?;
        let Some(listed) = self.listed(&mut client, &tag(fax)).await? else {
            return self.remembered(fax).await;
        };
        match listed.state.as_str() {
            "D" | "F" => self.finished(listed, fax).await,
            "R" => Ok(self.running(&mut client, &listed, fax).await?),
            _ => Ok(Progress { state: State::Queued, line: None }),
        }
    }

    async fn cancel(&self, job: &ProviderJob) -> Result<(), ProviderError> {
        if job.id.is_empty() || !job.id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ProviderError::Unknown);
        }
        let (mut client, _) = self.session().await?;
        client.post(&format!("JKILL {}", job.id)).await?;
        match tokio::time::timeout(HANG_UP, client.success_reply()).await {
            // 504: it has already ended.
            Err(_) | Ok(Ok(_) | Err(Failure::Refused(504, _))) => Ok(()),
            Ok(Err(Failure::Refused(500, _))) => Err(ProviderError::Unknown),
            Ok(Err(failure)) => Err(failure.into()),
        }
    }

    async fn received(&self, after: Option<DateTime<Utc>>) -> Result<Vec<Reception>, ProviderError> {
        let (mut client, _) = self.session().await?;
        client.execute(RECEIVED).await?;
        let listed = client.list("recvq").await?;
        let is_wanted = |arrived: &Arrived| {
            let is_old = arrived.received_at().zip(after).is_some_and(|(at, after)| at < after);
            !arrived.is_arriving && !is_old
        };
        let mut arrived: Vec<_> =
            listed.iter().filter_map(|fields| Arrived::read(fields)).filter(is_wanted).collect();
        if arrived.is_empty() {
            return Ok(Vec::new());
        }
        let log = self.calls().await?;
        // The call log follows shortly after the file. It tells who called, and whether the fax is complete.
        arrived.retain(|arrived| {
            let is_logged = log.as_deref().is_none_or(|log| call_log::received(log, &arrived.file).is_some());
            is_logged || arrived.received_at().is_none_or(|at| now() - at > LOGGED_WITHIN)
        });
        arrived.sort_by(|a, b| (&a.at, &a.file).cmp(&(&b.at, &b.file)));
        Ok(arrived.into_iter().map(|arrived| arrived.reception(log.as_deref())).collect())
    }

    async fn fetch(&self, reception: &Reception) -> Result<ReceivedFile, ProviderError> {
        let file = file_of(reception)?;
        let (mut client, _) = self.session().await?;
        let content = match client.retrieve(&format!("RETR recvq/{file}")).await {
            Ok(content) => content,
            Err(Failure::Refused(550, words)) if words.contains("No such file") => {
                return Err(ProviderError::Unknown);
            }
            Err(failure) => return Err(failure.into()),
        };
        // A call that broke off before the first page leaves a truncated TIFF.
        let content = if content.len() <= 8 { Bytes::new() } else { content };
        Ok(ReceivedFile { format: FileFormat::Tiff, content })
    }

    async fn acknowledge(&self, reception: &Reception) -> Result<(), ProviderError> {
        let file = file_of(reception)?;
        let (mut client, _) = self.session().await?;
        client.execute(RECEIVED).await?;
        let listed = client.list("recvq").await?;
        let is_there = listed
            .iter()
            .filter_map(|fields| Arrived::read(fields))
            .any(|arrived| arrived.id() == reception.id && !arrived.is_arriving);
        if is_there {
            client.execute(&format!("DELE recvq/{file}")).await?;
        }
        Ok(())
    }

    async fn test(&self) -> Vec<String> {
        let (mut client, administers) = match self.session().await {
            Ok(session) => session,
            Err(Failure::Refused(530, _)) => {
                return vec!["HylaFAX does not accept the user name or the password.".to_owned()];
            }
            Err(failure) => return vec![format!("HylaFAX cannot be reached: {}", failure.words())],
        };
        let mut problems = Vec::new();
        if !administers {
            problems.push(
                "The user does not administer HylaFAX: received faxes cannot be deleted there, and the logs of calls \
                 cannot be read. Give it an administrator's password, equal to its password, in hosts.hfaxd."
                    .to_owned(),
            );
        }
        if administers && self.calls().await == Ok(None) {
            problems.push(
                "The call log cannot be read: log/xferfaxlog in the spool folder of HylaFAX must belong to its \
                 user, uucp. Until then nobody knows which number was dialled for a received fax."
                    .to_owned(),
            );
        }
        match modems(&mut client).await {
            Err(failure) => problems.push(format!("The modems cannot be asked: {}", failure.words())),
            Ok(status) => problems.extend(modem_problems(&status)),
        }
        problems
    }

    fn can_resume(&self) -> bool {
        true
    }
}

fn file_of(reception: &Reception) -> Result<&str, ProviderError> {
    let file = reception.id.split_once('@').map_or("", |(file, _)| file);
    if is_fax_file(file) { Ok(file) } else { Err(ProviderError::Unknown) }
}

async fn modems(client: &mut Client) -> Result<Vec<Vec<String>>, Failure> {
    client.execute(MODEMS).await?;
    client.list("status").await
}

fn modem_problems(status: &[Vec<String>]) -> Vec<String> {
    let mut problems = Vec::new();
    if !status.iter().any(|fields| fields.len() == 1 && fields[0].ends_with(": Running")) {
        problems.push("HylaFAX' scheduler (faxq) does not run.".to_owned());
    }
    let modems: Vec<_> = status.iter().filter(|fields| fields.len() == 2).collect();
    if modems.is_empty() {
        problems.push("HylaFAX has no modem.".to_owned());
    }
    // Each modem has this status for some seconds after a call.
    if !modems.is_empty() && modems.iter().all(|fields| fields[1].starts_with("Waiting for modem")) {
        problems.push("No modem of HylaFAX is ready.".to_owned());
    }
    problems
}
