//! Received faxes: providers are polled, faxes are stored as received, and become messages in the Intake. A fax that
//! a provider reports twice is stored once, and it is acknowledged only once it is stored durably.

use super::{accounts::poll_interval, calls, closed_organizations, settings::FaxSettings};
use crate::{
    arrival::{Arrival, NewIntake},
    files::{self, NewFile},
    model::{AttachmentMeta, Conversation, MessageProperties, SourceKind, SourceStatus, SourceType},
    sealed::{Content, Summary},
    workflows::{RECEIVE, conversion_policy, platform_error},
};
use ::accounts::profile::features;
use chrono::{DateTime, Duration, Utc};
use documents::{Kind, worker::Input};
use fax::{FaxNumber, FileFormat, Home, Outcome, Provider, Reception};
use futures::{StreamExt, stream};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    chores,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use serde_json::json;
use std::time;
use store::entities::{
    attachment, document_source, fax_account, fax_attempt, fax_number,
    fax_reception::{self, PageFormat, ReceptionState},
    message,
    string_list::StringList,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::{Done, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, names};

const POLL_INTERVAL: time::Duration = time::Duration::from_secs(2);
/// Number of accounts polled in one round, and of concurrent polls.
const ACCOUNTS_PER_POLL: u64 = 50;
const CONCURRENT_POLLS: usize = 8;
/// Minimum time until a failed account is polled again.
const RETRY_AFTER: Duration = Duration::minutes(1);
/// The feature that tracks answers to faxes.
const TRACKING: &str = "AutomatedCarePlans";
/// How long after a fax was sent to a number a fax from there may be its answer.
const ANSWER_TIME: Duration = Duration::days(60);
/// How many of the latest faxes to a number are searched for the one that is answered.
const FAXES_LOOKED_AT: u64 = 20;
/// Polls ask for faxes since this long before the last poll, because clocks differ.
const OVERLAP: Duration = Duration::days(2);

/// Polls providers until the node stops.
pub async fn poll_forever(app: App, cancel: CancellationToken) {
    chores::every(POLL_INTERVAL, POLL_INTERVAL, cancel, "received faxes", || poll(&app)).await;
}

/// Polls every account that is due. Each is polled by one node.
pub async fn poll(app: &App) -> Result<()> {
    let now = app.clock.now();
    let due = fax_account::Entity::find()
        .filter(fax_account::Column::PollAt.lte(now))
        // Faxes of these organizations stay with the provider, and are fetched once the organization is activated
        // again.
        .filter(fax_account::Column::OrganizationId.not_in_subquery(closed_organizations()))
        .order_by_asc(fax_account::Column::PollAt)
        .limit(ACCOUNTS_PER_POLL)
        .all(app.store.db())
        .await?;
    // A failing account must not hold up the others.
    stream::iter(due).for_each_concurrent(CONCURRENT_POLLS, |account| ask(app, account, now)).await;
    Ok(())
}

/// Polls one account, unless another node does.
async fn ask(app: &App, account: fax_account::Model, now: DateTime<Utc>) {
    let asked = async {
        if !claim(app, &account, now + poll_interval(account.provider)).await? {
            return Ok(());
        }
        let outcome = poll_account(app, &account).await;
        note(app, &account, outcome, now).await
    };
    if let Err(error) = asked.await {
        tracing::error!(account = %account.id, ?error, "a fax account could not be polled");
    }
}

async fn claim(app: &App, account: &fax_account::Model, next: DateTime<Utc>) -> Result<bool> {
    let taken = fax_account::Entity::update_many()
        .col_expr(fax_account::Column::PollAt, Expr::value(next))
        .filter(fax_account::Column::Id.eq(account.id))
        .filter(fax_account::Column::PollAt.eq(account.poll_at))
        .exec(app.store.db())
        .await?;
    Ok(taken.rows_affected > 0)
}

/// Records the result of a poll. A callback that arrived meanwhile still counts.
async fn note(
    app: &App,
    account: &fax_account::Model,
    outcome: Result<Option<String>>,
    now: DateTime<Utc>,
) -> Result<()> {
    let problem = outcome.unwrap_or_else(|error| {
        tracing::error!(account = %account.id, ?error, "received faxes could not be polled for");
        Some("Received faxes could not be stored.".into())
    });
    let mut change = fax_account::Entity::update_many()
        .col_expr(fax_account::Column::Problem, Expr::value(problem.clone()))
        .filter(fax_account::Column::Id.eq(account.id));
    if problem.is_none() {
        change = change.col_expr(fax_account::Column::PolledAt, Expr::value(now));
    }
    change.exec(app.store.db()).await?;
    if problem.is_some() {
        fax_account::Entity::update_many()
            .col_expr(fax_account::Column::PollAt, Expr::value(now + RETRY_AFTER))
            .filter(fax_account::Column::Id.eq(account.id))
            .filter(fax_account::Column::PollAt.gt(now))
            .filter(fax_account::Column::PollAt.lt(now + RETRY_AFTER))
            .exec(app.store.db())
            .await?;
    }
    Ok(())
}

/// Fetches the received faxes of an account. Returns the problem reported by the provider, if any.
async fn poll_account(app: &App, account: &fax_account::Model) -> Result<Option<String>> {
    let provider = calls::provider(app, account).await?;
    let after = account.polled_at.map(|at| at - OVERLAP);
    let list = match provider.received(after).await {
        Ok(list) => list,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let mut problem = None;
    for reception in list {
        if let Err(words) = take(app, account, &*provider, &reception).await? {
            problem = Some(words);
        }
    }
    Ok(problem)
}

/// Stores one fax and acknowledges it.
async fn take(
    app: &App,
    account: &fax_account::Model,
    provider: &dyn Provider,
    reception: &Reception,
) -> Result<Result<(), String>> {
    let is_known = is_known(app.store.db(), account.id, &reception.id).await?;
    if is_known && reception.is_marked {
        return Ok(Ok(()));
    }
    if !is_known {
        let file = match provider.fetch(reception).await {
            Ok(file) => file,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let format = (!file.content.is_empty()).then_some(file.format);
        let blob_id = match format {
            None => None,
            Some(_) => {
                let key = app.keys.data_key(account.organization_id).await?;
                let id = Uuid::now_v7();
                app.blobs.put(&key, account.organization_id, id, file.content).await?;
                app.blobs.sync().await?;
                Some(id)
            }
        };
        keep(app, account, reception, format, blob_id).await?;
    }
    Ok(provider.acknowledge(reception).await.map_err(|error| error.to_string()))
}

async fn is_known(db: &impl ConnectionTrait, account_id: Uuid, remote_id: &str) -> Result<bool> {
    let known = fax_reception::Entity::find()
        .filter(fax_reception::Column::AccountId.eq(account_id))
        .filter(fax_reception::Column::RemoteId.eq(remote_id))
        .one(db)
        .await?;
    Ok(known.is_some())
}

/// Stores a fax with the workflow that turns it into a message; a fax without an organization waits for an operator.
async fn keep(
    app: &App,
    account: &fax_account::Model,
    reception: &Reception,
    format: Option<FileFormat>,
    blob_id: Option<Uuid>,
) -> Result<()> {
    let home = FaxSettings::of(app.store.db(), account.organization_id).await?.home();
    let txn = app.store.begin().await?;
    if is_known(&txn, account.id, &reception.id).await? {
        return Ok(());
    }
    let now = app.clock.now();
    let route = route(&txn, account, reception, &home).await?;
    let small = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    let row = fax_reception::Model {
        id: Uuid::now_v7(),
        account_id: account.id,
        organization_id: account.organization_id,
        remote_id: reception.id.clone(),
        state: if route.is_some() { ReceptionState::Kept } else { ReceptionState::Unknown },
        called: reception.called.as_deref().map(|n| written(n, &home)),
        caller: reception.caller.as_deref().map(|n| written(n, &home)),
        caller_name: reception.caller_name.as_deref().map(shortened),
        sender_id: reception.station_id.as_deref().map(shortened),
        pages: reception.pages.map(small),
        resolution: reception.resolution.map(|r| format!("{r:?}")),
        rate: reception.rate.map(small),
        seconds: reception.duration.and_then(|d| i32::try_from(d.as_secs()).ok()),
        line: reception.line.as_deref().map(shortened),
        partial: reception
            .partial
            .clone()
            .or_else(|| blob_id.is_none().then(|| "The call ended before the first page.".into())),
        blob_id,
        format: format.map(|format| match format {
            FileFormat::Tiff => PageFormat::Tiff,
            FileFormat::Pdf => PageFormat::Pdf,
        }),
        document_source_id: route,
        message_id: None,
        answers: None,
        decided_by: None,
        decided_at: None,
        received_at: reception.received_at.unwrap_or(now).min(now),
    };
    let is_routed = row.document_source_id.is_some();
    fax_reception::Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    if is_routed {
        enqueue(&txn, account.organization_id, row.id, now).await?;
    } else {
        tracing::warn!(reception = %row.id, "a fax to an unknown number was received");
    }
    let act = Act::new(event::RECEIVED, "fax", row.id).detail(json!({ "routed": is_routed }));
    audit::record(app, &txn, &Actor::system(account.organization_id), act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// Enqueues the workflow that turns a fax into a message.
pub async fn enqueue(
    txn: &store::Transaction,
    organization_id: Uuid,
    reception_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let job = NewWorkflow {
        organization_id,
        kind: RECEIVE.into(),
        object_id: reception_id,
        steps: vec![NewStep::new(0, names::OPEN_FAX, now)],
    };
    Ok(workflow::enqueue(txn, now, job).await?)
}

/// A number as stored: in E.164 form if it can be parsed, otherwise as the provider sent it.
fn written(number: &str, home: &Home) -> String {
    FaxNumber::parse(number, home).map_or_else(|_| shortened(number), |n| n.without_extension().to_string())
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect::<String>().trim().to_owned()
}

/// Finds the fax number that receives a fax: by the dialled number, then by the caller, then by the machine's name. An
/// account only has the numbers of its own organization.
async fn route(
    db: &impl ConnectionTrait,
    account: &fax_account::Model,
    reception: &Reception,
    home: &Home,
) -> Result<Option<Uuid>> {
    let numbers =
        fax_number::Entity::find().filter(fax_number::Column::AccountId.eq(account.id)).all(db).await?;
    let takes = [SourceStatus::Activated, SourceStatus::PendingUpdate, SourceStatus::Failed];
    let sources = document_source::Entity::find()
        .filter(document_source::Column::Id.is_in(numbers.iter().map(|n| n.document_source_id)))
        .filter(document_source::Column::OrganizationId.eq(account.organization_id))
        .filter(document_source::Column::Kind.eq(SourceKind::Fax))
        .filter(document_source::Column::Status.is_in(takes))
        .order_by_asc(document_source::Column::AddressKey)
        .all(db)
        .await?;
    let called = reception.called.as_deref().map(|n| written(n, home)).filter(|n| !n.is_empty());
    if let Some(found) = called.as_ref().and_then(|n| sources.iter().find(|s| s.address == *n)) {
        return Ok(Some(found.id));
    }
    let names = |list: fn(&fax_number::Model) -> &StringList, wanted: Option<String>| {
        let wanted = wanted.filter(|w| !w.is_empty())?;
        let names = |number: &fax_number::Model| list(number).0.contains(&wanted);
        sources.iter().find(|s| numbers.iter().any(|n| n.document_source_id == s.id && names(n)))
    };
    let by_caller = names(|n| &n.callers, reception.caller.as_deref().map(|n| written(n, home)));
    let found =
        by_caller.or_else(|| names(|n| &n.sender_ids, reception.station_id.as_deref().map(shortened)));
    // If the provider does not report the dialled number and the account has only one, it is that one.
    let only = || if called.is_none() && sources.len() == 1 { sources.first() } else { None };
    Ok(found.or_else(only).map(|s| s.id))
}

/// Turns a fax into a message in the Intake.
pub struct OpenFax {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for OpenFax {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let db = app.store.db();
        let found = fax_reception::Entity::find_by_id(cx.object_id()).one(db).await?;
        let Some(row) = found.filter(|r| r.state == ReceptionState::Kept && r.message_id.is_none()) else {
            return Ok(Done::skipped());
        };
        let source = match row.document_source_id {
            Some(id) => document_source::Entity::find_by_id(id).one(db).await?,
            None => None,
        };
        let Some(source) = source else {
            return Err(StepError::failed("The fax number no longer exists."));
        };
        let fax = Fax::read(&app, row, source, cx.workflow_id()).await?;
        let Arrival { message, .. } = &fax.arrival;
        let (organization_id, message_id) = (message.organization_id, message.id);
        let published = app.clone();
        let done = Done::with(move |txn| Box::pin(async move { fax.store(&app, txn).await }));
        Ok(done.then(async move {
            published.bus.publish(Event::Intake { organization_id, message_id }).await;
            published.bus.publish(Event::Work).await;
        }))
    }
}

/// A fax ready for the Intake.
struct Fax {
    reception: fax_reception::Model,
    arrival: Arrival,
    /// The message whose fax it answers.
    answers: Option<Uuid>,
}

impl Fax {
    async fn read(
        app: &App,
        reception: fax_reception::Model,
        source: document_source::Model,
        workflow_id: Uuid,
    ) -> Result<Self, StepError> {
        let organization_id = source.organization_id;
        let again = |error: String| StepError::again(error);
        let key = app.keys.data_key(organization_id).await.map_err(|e| again(e.to_string()))?;
        let file = file(app, &reception, &key, organization_id).await?;
        let pages = file.as_ref().map(|(_, pages)| *pages).or(reception.pages).unwrap_or(0);
        let summary = Summary { subject: subject(&reception, pages), ..Summary::default() };
        let properties = MessageProperties { fax_page_count: Some(pages), ..MessageProperties::default() };
        let tracked = tracked(app, &reception, organization_id, &key).await?;
        let (answers, conversation) = tracked.unzip();
        let content = Content { properties, conversation, ..Content::default() };
        let came = NewIntake {
            id: Uuid::now_v7(),
            organization_id,
            source_type: SourceType::Fax,
            workflow_id,
            at: app.clock.now(),
        };
        let sender_id = || reception.sender_id.clone();
        let message = message::Model {
            from_address: reception.caller.clone().or_else(sender_id).unwrap_or_default(),
            from_name: reception.caller_name.clone().or_else(sender_id).unwrap_or_default(),
            to_address: source.address,
            message_date: reception.received_at,
            attachment_count: file.is_some().into(),
            fax_page_count: Some(pages),
            ..came.row(&key, &summary, &content).map_err(platform_error)?
        };
        let mut files = Vec::new();
        if let Some((new, pages)) = file {
            let row = files::row(&key, &message, 0, new, message.received_at).map_err(platform_error)?;
            files.push(attachment::Model { page_count: Some(pages), ..row });
        }
        app.blobs.sync().await.map_err(|e| again(e.to_string()))?;
        Ok(Self { reception, arrival: Arrival { key, message, summary, files }, answers })
    }

    async fn store(self, app: &App, txn: &store::Transaction) -> Result<(), StepError> {
        let Self { reception, arrival, answers } = self;
        let row = fax_reception::Entity::find_by_id(reception.id).lock_exclusive().one(txn).await?;
        let Some(row) = row.filter(|r| r.message_id.is_none()) else { return Ok(()) };
        let mut change = row.into_active_model();
        change.state = Set(ReceptionState::Stored);
        change.message_id = Set(Some(arrival.message.id));
        change.answers = Set(answers);
        change.pages = Set(arrival.message.fax_page_count);
        // The file of the message has the pages now.
        change.blob_id = Set(None);
        arrival.store(app, txn).await?;
        change.update(txn).await?;
        Ok(())
    }
}

/// The latest fax to the caller that awaits an answer, if the organization tracks answers.
async fn tracked(
    app: &App,
    reception: &fax_reception::Model,
    organization_id: Uuid,
    key: &store::keys::DataKey,
) -> Result<Option<(Uuid, Conversation)>, StepError> {
    let (db, Some(caller)) = (app.store.db(), &reception.caller) else { return Ok(None) };
    let features = features::enabled(db, organization_id).await.map_err(platform_error)?;
    if !features.contains(TRACKING) {
        return Ok(None);
    }
    let calls = fax_attempt::Entity::find()
        .filter(fax_attempt::Column::OrganizationId.eq(organization_id))
        .filter(fax_attempt::Column::ToNumber.eq(caller))
        .filter(fax_attempt::Column::StartedAt.gte(reception.received_at - ANSWER_TIME))
        .filter(fax_attempt::Column::StartedAt.lte(reception.received_at))
        .filter(fax_attempt::Column::Outcome.eq(Outcome::Delivered.as_str()))
        .order_by_desc(fax_attempt::Column::StartedAt)
        .limit(FAXES_LOOKED_AT)
        .all(db)
        .await?;
    for call in calls {
        let sent = message::Entity::find_by_id(call.message_id)
            .filter(message::Column::DeletedAt.is_null())
            .one(db)
            .await?;
        let Some(sent) = sent else { continue };
        let content = Content::open(key, &sent).map_err(platform_error)?;
        if let Some(conversation) = content.conversation.filter(|c| !c.conversation_id.is_empty()) {
            return Ok(Some((sent.id, conversation)));
        }
    }
    Ok(None)
}

fn subject(reception: &fax_reception::Model, pages: i32) -> String {
    let who = reception.caller.as_deref().map(super::numbers::queries::display);
    let who = who.or_else(|| reception.sender_id.clone()).filter(|w| !w.is_empty());
    let from = who.map_or_else(|| "Fax".to_owned(), |who| format!("Fax from {who}"));
    let length = if pages == 1 { "1 page".to_owned() } else { format!("{pages} pages") };
    let end = if reception.partial.is_some() { " (incomplete)" } else { "" };
    format!("{from}, {length}{end}")
}

/// The pages as a file of the receiving organization: as PDF, or as received if they are damaged.
async fn file(
    app: &App,
    reception: &fax_reception::Model,
    key: &store::keys::DataKey,
    organization_id: Uuid,
) -> Result<Option<(NewFile, i32)>, StepError> {
    let Some(blob_id) = reception.blob_id else { return Ok(None) };
    let of_account = app.keys.data_key(reception.organization_id).await;
    let of_account = of_account.map_err(|e| StepError::again(e.to_string()))?;
    let read =
        app.blobs.read_to_vec(&of_account, reception.organization_id, blob_id, super::FILE_LIMIT).await;
    let raw = bytes::Bytes::from(read.map_err(|e| StepError::again(e.to_string()))?);
    let kind = if reception.format == Some(PageFormat::Pdf) { Kind::Pdf } else { Kind::Tiff };
    let converter = app.batch_converter.of(organization_id);
    let drawn = match kind {
        Kind::Pdf => Ok(raw.to_vec()),
        _ => fax::pages::to_pdf(&converter, raw.clone()).await,
    };
    let (kind, content) = match drawn {
        Ok(pdf) => (Kind::Pdf, bytes::Bytes::from(pdf)),
        Err(error) if error.is_permanent() => (kind, raw),
        Err(error) => return Err(StepError::again(error.to_string())),
    };
    let pages = match converter.page_count(Input::bytes(kind, content.clone())).await {
        Ok(pages) => i32::try_from(pages).unwrap_or(i32::MAX),
        Err(error) if error.is_permanent() => reception.pages.unwrap_or(0),
        Err(error) => return Err(StepError::again(error.to_string())),
    };
    let blob = app.blobs.put(key, organization_id, Uuid::now_v7(), content).await;
    let blob = blob.map_err(|e| StepError::again(e.to_string()))?;
    let name = if kind == Kind::Pdf { "Fax.pdf" } else { "Fax.tif" }.to_owned();
    let meta = AttachmentMeta::default();
    Ok(Some((NewFile { name, kind, mime_type: kind.mime_type().into(), blob, meta, problem: None }, pages)))
}

/// Refuses a fax that was already assigned or discarded.
pub fn unknown(row: &fax_reception::Model) -> Result<()> {
    if row.state == ReceptionState::Unknown {
        Ok(())
    } else {
        Err(Error::Conflict("This fax was already assigned or discarded.".into()))
    }
}
