//! `MessageSendWorkflow`: sending a message splits its recipients into transmissions, a Deliver step transmits each of
//! them, and AwaitNotices waits for the notices until they time out. Fax recipients have steps of their own
//! ([`crate::fax::sending::steps`]).

use super::routing::{self, Route, Verdict, content::Parcel, send::Routed};
use crate::{
    attachments::form::Form,
    conversations,
    deliveries::{
        self, LockedDeliveries, STAGE, awaiting::notice_timeout, fail, is_direct, is_queued, reopen,
    },
    direct::{
        DirectServices,
        credentials::{Changes, Credentials},
        hosted::partner,
        notices::{self, News},
        outbound::{self, SendError},
    },
    fax::sending::jobs as fax,
    files,
    messages::queries::announce,
    model::{DeliveryState, RecipientRole},
    sealed::{Content, Summary},
    workflows::{mail_later, mail_policy, platform_error},
};
use ::direct::{
    DirectAddress,
    address::Mailbox,
    cert::Certificate,
    mime::{OutgoingMessage, new_message_id},
    smtp::client::{RecipientOutcome, TlsState},
    trust::AnchorSet,
};
use chrono::{DateTime, Duration, Utc};
use platform::App;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryTrait,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::{
    Transaction,
    batching::{BatchedReads, BatchedWrites, models},
    entities::{
        attachment, delivery, delivery::TransportTls, message, organization, routing_rule, transmission,
    },
};
use uuid::Uuid;
use workflow::{Done, NewStep, Policy, Step, StepContext, StepError, names};

#[derive(Serialize, Deserialize)]
pub(super) struct DeliverMeta {
    pub transmission_id: Uuid,
}

/// Splits a message into transmissions: To and Cc by domain, each Bcc separately with its own Message-ID. Sets the
/// transmission of each delivery.
pub fn split<'a>(
    row: &message::Model,
    rfc_message_id: &str,
    sender: &DirectAddress,
    deliveries: impl Iterator<Item = (&'a DirectAddress, &'a mut delivery::Model)>,
    now: DateTime<Utc>,
) -> Vec<transmission::Model> {
    let mut groups: BTreeMap<(String, String), Vec<&mut delivery::Model>> = BTreeMap::new();
    for (address, d) in deliveries {
        let blind = d.role == RecipientRole::Bcc;
        let id = if blind { new_message_id(d.id, sender) } else { rfc_message_id.to_owned() };
        groups.entry((address.domain().to_owned(), id)).or_default().push(d);
    }
    let transmission = |((domain, rfc_id), members): ((String, String), Vec<&mut delivery::Model>)| {
        let id = Uuid::now_v7();
        let mut addresses = Vec::with_capacity(members.len());
        for d in members {
            d.transmission_id = Some(id);
            addresses.push(d.address.clone());
        }
        transmission::Model {
            id,
            message_id: row.id,
            organization_id: row.organization_id,
            blind: rfc_id != rfc_message_id,
            rfc_message_id: rfc_id,
            domain,
            recipients: addresses.into(),
            state: DeliveryState::Queued,
            attempt: 0,
            created_at: now,
            finished_at: None,
        }
    };
    groups.into_iter().map(transmission).collect()
}

/// The steps that send a message: one for each transmission and each fax, and one that waits for the notices.
/// None runs before `start`.
pub fn steps(
    app: &App,
    transmissions: &[transmission::Model],
    faxes: &[Uuid],
    start: DateTime<Utc>,
) -> Vec<NewStep> {
    let mut steps: Vec<_> = faxes.iter().map(|delivery_id| fax::render(*delivery_id, start)).collect();
    if !transmissions.is_empty() {
        // In the same stage as the deliveries: one that is retried for days must not delay the timeouts of the others.
        // Nothing can time out before the first notice could.
        steps.push(NewStep::new(STAGE, names::AWAIT_NOTICES, start + notice_timeout(app)));
    }
    steps.extend(transmissions.iter().map(|t| {
        let meta = DeliverMeta { transmission_id: t.id };
        let step = NewStep::new(STAGE, names::DELIVER, start).with_meta(serde_json::json!(meta));
        step.for_partner(partner(app, &t.domain))
    }));
    steps
}

fn parse(address: &str) -> Result<DirectAddress, StepError> {
    DirectAddress::parse(address).map_err(|_| StepError::failed("An address of the message cannot be read."))
}

/// Transmits to the recipients of one transmission.
pub struct Deliver {
    pub app: App,
    pub direct: DirectServices,
}

#[async_trait::async_trait]
impl Step for Deliver {
    fn policy(&self) -> Policy {
        mail_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        if let Some(retried_at) = cx.step.retried_at {
            self.reopen(cx, retried_at).await?;
        }
        let job = Job::load(&self.app, cx).await?;
        if job.open.is_empty() {
            return Ok(Done::new());
        }
        let (outcomes, error) = self.attempt(&job).await;
        let (later, settled): (Vec<_>, Vec<_>) = outcomes
            .into_iter()
            .partition(|(_, outcome)| matches!(outcome, Outcome::Later(_) | Outcome::Behind));
        if let Some(error) = error {
            // Earlier results are settled anyway, so that no recipient gets the message twice.
            if !settled.is_empty() {
                self.save(&job, settled).await?;
            }
            return Err(error);
        }
        let app = self.app.clone();
        let reason = later.iter().find_map(|(_, outcome)| match outcome {
            Outcome::Later(reason) => Some(reason.clone()),
            _ => None,
        });
        match reason {
            None if later.is_empty() => {
                let message = job.message.clone();
                let record = job.record(settled);
                let published = app.clone();
                Ok(Done::with(move |txn| Box::pin(async move { record.write(&app, txn).await }))
                    .then(async move { announce(&published, &message).await }))
            }
            // Woken once the earlier message is settled.
            None if settled.is_empty() => Err(self.behind()),
            reason => {
                // The rest is retried under the same Message-ID.
                self.save(&job, settled).await?;
                Err(reason.map_or_else(|| self.behind(), |reason| mail_later(&app, cx, reason)))
            }
        }
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let Ok(meta) = cx.meta::<DeliverMeta>() else { return Ok(()) };
        let Some(mut locked) = LockedDeliveries::lock(txn, cx.object_id()).await? else { return Ok(()) };
        let now = self.app.clock.now();
        for row in locked.deliveries.iter_mut().filter(|d| is_open(d, meta.transmission_id)) {
            fail(txn, row, reason, now).await?;
            routing::wake_next(txn, now, row).await?;
        }
        locked.settle(txn, now).await.map(|_| ())
    }
}

/// The outcome of one attempt for one recipient.
enum Outcome {
    Sent(TransportTls),
    /// Accepted by the recipient's interface.
    Delivered,
    Failed(String),
    Later(String),
    /// An earlier message to the same interface comes first.
    Behind,
}

type Outcomes = Vec<(delivery::Model, Outcome)>;

/// A transmission with everything needed to send it.
struct Job {
    message: message::Model,
    transmission: transmission::Model,
    /// Every recipient of the message.
    everybody: Vec<delivery::Model>,
    /// Recipients of the transmission that are not settled yet.
    open: Vec<delivery::Model>,
    organization: organization::Model,
    files: Vec<attachment::Model>,
    changes: Changes,
    routes: Vec<Route>,
    notice_timeout: Duration,
}

impl Job {
    async fn load(app: &App, cx: &StepContext) -> Result<Self, StepError> {
        let db = app.store.db();
        let meta: DeliverMeta = cx.meta()?;
        let (id, organization_id, backend) =
            (cx.object_id(), cx.organization_id(), db.get_database_backend());
        let [message, transmission, everybody, organization, files, changes, rules] = db
            .query_each([
                message::Entity::find_by_id(id).build(backend),
                transmission::Entity::find_by_id(meta.transmission_id).build(backend),
                deliveries::select(delivery::Column::MessageId.eq(id)).build(backend),
                organization::Entity::find_by_id(organization_id).build(backend),
                files::select_of(organization_id, id).build(backend),
                Changes::query(db),
                routing::of_message(id).build(backend),
            ])
            .await?;
        let gone = || StepError::failed("The message no longer exists.");
        let transmission = models::<transmission::Entity>(&transmission)?.pop().ok_or_else(gone)?;
        let everybody = models::<delivery::Entity>(&everybody)?;
        Ok(Self {
            message: models::<message::Entity>(&message)?.pop().ok_or_else(gone)?,
            open: everybody.iter().filter(|d| is_open(d, transmission.id)).cloned().collect(),
            transmission,
            everybody,
            organization: models::<organization::Entity>(&organization)?
                .pop()
                .ok_or_else(|| StepError::failed("The organization no longer exists."))?,
            files: models::<attachment::Entity>(&files)?,
            changes: Changes::read(&changes).map_err(platform_error)?,
            routes: routing::load(db, models::<routing_rule::Entity>(&rules)?).await?,
            notice_timeout: notice_timeout(app),
        })
    }

    fn record(&self, outcomes: Outcomes) -> Record {
        Record {
            message: self.message.clone(),
            transmission: self.transmission.clone(),
            outcomes,
            notice_timeout: self.notice_timeout,
        }
    }
}

impl Deliver {
    /// Waits for an earlier message, which does not count as an attempt.
    fn behind(&self) -> StepError {
        let pause = Duration::seconds(self.app.config.direct.retry_seconds.into());
        StepError::Wait { until: self.app.clock.now() + pause }
    }

    /// After a retry by hand: earlier failures are sent again, except those accepted by the recipient's mail server.
    async fn reopen(&self, cx: &StepContext, retried_at: DateTime<Utc>) -> Result<(), StepError> {
        let meta: DeliverMeta = cx.meta()?;
        let txn = self.app.store.begin().await?;
        let Some(mut locked) = LockedDeliveries::lock(&txn, cx.object_id()).await? else { return Ok(()) };
        let is_ours = |d: &&mut delivery::Model| d.transmission_id == Some(meta.transmission_id);
        let mut any = false;
        for row in locked.deliveries.iter_mut().filter(is_ours) {
            any |= reopen(&txn, row, retried_at).await?;
        }
        if !any {
            return Ok(txn.rollback().await?);
        }
        // It had ended because no notice was outstanding.
        workflow::reopen(
            &txn,
            cx.workflow_id(),
            names::AWAIT_NOTICES,
            self.app.clock.now() + notice_timeout(&self.app),
        )
        .await?;
        let message = locked.settle(&txn, self.app.clock.now()).await?;
        txn.commit().await?;
        announce(&self.app, &message).await;
        Ok(())
    }

    /// Saves the settled results of an attempt that has to be repeated.
    async fn save(&self, job: &Job, settled: Outcomes) -> Result<(), StepError> {
        let txn = self.app.store.begin().await?;
        job.record(settled).write(&self.app, &txn).await?;
        txn.commit().await?;
        announce(&self.app, &job.message).await;
        Ok(())
    }

    /// The outcomes for recipients, until an error that is not specific to one of them.
    async fn attempt(&self, job: &Job) -> (Outcomes, Option<StepError>) {
        let (mut outcomes, mut by_direct) = (Vec::new(), Vec::new());
        for row in &job.open {
            match self.route(job, row).await {
                Ok(Some(outcome)) => outcomes.push((row.clone(), outcome)),
                Ok(None) => by_direct.push(row.clone()),
                Err(error) => return (outcomes, Some(error)),
            }
        }
        if !by_direct.is_empty() {
            match self.attempt_by_direct(job, by_direct).await {
                Ok(sent) => outcomes.extend(sent),
                Err(error) => return (outcomes, Some(error)),
            }
        }
        (outcomes, None)
    }

    /// Hands the message over to a recipient's interface, if a routing rule applies.
    async fn route(&self, job: &Job, row: &delivery::Model) -> Result<Option<Outcome>, StepError> {
        let organization_id = job.message.organization_id;
        let Some(route) = job.routes.iter().find(|route| route.rule.address_key == row.address_key) else {
            return Ok(None);
        };
        let Verdict::Routed(sender) = route.judge(organization_id) else { return Ok(None) };
        let (app, message, organization) = (&self.app, &job.message, &job.organization);
        let parcel = Parcel { app, message, organization, files: &job.files, delivery: row, route, sender };
        Ok(Some(match routing::send::attempt(parcel).await? {
            Routed::Delivered => Outcome::Delivered,
            Routed::Failed(reason) => Outcome::Failed(reason),
            Routed::Later(reason) => Outcome::Later(reason),
            Routed::Behind => Outcome::Behind,
        }))
    }

    async fn attempt_by_direct(&self, job: &Job, open: Vec<delivery::Model>) -> Result<Outcomes, StepError> {
        let own = self.direct.credentials_after(&self.app, job.message.organization_id, job.changes).await;
        let own = own.map_err(platform_error)?;
        let (certificates, mut outcomes) = self.discover(&open, &own.anchors.outgoing).await?;
        let reachable: Vec<_> =
            open.iter().filter(|d| outcomes.iter().all(|(known, _)| known.id != d.id)).cloned().collect();
        if !reachable.is_empty() {
            let inner = compose(&self.app, job).await?;
            outcomes.extend(self.transmit(job, &own, inner, certificates, reachable).await?);
        }
        Ok(outcomes)
    }

    /// Finds the certificates of the recipients; those without one are settled at once.
    async fn discover(
        &self,
        open: &[delivery::Model],
        anchors: &AnchorSet,
    ) -> Result<(Vec<Certificate>, Outcomes), StepError> {
        let now = self.app.clock.now();
        let (mut certificates, mut outcomes) = (Vec::new(), Vec::new());
        for d in open {
            let address = parse(&d.address)?;
            match self.direct.discovery.find(&address, anchors, &self.direct.trust, now).await {
                Ok(found) => certificates.extend(found.certificates.into_iter().map(|c| c.certificate)),
                Err(reason) if reason.is_temporary() => {
                    outcomes.push((d.clone(), Outcome::Later(reason.to_string())));
                }
                Err(reason) => outcomes.push((d.clone(), Outcome::Failed(reason.to_string()))),
            }
        }
        certificates.dedup();
        Ok((certificates, outcomes))
    }

    async fn transmit(
        &self,
        job: &Job,
        own: &Credentials,
        inner: Vec<u8>,
        certificates: Vec<Certificate>,
        reachable: Vec<delivery::Model>,
    ) -> Result<Outcomes, StepError> {
        let sender = parse(&job.message.from_address)?;
        let all = |outcome: fn(String) -> Outcome, reason: String| {
            reachable.iter().map(|d| (d.clone(), outcome(reason.clone()))).collect()
        };
        let protected = outbound::protect(&self.app, &self.direct, own, &sender, inner, certificates).await;
        let protected = match protected {
            Ok(bytes) => bytes,
            Err(SendError::Permanent(reason)) => return Ok(all(Outcome::Failed, reason)),
            Err(SendError::Temporary(reason)) => return Ok(all(Outcome::Later, reason)),
        };
        let addresses = reachable.iter().map(|d| parse(&d.address)).collect::<Result<Vec<_>, _>>()?;
        let domain = &job.transmission.domain;
        let report =
            outbound::hand_over(&self.app, &self.direct, domain, &sender, addresses, &protected).await;
        let report = match report {
            Ok(report) => report,
            Err(SendError::Permanent(reason)) => return Ok(all(Outcome::Failed, reason)),
            Err(SendError::Temporary(reason)) => return Ok(all(Outcome::Later, reason)),
        };
        Ok(reachable
            .into_iter()
            .map(|d| {
                let answer =
                    report.recipients.iter().find(|(a, _)| a.as_str().eq_ignore_ascii_case(&d.address));
                let outcome = match answer {
                    Some((_, RecipientOutcome::Accepted { .. })) => Outcome::Sent(transport(report.tls)),
                    Some((_, refused @ RecipientOutcome::Refused { .. })) => {
                        Outcome::Failed(outbound::words(refused))
                    }
                    Some((_, other)) => Outcome::Later(outbound::words(other)),
                    None => Outcome::Later("The mail server did not answer for this recipient.".into()),
                };
                (d, outcome)
            })
            .collect())
    }
}

fn transport(state: TlsState) -> TransportTls {
    match state {
        TlsState::Plain => TransportTls::Plain,
        TlsState::Encrypted => TransportTls::Encrypted,
        TlsState::Verified => TransportTls::Verified,
        TlsState::Dane => TransportTls::Dane,
    }
}

/// The message before signing and encryption. Each attempt creates it again from unchanging data.
async fn compose(app: &App, job: &Job) -> Result<Vec<u8>, StepError> {
    let row = &job.message;
    let key = app.keys.data_key(row.organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
    let summary = Summary::open(&key, row).map_err(platform_error)?;
    let content = Content::open(&key, row).map_err(platform_error)?;
    let list = |role: RecipientRole| {
        let members = job.everybody.iter().filter(|d| is_direct(d) && d.role == role);
        members.map(|d| parse(&d.address).map(Mailbox::from)).collect::<Result<Vec<_>, _>>()
    };
    let mut message = OutgoingMessage::new(
        Mailbox::new(&job.organization.name, parse(&row.from_address)?),
        list(RecipientRole::To)?,
        row.message_date,
        row.rfc_message_id.clone().unwrap_or_default(),
    );
    message.cc = list(RecipientRole::Cc)?;
    message.subject = match content.conversation {
        Some(_) => conversations::rules::marked(&summary.subject),
        None => summary.subject,
    };
    message.text = content.text();
    message.in_reply_to = row.in_reply_to.clone();
    message.request_delivery_notice = true;
    let form =
        Form { app, key: &key, message: row, organization: &job.organization, patient: content.patient };
    for file in &job.files {
        message.attachments.push(form.attach(file).await?);
    }
    if job.transmission.blind
        && let Some(only) = job.open.first()
    {
        let recipient = Mailbox::from(parse(&only.address)?);
        message = message.blind_copy_for(recipient, job.transmission.rfc_message_id.clone());
    }
    message.build().map_err(|error| StepError::failed(error.to_string()))
}

/// The outcomes of one attempt, stored in one transaction.
struct Record {
    message: message::Model,
    transmission: transmission::Model,
    outcomes: Outcomes,
    notice_timeout: Duration,
}

impl Record {
    async fn write(self, app: &App, txn: &Transaction) -> Result<(), StepError> {
        let now = app.clock.now();
        let Some(mut locked) = LockedDeliveries::lock(txn, self.message.id).await? else { return Ok(()) };
        let mut attempted = self.transmission.clone().into_active_model();
        attempted.attempt = Set(self.transmission.attempt + 1);
        attempted.finished_at = Set(Some(now));
        txn.update_later(attempted).await?;
        for (row, outcome) in self.outcomes {
            // A notice may have arrived already.
            let still_open = |d: &&mut delivery::Model| d.id == row.id && is_open(d, self.transmission.id);
            let Some(row) = locked.deliveries.iter_mut().find(still_open) else { continue };
            match outcome {
                Outcome::Sent(tls) => {
                    let mut change = row.clone().into_active_model();
                    change.state = Set(DeliveryState::Sent);
                    change.sent_at = Set(Some(now));
                    change.tls = Set(Some(tls));
                    change.expected_by = Set(Some(now + self.notice_timeout));
                    *row = txn.update_later(change).await?;
                }
                Outcome::Delivered => {
                    notices::advance(txn, row, News::Delivered, now, self.notice_timeout).await?;
                    routing::wake_next(txn, now, row).await?;
                }
                Outcome::Failed(reason) => {
                    fail(txn, row, &reason, now).await?;
                    routing::wake_next(txn, now, row).await?;
                }
                Outcome::Later(_) | Outcome::Behind => {}
            }
        }
        locked.settle(txn, now).await?;
        Ok(())
    }
}

/// Whether it is part of this transmission and not settled yet.
fn is_open(row: &delivery::Model, transmission_id: Uuid) -> bool {
    row.transmission_id == Some(transmission_id) && is_queued(row)
}
