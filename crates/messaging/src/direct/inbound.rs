//! What the SMTP listener does with mail: streams it into encrypted storage and says `250` only when the bytes and
//! the receive workflow are durable. Many messages share one flush.

use super::{DirectServices, hosted::Hosted};
use crate::workflows::{RECEIVE, receive};
use ::direct::{
    DirectAddress,
    smtp::server::{Envelope, MailBody, MailSink, SmtpReply},
};
use bytes::Bytes;
use platform::{App, Result, bus::Event};
use sea_orm::{ActiveValue::Set, EntityTrait};
use std::sync::Arc;
use store::{blobs::BlobWriter, entities::inbound_mail};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

/// Most mails that share a flush.
const BATCH: usize = 256;
/// Mails that may wait for the flush before new ones wait at the end of their DATA.
const WAITING: usize = 1024;

/// Where the listener puts mail. A background task that commits for all ends with the sink.
pub fn sink(app: &App, direct: &DirectServices) -> Arc<dyn MailSink> {
    let (journal, incoming) = mpsc::channel(WAITING);
    tokio::spawn(commit_forever(app.clone(), incoming));
    Arc::new(Sink { app: app.clone(), hosted: direct.hosted.clone(), journal })
}

struct Sink {
    app: App,
    hosted: Hosted,
    journal: mpsc::Sender<Entry>,
}

/// A mail of one organization, complete in storage but not yet flushed.
struct Entry {
    mails: Vec<inbound_mail::ActiveModel>,
    done: oneshot::Sender<bool>,
}

#[async_trait::async_trait]
impl MailSink for Sink {
    async fn accept_recipient(&self, _: &Envelope, recipient: &str) -> Result<Uuid, SmtpReply> {
        let address = DirectAddress::parse(recipient).map_err(|_| SmtpReply::no_such_mailbox())?;
        match self.hosted.mailbox(&address).await {
            Ok(Some(organization_id)) => Ok(organization_id),
            Ok(None) => Err(SmtpReply::no_such_mailbox()),
            Err(_) => Err(SmtpReply::try_again_later()),
        }
    }

    async fn begin(&self, envelope: Envelope) -> Result<Box<dyn MailBody>, SmtpReply> {
        self.open(envelope).await.map(|b| Box::new(b) as Box<dyn MailBody>).map_err(|error| {
            tracing::error!(?error, "an arriving mail could not be stored");
            SmtpReply::try_again_later()
        })
    }
}

impl Sink {
    async fn open(&self, envelope: Envelope) -> Result<Body> {
        let mut parts: Vec<Part> = Vec::new();
        for (recipient, organization_id) in envelope.recipients.iter().zip(envelope.owners) {
            let Ok(address) = DirectAddress::parse(recipient) else { continue };
            let address = address.to_string();
            if let Some(part) = parts.iter_mut().find(|p| p.organization_id == organization_id) {
                if !part.recipients.contains(&address) {
                    part.recipients.push(address);
                }
                continue;
            }
            let key = self.app.keys.data_key(organization_id).await?;
            parts.push(Part {
                organization_id,
                recipients: vec![address],
                writer: self.app.blobs.writer(&key, organization_id, Uuid::now_v7()),
            });
        }
        let source_ip = envelope.peer.ip().to_string();
        let mail_from = envelope.mail_from.unwrap_or_default();
        Ok(Body { app: self.app.clone(), journal: self.journal.clone(), mail_from, source_ip, parts })
    }
}

/// The copy of an arriving mail for one organization, under that organization's key.
struct Part {
    organization_id: Uuid,
    recipients: Vec<String>,
    writer: BlobWriter,
}

struct Body {
    app: App,
    journal: mpsc::Sender<Entry>,
    mail_from: String,
    source_ip: String,
    parts: Vec<Part>,
}

#[async_trait::async_trait]
impl MailBody for Body {
    async fn write(&mut self, bytes: Bytes) -> Result<(), SmtpReply> {
        for part in &mut self.parts {
            part.writer.write(bytes.clone()).await.map_err(|error| {
                tracing::error!(%error, "an arriving mail could not be written");
                SmtpReply::try_again_later()
            })?;
        }
        Ok(())
    }

    async fn commit(self: Box<Self>) -> Result<(), SmtpReply> {
        let failed = |_| SmtpReply::try_again_later();
        let now = self.app.clock.now();
        let mut mails = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            let blob = part.writer.finish().await.map_err(|_| SmtpReply::try_again_later())?;
            mails.push(inbound_mail::ActiveModel {
                id: Set(Uuid::now_v7()),
                organization_id: Set(part.organization_id),
                mail_from: Set(self.mail_from.clone()),
                recipients: Set(serde_json::json!(part.recipients)),
                blob_id: Set(blob.id),
                size_bytes: Set(blob.size as i64),
                source_ip: Set(self.source_ip.clone()),
                received_at: Set(now),
                workflow_id: Set(Uuid::nil()),
                finished_at: Set(None),
            });
        }
        let (done, committed) = oneshot::channel();
        self.journal.send(Entry { mails, done }).await.map_err(|_| SmtpReply::try_again_later())?;
        if committed.await.map_err(failed)? { Ok(()) } else { Err(SmtpReply::try_again_later()) }
    }
}

/// Takes what has gathered, makes it durable in one go, and answers all of it.
async fn commit_forever(app: App, mut incoming: mpsc::Receiver<Entry>) {
    let mut batch = Vec::with_capacity(BATCH);
    while incoming.recv_many(&mut batch, BATCH).await > 0 {
        let (mails, waiting): (Vec<_>, Vec<_>) = batch.drain(..).map(|e| (e.mails, e.done)).unzip();
        let outcome = commit(&app, mails.into_iter().flatten().collect()).await;
        if let Err(error) = &outcome {
            tracing::error!(?error, "arrived mail could not be committed; the senders will try again");
        }
        for done in waiting {
            let _ = done.send(outcome.is_ok());
        }
        app.bus.publish(Event::Work).await;
    }
}

async fn commit(app: &App, mut mails: Vec<inbound_mail::ActiveModel>) -> Result<()> {
    app.blobs.sync().await?;
    let txn = app.store.begin().await?;
    let now = app.clock.now();
    let jobs = mails.iter().map(|mail| NewWorkflow {
        organization_id: *mail.organization_id.as_ref(),
        kind: RECEIVE.into(),
        object_id: *mail.id.as_ref(),
        steps: vec![NewStep::new(0, receive::OPEN, now)],
    });
    let workflows = workflow::enqueue_all(&txn, now, jobs.collect()).await?;
    for (mail, workflow_id) in mails.iter_mut().zip(workflows) {
        mail.workflow_id = Set(workflow_id);
    }
    txn.later(inbound_mail::Entity::insert_many(mails)).await?;
    Ok(app.store.commit_durable(txn).await?)
}
