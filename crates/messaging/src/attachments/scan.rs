//! Malware scan: files are scanned before anybody can open them, if a scanner is configured. Infected files are in
//! quarantine ([`crate::quarantine`]); while the scanner does not answer, files wait.

use super::{extract, held::words, preview};
use crate::{
    indexes::text,
    workflows::{SCAN, platform_error},
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    malware::{ScanError, Verdict},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    QueryFilter, QuerySelect, sea_query::OnConflict,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{
        attachment::{self, ScanState},
        held_file::{self, HeldOrigin, HeldState},
        triage_file,
    },
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// The only step of the workflow.
pub const SCAN_FILE: StepType = StepType::new("ScanFile", Lane::Conversion);

/// Name for the limit of workers per outside party, so that a hanging scanner blocks only a few of them.
pub const PARTNER: &str = "malware scanner";
/// First interval between attempts while the scanner does not answer; the next ones are longer.
const AGAIN_FIRST: Duration = Duration::seconds(5);
const AGAIN_MOST: Duration = Duration::minutes(5);

const NOT_CHECKED: &str = "The malware scanner is not available. Please try again later.";
/// Finding for files larger than the scanner's limit.
const TOO_LARGE: &str = "Too large to be checked";

/// Preview to create once a file is clean.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Then {
    pub preview: bool,
    pub has_priority: bool,
}

/// Holds a new file until it is scanned, in the transaction that adds it. Returns false, and changes nothing, without a
/// scanner.
pub async fn hold(
    app: &App,
    txn: &Transaction,
    row: &mut attachment::Model,
    then: Then,
) -> Result<bool, DbErr> {
    if app.scanner.is_none() {
        return Ok(false);
    }
    row.scan_state = ScanState::Waiting;
    wait(txn, row, then, app.clock.now()).await?;
    Ok(true)
}

/// Schedules the scan of a waiting file. A file that waited before, such as a copy or a file of a restored message, may
/// have no scan scheduled.
pub async fn wait(
    txn: &Transaction,
    row: &attachment::Model,
    then: Then,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let skip_present = OnConflict::new().do_nothing().to_owned();
    let held = held_file::Entity::insert(waiting(row, now).into_active_model()).on_conflict(skip_present);
    txn.later(held).await?;
    let step = NewStep::new(0, SCAN_FILE, now).with_meta(json!(then)).for_partner(PARTNER);
    let (organization_id, object_id) = (row.organization_id, row.id);
    let job = NewWorkflow { organization_id, kind: SCAN.into(), object_id, steps: vec![step] };
    workflow::enqueue(txn, now, job).await.map(|_| ())
}

fn waiting(row: &attachment::Model, now: DateTime<Utc>) -> held_file::Model {
    held_file::Model {
        id: row.id,
        organization_id: row.organization_id,
        origin: HeldOrigin::Message,
        parent_id: row.message_id,
        blob_id: row.blob_id,
        kind: row.kind.clone(),
        size_bytes: row.size_bytes,
        state: HeldState::Waiting,
        finding: None,
        since: now,
        decided_at: None,
        decided_by: None,
        reason: None,
    }
}

/// Like [`hold`], for a file of a batch, whose pages are read after the scan.
pub async fn hold_of_batch(app: &App, txn: &Transaction, row: &mut triage_file::Model) -> Result<(), DbErr> {
    if app.scanner.is_none() {
        return Ok(());
    }
    row.scan_state = ScanState::Waiting;
    let held = held_file::Model {
        id: row.id,
        organization_id: row.organization_id,
        origin: HeldOrigin::Triage,
        parent_id: row.batch_id,
        blob_id: row.blob_id,
        kind: row.kind.clone(),
        size_bytes: row.size_bytes,
        state: HeldState::Waiting,
        finding: None,
        since: app.clock.now(),
        decided_at: None,
        decided_by: None,
        reason: None,
    };
    txn.later(held_file::Entity::insert(held.into_active_model())).await
}

/// Result of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub state: ScanState,
    pub finding: Option<String>,
}

impl Outcome {
    fn of(verdict: Verdict) -> Self {
        let infected = |finding| Self { state: ScanState::Infected, finding: Some(finding) };
        match verdict {
            Verdict::Clean => Self { state: ScanState::Clean, finding: None },
            Verdict::Infected(name) => infected(name),
            Verdict::TooLarge => infected(TOO_LARGE.into()),
        }
    }
}

/// Scans a stored file. While the scanner does not answer, the step waits and the file stays held.
pub async fn scan(
    app: &App,
    cx: &StepContext,
    organization_id: Uuid,
    blob_id: Uuid,
) -> Result<Outcome, StepError> {
    // If the operator removed the scanner, files no longer wait.
    let Some(scanner) = &app.scanner else {
        return Ok(Outcome { state: ScanState::NotScanned, finding: None });
    };
    let key = app.keys.data_key(organization_id).await.map_err(|error| platform_error(error.into()))?;
    let content = app.blobs.reader(&key, organization_id, blob_id);
    match scanner.scan(organization_id, content).await {
        Ok(verdict) => Ok(Outcome::of(verdict)),
        Err(ScanError::Content(error)) => Err(platform_error(error.into())),
        Err(ScanError::Unavailable(reason)) => {
            tracing::warn!(reason, "a file could not be scanned for malware and will be tried again");
            let now = app.clock.now();
            let pause = ((now - cx.workflow.created_at) / 4).clamp(AGAIN_FIRST, AGAIN_MOST);
            Err(StepError::Wait { until: now + pause })
        }
    }
}

/// Scans a document extracted from a file, while its reader waits.
pub async fn require_clean(app: &App, organization_id: Uuid, content: bytes::Bytes) -> Result<()> {
    let Some(scanner) = &app.scanner else { return Ok(()) };
    let content = Box::pin(futures::stream::once(async move { Ok(content) }));
    match scanner.scan(organization_id, content).await {
        Ok(verdict) => {
            let Outcome { state, finding } = Outcome::of(verdict);
            match words(state, finding.as_deref()) {
                Some(words) => Err(Error::Conflict(words.into())),
                None => Ok(()),
            }
        }
        Err(ScanError::Content(error)) => Err(error.into()),
        Err(ScanError::Unavailable(reason)) => {
            tracing::warn!(reason, "a file could not be scanned for malware");
            Err(Error::Conflict(NOT_CHECKED.into()))
        }
    }
}

/// Scans one file.
pub struct ScanFile(pub App);

#[async_trait::async_trait]
impl Step for ScanFile {
    /// Allows for the time of a scan and the wait before it.
    fn policy(&self) -> Policy {
        let seconds = u64::from(self.0.config.malware.timeout_seconds);
        Policy { deadline: time::Duration::from_secs(seconds * 2 + 60), ..Policy::default() }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.0.clone();
        let found = attachment::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let is_wanted =
            |row: &attachment::Model| row.deleted_at.is_none() && row.scan_state == ScanState::Waiting;
        let Some(row) = found.filter(is_wanted) else {
            let id = cx.object_id();
            return Ok(Done::with(move |txn| Box::pin(async move { Ok(forget_waiting(txn, id).await?) })));
        };
        let outcome = scan(&app, cx, row.organization_id, row.blob_id).await?;
        let then: Then = cx.meta()?;
        let (organization_id, message_id, attachment_id) = (row.organization_id, row.message_id, row.id);
        let writer = app.clone();
        let done = Done::with(move |txn| {
            Box::pin(async move { settle(&writer, txn, &row, outcome, then).await.map_err(platform_error) })
        });
        Ok(done.then(async move {
            app.bus.publish(Event::Preview { organization_id, attachment_id }).await;
            app.bus.publish(Event::Intake { organization_id, message_id }).await;
            app.bus.publish(Event::Work).await;
        }))
    }
}

/// Stores the result of the scan, for the file and all others with the same bytes.
async fn settle(
    app: &App,
    txn: &Transaction,
    scanned: &attachment::Model,
    outcome: Outcome,
    then: Then,
) -> Result<()> {
    let rows = with_bytes(txn, scanned.organization_id, scanned.blob_id, ScanState::Waiting).await?;
    for row in rows {
        let mut change = row.clone().into_active_model();
        change.scan_state = Set(outcome.state);
        change.scan_finding = Set(outcome.finding.clone());
        let changed = change.update(txn).await?;
        if outcome.state == ScanState::Infected {
            let now = app.clock.now();
            let held = held_file::Model {
                state: HeldState::Quarantined,
                finding: outcome.finding.clone(),
                ..waiting(&row, now)
            };
            quarantine(app, txn, held).await?;
        } else {
            forget_waiting(txn, row.id).await?;
            text::due(txn, &changed, app.clock.now()).await?;
            if row.id == scanned.id && row.deleted_at.is_none() && !then.has_priority {
                extract::on_arrival(app, txn, &changed).await?;
            }
            if then.preview && row.id == scanned.id && row.deleted_at.is_none() {
                preview::enqueue_with(app, txn, &changed, then.has_priority).await?;
            }
        }
    }
    Ok(())
}

/// Files of messages with the same stored bytes and state, locked.
pub async fn with_bytes(
    txn: &Transaction,
    organization_id: Uuid,
    blob_id: Uuid,
    state: ScanState,
) -> Result<Vec<attachment::Model>> {
    let rows = attachment::Entity::find()
        .filter(attachment::Column::OrganizationId.eq(organization_id))
        .filter(attachment::Column::BlobId.eq(blob_id))
        .filter(attachment::Column::ScanState.eq(state))
        .lock_exclusive();
    Ok(rows.all(txn).await?)
}

/// Puts a file in quarantine, with an audit entry.
pub async fn quarantine(app: &App, txn: &Transaction, held: held_file::Model) -> Result<()> {
    let object = match held.origin {
        HeldOrigin::Message => "attachment",
        HeldOrigin::Triage => "triagebatch",
    };
    let id = if held.origin == HeldOrigin::Message { held.id } else { held.parent_id };
    let act = Act::new(event::QUARANTINED, object, id)
        .detail(json!({ "file": held.id, "finding": held.finding }))
        .failed();
    let actor = Actor::system(held.organization_id);
    let columns = [held_file::Column::State, held_file::Column::Finding, held_file::Column::Since];
    let anew = OnConflict::column(held_file::Column::Id).update_columns(columns).to_owned();
    let insert = held_file::Entity::insert(held.into_active_model()).on_conflict(anew);
    insert.exec_without_returning(txn).await?;
    audit::record(app, txn, &actor, act).await
}

/// Removes the waiting mark of a file that was scanned or removed.
pub async fn forget_waiting(conn: &impl ConnectionTrait, id: Uuid) -> Result<(), DbErr> {
    let waiting = held_file::Entity::delete_many()
        .filter(held_file::Column::Id.eq(id))
        .filter(held_file::Column::State.eq(HeldState::Waiting));
    waiting.exec(conn).await.map(|_| ())
}
