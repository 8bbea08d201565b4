//! Notices (MDN and DSN): those we owe for received mail, and those that arrive for mail we sent.

use super::{
    DirectServices,
    credentials::Credentials,
    hosted::partner,
    outbound::{self, SendError},
};
use crate::{
    deliveries::{LockedDeliveries, fail},
    events,
    model::DeliveryState,
    workflows::{mail_later, mail_policy, platform_error},
};
use ::direct::{
    DirectAddress,
    cert::Certificate,
    mime::new_message_id,
    notice::{Disposition, DsnAction, MdnDraft, Notice},
    smtp::client::RecipientOutcome,
};
use chrono::{DateTime, Duration, Utc};
use platform::App;
use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{delivery, message, message_event::EventType, transmission},
};
use uuid::Uuid;
use workflow::{Done, NewStep, Policy, Step, StepContext, StepError, names};

/// The notices owed for one recipient of a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NoticeMeta {
    /// Our recipient, on whose behalf the notices are sent.
    pub from: DirectAddress,
    /// The sender of the message.
    pub to: DirectAddress,
    pub original_message_id: String,
    /// In sending order.
    pub owed: Vec<Owed>,
}

impl NoticeMeta {
    /// The step that sends them, not before `run_at`.
    pub fn step(&self, app: &App, run_at: DateTime<Utc>) -> NewStep {
        let step = NewStep::new(1, names::NOTIFY, run_at).with_meta(json!(self));
        step.for_partner(partner(app, self.to.domain()))
    }
}

/// One notice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Owed {
    pub dispatched: bool,
    /// The same for every retry.
    pub unique: Uuid,
}

/// Signs, encrypts and sends the notices for one recipient. If some are deferred after one was accepted, a new step
/// sends them.
pub struct SendNotices {
    pub app: App,
    pub direct: DirectServices,
}

#[async_trait::async_trait]
impl Step for SendNotices {
    fn policy(&self) -> Policy {
        mail_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let meta: NoticeMeta = cx.meta()?;
        let own = self.direct.credentials(&self.app, cx.organization_id()).await.map_err(platform_error)?;
        let anchors = &own.anchors.outgoing;
        let now = self.app.clock.now();
        let found = self.direct.discovery.find(&meta.to, anchors, &self.direct.trust, now).await;
        let found = found.map_err(|reason| {
            if reason.is_temporary() {
                mail_later(&self.app, cx, reason.to_string())
            } else {
                StepError::failed(reason.to_string())
            }
        })?;
        let certificates: Vec<_> = found.certificates.into_iter().map(|c| c.certificate).collect();
        for (sent, owed) in meta.owed.iter().enumerate() {
            match self.send(cx, &own, &meta, *owed, certificates.clone()).await {
                Err(StepError::Again { after, .. }) if sent > 0 => {
                    let rest = NoticeMeta { owed: meta.owed[sent..].to_vec(), ..meta };
                    return Ok(done_but(cx, rest.step(&self.app, now + after.unwrap_or_default())));
                }
                outcome => outcome?,
            }
        }
        Ok(Done::new())
    }
}

/// Completed; the rest is left to this step.
fn done_but(cx: &StepContext, rest: NewStep) -> Done {
    let (workflow_id, organization_id) = (cx.workflow_id(), cx.organization_id());
    Done::with(move |txn| {
        Box::pin(async move { Ok(workflow::add_steps(txn, workflow_id, organization_id, vec![rest]).await?) })
    })
}

fn refused(app: &App, cx: &StepContext, error: SendError) -> StepError {
    match error {
        SendError::Temporary(reason) => mail_later(app, cx, reason),
        SendError::Permanent(reason) => StepError::failed(reason),
    }
}

impl SendNotices {
    async fn send(
        &self,
        cx: &StepContext,
        own: &Credentials,
        meta: &NoticeMeta,
        owed: Owed,
        certificates: Vec<Certificate>,
    ) -> Result<(), StepError> {
        let (app, direct) = (&self.app, &self.direct);
        let inner = self.draft(meta, owed).build().map_err(|e| StepError::failed(e.to_string()))?;
        let message = outbound::protect(app, direct, own, &meta.from, inner, certificates)
            .await
            .map_err(|error| refused(app, cx, error))?;
        let to = vec![meta.to.clone()];
        let report = outbound::hand_over(app, direct, meta.to.domain(), &meta.from, to, &message)
            .await
            .map_err(|error| refused(app, cx, error))?;
        match report.recipients.first() {
            Some((_, RecipientOutcome::Accepted { .. })) => Ok(()),
            Some((_, outcome @ RecipientOutcome::Refused { .. })) => {
                Err(StepError::failed(outbound::words(outcome)))
            }
            Some((_, outcome)) => Err(mail_later(app, cx, outbound::words(outcome))),
            None => Err(mail_later(app, cx, "The mail server did not answer.")),
        }
    }

    fn draft(&self, meta: &NoticeMeta, owed: Owed) -> MdnDraft {
        MdnDraft {
            from: meta.from.clone(),
            to: meta.to.clone(),
            message_id: new_message_id(owed.unique, &meta.from),
            date: self.app.clock.now(),
            original_message_id: meta.original_message_id.clone(),
            disposition: if owed.dispatched { Disposition::Dispatched } else { Disposition::Processed },
            final_destination_delivery: owed.dispatched,
            explanation: String::new(),
            reporting_agent: format!("{}; Carepost", meta.from.domain()),
        }
    }
}

/// Content of a notice about one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    Processed,
    Delivered,
    Failed(String),
}

/// Reads a notice from `sender`. It may only concern recipients of the sender's own domain.
pub fn news(notice: &Notice, sender: &DirectAddress) -> Option<(String, Vec<(DirectAddress, News)>)> {
    let (original, all) = match notice {
        Notice::Mdn(mdn) => {
            let about = mdn.final_recipient.clone().unwrap_or_else(|| sender.clone());
            let news = match (&mdn.disposition, &mdn.error) {
                (_, Some(error)) => News::Failed(error.clone()),
                (Disposition::Processed, None) => News::Processed,
                (Disposition::Dispatched, None) => News::Delivered,
                (Disposition::Failed, None) => News::Failed(failure(&mdn.explanation)),
                (Disposition::Other(_), None) => return None,
            };
            (mdn.original_message_id.clone()?, vec![(about, news)])
        }
        Notice::Dsn(dsn) => {
            let failed = dsn.recipients.iter().filter(|r| r.action == DsnAction::Failed).map(|r| {
                let words = r.diagnostic.clone().unwrap_or_else(|| r.status.clone());
                (r.recipient.clone(), News::Failed(words))
            });
            (dsn.original_message_id.clone()?, failed.collect())
        }
    };
    let own = all.into_iter().filter(|(about, _)| about.domain() == sender.domain()).collect();
    Some((original, own))
}

fn failure(explanation: &str) -> String {
    let words = explanation.trim();
    if words.is_empty() { "The recipient's system reported a failure.".into() } else { words.into() }
}

/// Applies a notice to its deliveries. Returns the message if one of them changed.
pub async fn apply(
    txn: &Transaction,
    organization_id: Uuid,
    original_message_id: &str,
    all: Vec<(DirectAddress, News)>,
    now: DateTime<Utc>,
    timeout: Duration,
) -> Result<Option<message::Model>, DbErr> {
    let transmissions = transmission::Entity::find()
        .filter(transmission::Column::OrganizationId.eq(organization_id))
        .filter(transmission::Column::RfcMessageId.eq(original_message_id));
    let (transmissions, locked) = LockedDeliveries::lock_by_transmissions(txn, transmissions).await?;
    let Some(mut locked) = locked else { return Ok(None) };
    for (about, news) in all {
        let address_key = about.mailbox();
        let is_meant = |d: &&mut delivery::Model| {
            d.address_key == address_key.as_str()
                && transmissions.iter().any(|t| d.transmission_id == Some(t.id))
        };
        if let Some(row) = locked.deliveries.iter_mut().find(is_meant) {
            advance(txn, row, news, now, timeout).await?;
        }
    }
    locked.settle(txn, now).await.map(Some)
}

/// Advances a delivery. Late and repeated notices change nothing.
pub(crate) async fn advance(
    txn: &Transaction,
    row: &mut delivery::Model,
    news: News,
    now: DateTime<Utc>,
    timeout: Duration,
) -> Result<(), DbErr> {
    let state = row.state;
    let is_final = matches!(state, DeliveryState::Delivered | DeliveryState::Failed);
    match news {
        _ if is_final => Ok(()),
        News::Failed(reason) => fail(txn, row, &reason, now).await,
        News::Processed if state == DeliveryState::Processed => Ok(()),
        News::Processed => {
            let mut change = row.clone().into_active_model();
            change.state = Set(DeliveryState::Processed);
            change.sent_at = Set(row.sent_at.or(Some(now)));
            change.processed_at = Set(Some(now));
            change.expected_by = Set(row.wants_dispatched.then_some(now + timeout));
            *row = txn.update_later(change).await?;
            events::queries::add(txn, &*row, EventType::Processed, now, None).await
        }
        News::Delivered => {
            let mut change = row.clone().into_active_model();
            change.state = Set(DeliveryState::Delivered);
            change.sent_at = Set(row.sent_at.or(Some(now)));
            change.processed_at = Set(row.processed_at.or(Some(now)));
            change.delivered_at = Set(Some(now));
            change.expected_by = Set(None);
            let overtook = row.processed_at.is_none();
            *row = txn.update_later(change).await?;
            if overtook {
                // Delivered implies processed; the notice about that is late or lost.
                events::queries::add(txn, &*row, EventType::Processed, now, None).await?;
            }
            events::queries::add(txn, &*row, EventType::Delivered, now, None).await
        }
    }
}
