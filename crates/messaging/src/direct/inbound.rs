//! Accepts mail from the SMTP listener: streams it into encrypted storage and answers `250` only after the bytes and
//! the receive workflow are durable. Many messages share one flush. A small mail, such as a notice, is sealed in its
//! row (ADR 13).

use super::{
    DirectServices,
    hosted::{Hosted, partner},
    unknown_senders::Strangers,
};
use crate::{
    files,
    sealed::{open_mail, seal_mail},
    workflows::{OPEN_MAIL, RECEIVE},
};
use ::direct::{
    DirectAddress,
    smtp::server::{Envelope, MailBody, MailSink, SmtpReply},
};
use admission::Party;
use bytes::{Bytes, BytesMut};
use futures::FutureExt;
use platform::{App, Error, Result, bus::Event};
use sea_orm::{ActiveValue::Set, EntityTrait};
use std::{net::IpAddr, panic::AssertUnwindSafe, sync::Arc};
use store::{
    batching::BatchedWrites,
    blobs::{BlobError, BlobWriter},
    entities::inbound_mail,
    keys::DataKey,
};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

/// Maximum number of mails that share a flush.
const BATCH: usize = 256;
/// Maximum size of a mail that is stored in its row, in bytes.
const IN_ROW: usize = 32 << 10;
/// Maximum number of mails in the queue for the flush; further ones block at the end of their DATA.
const WAITING: usize = 1024;

/// The sink of the SMTP listener. Its background task commits for all connections, and ends with the sink.
pub fn sink(app: &App, direct: &DirectServices) -> Arc<dyn MailSink> {
    let (journal, incoming) = mpsc::channel(WAITING);
    let committing = app.clone();
    // One transaction for mails of many organizations: if it counted for one of them, the others would wait for its
    // turn. Each connection has at most one mail in it, so nobody can fill it alone.
    Party::Installation.spawn(commit_forever(incoming, move |mails| {
        let app = committing.clone();
        async move { commit(&app, mails).await }
    }));
    let strangers = Arc::new(Strangers::new(app.clone()));
    Arc::new(Sink { app: app.clone(), hosted: direct.hosted.clone(), strangers, journal })
}

/// Content of a received mail.
pub async fn read(app: &App, mail: &inbound_mail::Model) -> Result<Bytes> {
    match &mail.sealed_content {
        Some(_) => {
            let key = app.keys.data_key(mail.organization_id).await?;
            Ok(open_mail(&key, mail)?.into())
        }
        None => files::read(app, mail.organization_id, mail.blob_id).await,
    }
}

struct Sink {
    app: App,
    hosted: Hosted,
    strangers: Arc<Strangers>,
    journal: mpsc::Sender<Entry>,
}

/// A mail whose content is complete but not yet flushed.
struct Entry {
    mails: Vec<inbound_mail::ActiveModel>,
    done: oneshot::Sender<bool>,
}

#[async_trait::async_trait]
impl MailSink for Sink {
    async fn accept_sender(&self, envelope: &Envelope) -> Result<(), SmtpReply> {
        Party::from(envelope.peer.ip()).working(self.strangers.check_sender(envelope)).await
    }

    async fn accept_recipient(&self, envelope: &Envelope, recipient: &str) -> Result<Uuid, SmtpReply> {
        Party::from(envelope.peer.ip()).working(self.owner(envelope, recipient)).await
    }

    async fn begin(&self, envelope: Envelope) -> Result<Box<dyn MailBody>, SmtpReply> {
        self.open(envelope).await.map(|b| Box::new(b) as Box<dyn MailBody>).map_err(|error| {
            tracing::error!(?error, "an arriving mail could not be stored");
            SmtpReply::try_again_later()
        })
    }
}

impl Sink {
    /// The organization of a recipient that may receive the mail.
    async fn owner(&self, envelope: &Envelope, recipient: &str) -> Result<Uuid, SmtpReply> {
        let address = DirectAddress::parse(recipient).map_err(|_| SmtpReply::no_such_mailbox())?;
        match self.hosted.mailbox(&address).await {
            Ok(Some(organization_id)) => {
                self.strangers.check_recipient(envelope, organization_id).await?;
                Ok(organization_id)
            }
            Ok(None) => match self.hosted.is_retired(&address).await {
                Ok(true) => Err(SmtpReply::new(550, "5.2.1", "This mailbox has been closed")),
                Ok(false) => Err(SmtpReply::no_such_mailbox()),
                Err(_) => Err(SmtpReply::try_again_later()),
            },
            Err(_) => Err(SmtpReply::try_again_later()),
        }
    }

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
            let key = Party::from(organization_id).working(self.app.keys.data_key(organization_id)).await?;
            parts.push(Part { organization_id, recipients: vec![address], key, writer: None });
        }
        let peer = envelope.peer.ip();
        let room = self.strangers.room(peer);
        let strangers = self.strangers.clone();
        let mail_from = envelope.mail_from.unwrap_or_default();
        let (app, journal) = (self.app.clone(), self.journal.clone());
        Ok(Body { app, journal, strangers, mail_from, peer, room, parts, held: BytesMut::new() })
    }
}

/// The copy of a mail for one organization, encrypted with that organization's key.
struct Part {
    organization_id: Uuid,
    recipients: Vec<String>,
    key: DataKey,
    /// Set once the mail is too large for its row.
    writer: Option<BlobWriter>,
}

impl Part {
    async fn write(&mut self, app: &App, bytes: Bytes) -> Result<(), SmtpReply> {
        let begin = || app.blobs.writer(&self.key, self.organization_id, Uuid::now_v7());
        self.writer.get_or_insert_with(begin).write(bytes).await.map_err(|error| {
            tracing::error!(%error, "an arriving mail could not be written");
            match error {
                BlobError::Full => SmtpReply::new(452, "4.3.1", "Insufficient system storage"),
                _ => SmtpReply::try_again_later(),
            }
        })
    }

    /// Completes the content. Returns the id of its blob, the sealed content of a small mail, and the size in bytes.
    async fn finish(self, mail_id: Uuid, held: &[u8]) -> Result<(Uuid, Option<Vec<u8>>, u64), SmtpReply> {
        match self.writer {
            Some(writer) => {
                let blob = writer.finish().await.map_err(|_| SmtpReply::try_again_later())?;
                Ok((blob.id, None, blob.size))
            }
            None => Ok((Uuid::nil(), Some(seal_mail(&self.key, mail_id, held)), held.len() as u64)),
        }
    }
}

struct Body {
    app: App,
    journal: mpsc::Sender<Entry>,
    strangers: Arc<Strangers>,
    mail_from: String,
    peer: IpAddr,
    /// Remaining bytes allowed for an unknown sender.
    room: Option<u64>,
    parts: Vec<Part>,
    /// The complete mail, while it fits in its row.
    held: BytesMut,
}

impl Body {
    /// Buffers bytes while the mail fits in its row. Returns bytes that have to be stored.
    fn hold(&mut self, bytes: Bytes) -> Option<Bytes> {
        if self.parts.iter().any(|part| part.writer.is_some()) {
            return Some(bytes);
        }
        self.held.extend_from_slice(&bytes);
        (self.held.len() > IN_ROW).then(|| self.held.split().freeze())
    }
}

#[async_trait::async_trait]
impl MailBody for Body {
    async fn write(&mut self, bytes: Bytes) -> Result<(), SmtpReply> {
        if let Some(room) = &mut self.room {
            let left = room.checked_sub(bytes.len() as u64);
            *room = left.ok_or_else(|| SmtpReply::new(452, "4.7.0", "Too much mail from your network"))?;
        }
        let Some(bytes) = self.hold(bytes) else { return Ok(()) };
        for part in &mut self.parts {
            part.write(&self.app, bytes.clone()).await?;
        }
        Ok(())
    }

    async fn commit(self: Box<Self>) -> Result<(), SmtpReply> {
        let failed = |_| SmtpReply::try_again_later();
        let now = self.app.clock.now();
        let mut mails = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            let (id, organization_id) = (Uuid::now_v7(), part.organization_id);
            let recipients = part.recipients.clone().into();
            let (blob_id, sealed_content, size) = part.finish(id, &self.held).await?;
            self.strangers.add(self.peer, organization_id, size);
            mails.push(inbound_mail::ActiveModel {
                id: Set(id),
                organization_id: Set(organization_id),
                mail_from: Set(self.mail_from.clone()),
                recipients: Set(recipients),
                blob_id: Set(blob_id),
                sealed_content: Set(sealed_content),
                size_bytes: Set(size as i64),
                source_ip: Set(self.peer.to_string()),
                received_at: Set(now),
                workflow_id: Set(Uuid::nil()),
                finished_at: Set(None),
                is_refused: Set(false),
            });
        }
        let (done, committed) = oneshot::channel();
        self.journal.send(Entry { mails, done }).await.map_err(|_| SmtpReply::try_again_later())?;
        if committed.await.map_err(failed)? { Ok(()) } else { Err(SmtpReply::try_again_later()) }
    }
}

/// Commits queued mails with one flush, and answers all of them. A panic fails only the mails of its flush, whose senders
/// try again.
async fn commit_forever<F: Future<Output = Result<()>>>(
    mut incoming: mpsc::Receiver<Entry>,
    commit: impl Fn(Vec<inbound_mail::ActiveModel>) -> F,
) {
    let mut batch = Vec::with_capacity(BATCH);
    while incoming.recv_many(&mut batch, BATCH).await > 0 {
        let (mails, waiting): (Vec<_>, Vec<_>) = batch.drain(..).map(|e| (e.mails, e.done)).unzip();
        let commit = AssertUnwindSafe(commit(mails.into_iter().flatten().collect()));
        let outcome = commit.catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|_| Err(Error::internal("the commit of arrived mail panicked")));
        if let Err(error) = &outcome {
            tracing::error!(?error, "arrived mail could not be committed; the senders will try again");
        }
        for done in waiting {
            let _ = done.send(outcome.is_ok());
        }
    }
}

/// The sender domain of a mail, as claimed; empty for one of this installation.
fn sender<'m>(app: &App, mail: &'m inbound_mail::ActiveModel) -> &'m str {
    let address = mail.mail_from.as_ref();
    address.rsplit_once('@').map_or("?", |(_, domain)| partner(app, domain))
}

async fn commit(app: &App, mut mails: Vec<inbound_mail::ActiveModel>) -> Result<()> {
    if mails.iter().any(|mail| mail.sealed_content.as_ref().is_none()) {
        app.blobs.sync().await?;
    }
    let txn = app.store.begin().await?;
    let now = app.clock.now();
    let jobs = mails.iter().map(|mail| NewWorkflow {
        organization_id: *mail.organization_id.as_ref(),
        kind: RECEIVE.into(),
        object_id: *mail.id.as_ref(),
        steps: vec![NewStep::new(0, OPEN_MAIL, now).for_partner(sender(app, mail))],
    });
    let workflows = workflow::enqueue_all(&txn, now, jobs.collect()).await?;
    for (mail, workflow_id) in mails.iter_mut().zip(workflows) {
        mail.workflow_id = Set(workflow_id);
    }
    txn.later(inbound_mail::Entity::insert_many(mails)).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[tokio::test]
    async fn a_panic_while_mail_is_committed_costs_that_mail_only() {
        let (journal, incoming) = mpsc::channel(1);
        let is_first = AtomicBool::new(true);
        tokio::spawn(commit_forever(incoming, move |_| {
            let panics = is_first.swap(false, Relaxed);
            async move {
                assert!(!panics, "the first commit panics");
                Ok(())
            }
        }));
        let mut answers = Vec::new();
        for _ in 0..2 {
            let (done, committed) = oneshot::channel();
            journal.send(Entry { mails: Vec::new(), done }).await.expect("the committer lives");
            answers.push(committed.await.expect("an answer"));
        }
        assert_eq!(answers, [false, true]);
    }
}
