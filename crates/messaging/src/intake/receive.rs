//! `MessageReceiveWorkflow`: Open decrypts and verifies a mail, stores the message for its organization and adds a step
//! for the notices we owe.

use crate::{
    arrival::{Arrival, NewIntake},
    attachments::describe::{self, described},
    conversations::{
        arriving::{self, Arrived},
        rules::unmarked,
    },
    direct::{
        DirectServices,
        credentials::Changes,
        inbound,
        notices::{self, NoticeMeta, Owed},
        receiving::Receiving,
        unknown_senders,
    },
    files::{self, NewFile},
    matching::whose::Whose,
    messages::{
        patients::named_for,
        queries::{Editing, edit_row},
    },
    model::{AttachmentMeta, PRESCRIPTION_NETWORK, Patient, SourceType, WITHOUT_MESSAGE_ID, split_addresses},
    sealed::{Content, Summary},
    workflows::platform_error,
};
use ::direct::{
    DirectAddress,
    address::Mailbox,
    mime::Repair,
    receive::{Incoming, ReceiveSettings, ReceivedMessage, Rejection, Verdict, receive},
    smime::give_memory_back,
    trust::MissingIssuers,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use documents::{Kind, worker::Input};
use platform::{
    App, Result as PlatformResult,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    QueryTrait,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{
    Transaction,
    batching::{BatchedReads, BatchedWrites, models},
    entities::{inbound_mail, message},
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, Step, StepContext, StepError};

/// Size of a mail, in bytes, above which its memory is returned to the system.
const LARGE: i64 = 4 << 20;
/// Maximum length of a file description, in characters.
const MAX_DESCRIPTION: usize = 255;

/// Decrypts, verifies and stores a mail.
pub struct Open {
    pub app: App,
    pub direct: DirectServices,
}

#[async_trait::async_trait]
impl Step for Open {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let db = self.app.store.db();
        let mail = inbound_mail::Entity::find_by_id(cx.object_id()).build(db.get_database_backend());
        let [mail, changes] = db.query_each([mail, Changes::query(db)]).await?;
        let Some(mail) = models::<inbound_mail::Entity>(&mail)?.pop() else { return Ok(Done::skipped()) };
        let changes = Changes::read(&changes).map_err(platform_error)?;
        let is_large = mail.size_bytes >= LARGE;
        let done = self.open(cx, mail, changes).await;
        if is_large {
            tokio::task::spawn_blocking(give_memory_back)
                .await
                .map_err(|e| StepError::again(e.to_string()))?;
        }
        done
    }
}

impl Open {
    async fn open(
        &self,
        cx: &StepContext,
        mail: inbound_mail::Model,
        changes: Changes,
    ) -> Result<Done, StepError> {
        let judged = self.judge(&mail, changes, cx.step.lane).await?;
        if judged.undecided && cx.step.lane != Lane::Anonymous {
            return Err(StepError::Move { lane: Lane::Anonymous });
        }
        let Judged { message, accepted, rejection, .. } = judged;
        if rejection.as_ref().is_some_and(Rejection::is_temporary) && accepted.is_empty() {
            return Err(StepError::again("A revocation list could not be fetched."));
        }
        match message {
            Some(message) if !accepted.is_empty() => match message.notice {
                Some(_) => self.notice(mail, message),
                None => self.message(cx, mail, message, accepted).await,
            },
            _ => Ok(self.rejected(mail, rejection)),
        }
    }
}

/// A mail verified for its recipients.
struct Judged {
    message: Option<ReceivedMessage>,
    accepted: Vec<DirectAddress>,
    rejection: Option<Rejection>,
    /// Whether fetching an issuer certificate may change the result.
    undecided: bool,
}

impl Open {
    async fn judge(
        &self,
        mail: &inbound_mail::Model,
        changes: Changes,
        lane: Lane,
    ) -> Result<Judged, StepError> {
        let (budget, missing) = match lane {
            Lane::Anonymous => (&self.direct.anonymous, MissingIssuers::Fetched),
            _ => (&self.direct.receiving, MissingIssuers::AtHand),
        };
        let _room = budget.acquire(mail.size_bytes.unsigned_abs()).await;
        let raw = inbound::read(&self.app, mail).await.map_err(platform_error)?;
        let incoming = Incoming {
            mail_from: Some(mail.mail_from.clone()).filter(|m| !m.is_empty()),
            recipients: mail.recipients.0.iter().filter_map(|r| DirectAddress::parse(r).ok()).collect(),
            raw,
        };
        let own = self.direct.credentials_after(&self.app, mail.organization_id, changes).await;
        let own = own.map_err(|error| {
            tracing::error!(?error, "keys or anchors of an organization could not be read");
            StepError::again("Keys or anchors could not be read.")
        })?;
        let side = Receiving(own);
        let now = self.app.clock.now();
        let settings = ReceiveSettings { missing, ..self.direct.receive };
        let received = receive(incoming, &side, &self.direct.trust, &settings, now).await;
        let (mut accepted, mut rejection) = (Vec::new(), None);
        for (recipient, verdict) in received.verdicts {
            match verdict {
                Verdict::Accepted(_) => accepted.push(recipient),
                Verdict::Rejected(reason) => rejection = Some(reason),
            }
        }
        Ok(Judged { message: received.message, accepted, rejection, undecided: received.undecided })
    }

    /// Sends nothing back; the organization's audit trail has the reason.
    fn rejected(&self, mail: inbound_mail::Model, rejection: Option<Rejection>) -> Done {
        let app = self.app.clone();
        let reason = rejection.map(|r| r.to_string()).unwrap_or_default();
        tracing::warn!(mail = %mail.id, reason, "a mail was rejected");
        Done::with(move |txn| {
            Box::pin(async move {
                let act = Act::new(event::RECEIVED, "inboundmail", mail.id)
                    .detail(json!({ "rejected": reason }))
                    .failed();
                audit::record(&app, txn, &Actor::system(mail.organization_id), act)
                    .await
                    .map_err(platform_error)?;
                let mail = inbound_mail::Model { is_refused: true, ..mail };
                finish(&app, txn, mail).await
            })
        })
    }

    /// A notice about a message that this organization sent.
    fn notice(&self, mail: inbound_mail::Model, message: ReceivedMessage) -> Result<Done, StepError> {
        let app = self.app.clone();
        let published = self.app.clone();
        let organization_id = mail.organization_id;
        let news = message.notice.as_ref().and_then(|n| notices::news(n, &message.sender));
        let (tell, told) = tokio::sync::oneshot::channel();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                if let Some((original, news)) = news {
                    let timeout = chrono::Duration::minutes(app.config.direct.notice_timeout_minutes.into());
                    let now = app.clock.now();
                    let changed = notices::apply(txn, organization_id, &original, news, now, timeout).await?;
                    let _ = tell.send(changed.map(|m| m.id));
                }
                finish(&app, txn, mail).await
            })
        });
        Ok(done.then(async move {
            if let Ok(Some(message_id)) = told.await {
                published.bus.publish(Event::Release { organization_id, message_id }).await;
            }
            published.bus.publish(Event::Work).await;
        }))
    }

    async fn message(
        &self,
        cx: &StepContext,
        mail: inbound_mail::Model,
        received: ReceivedMessage,
        accepted: Vec<DirectAddress>,
    ) -> Result<Done, StepError> {
        let app = self.app.clone();
        let read = Mail::read(&app, &mail, received, accepted).await?;
        let published = self.app.clone();
        let (organization_id, workflow_id) = (mail.organization_id, cx.workflow_id());
        let (tell, told) = tokio::sync::oneshot::channel();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                if let Some(message_id) = read.store(&app, txn, workflow_id).await? {
                    let _ = tell.send(message_id);
                }
                finish(&app, txn, mail).await
            })
        });
        Ok(done.then(async move {
            if let Ok(message_id) = told.await {
                published.bus.publish(Event::Intake { organization_id, message_id }).await;
            }
            published.bus.publish(Event::Work).await;
        }))
    }
}

async fn finish(app: &App, txn: &Transaction, mail: inbound_mail::Model) -> Result<(), StepError> {
    let (is_refused, now) = (mail.is_refused, app.clock.now());
    if !is_refused {
        unknown_senders::note_opened(txn, &mail.source_ip, now).await?;
    }
    let mut change = mail.into_active_model();
    change.finished_at = Set(Some(now));
    change.is_refused = Set(is_refused);
    txn.update_later(change).await?;
    Ok(())
}

/// A received message, with its recipients and the step for the notices owed to each.
struct Mail {
    arrival: Arrival,
    /// The message of a referral in the mail.
    referral: Option<Arrived>,
    recipients: Vec<(DirectAddress, Option<NewStep>)>,
    /// Clinical documents that could not be read now.
    unread: Vec<Uuid>,
}

/// The files of a mail in storage.
#[derive(Default)]
struct StoredFiles {
    files: Vec<NewFile>,
    /// Patients named by the clinical documents.
    patients: Vec<Patient>,
    /// Positions of clinical documents that could not be read now.
    unread: Vec<usize>,
}

impl Mail {
    async fn read(
        app: &App,
        mail: &inbound_mail::Model,
        received: ReceivedMessage,
        accepted: Vec<DirectAddress>,
    ) -> Result<Self, StepError> {
        let key =
            app.keys.data_key(mail.organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
        let owed = accepted.iter().map(|recipient| (recipient.clone(), owed(app, &received, recipient)));
        let recipients = owed.collect();
        let parsed = received.parsed;
        let organization_id = mail.organization_id;
        let stored = store_files(app, &key, organization_id, &parsed.attachments).await?;
        let StoredFiles { files: mut new_files, patients, unread } = stored;
        let referral = arriving::find(app, organization_id, &received.sender, &parsed.attachments).await;
        let referral = referral.map_err(platform_error)?;
        let today = mail.received_at.date_naive();
        let of_referral = referral.as_ref().and_then(|arrived| arrived.patient(today));
        let first = patients.first().cloned().or_else(|| of_referral.clone());
        let doubt = Whose::of(of_referral.into_iter().collect(), patients).doubt;
        let named = first.filter(|_| doubt.is_none());
        let patient = named_for(app, organization_id, named).await.map_err(platform_error)?;
        if !parsed.repairs.is_empty() {
            new_files
                .push(store_original(app, &key, organization_id, &received.inner, &parsed.repairs).await?);
        }
        let mut summary = Summary { subject: unmarked(&parsed.headers.subject), ..Summary::default() }
            .of_patient(patient.as_ref());
        let is_of_prescriptions = app.config.direct.is_prescription_network(received.sender.domain());
        let mut content = Content {
            origin: is_of_prescriptions.then(|| PRESCRIPTION_NETWORK.to_owned()),
            body: parsed.text,
            body_html: parsed.html.as_deref().map(sanitize),
            patient,
            conversation: referral.as_ref().map(Arrived::conversation),
            ..Content::default()
        };
        let patient_doubt = doubt.as_ref().map(|doubt| doubt.kind);
        if let Some(doubt) = doubt {
            doubt.note(&mut summary, &mut content);
        }
        let sender_name = parsed.headers.from.as_ref().and_then(|m| m.name.clone()).unwrap_or_default();
        let came = NewIntake {
            id: Uuid::now_v7(),
            organization_id: mail.organization_id,
            source_type: SourceType::DirectMessage,
            workflow_id: mail.workflow_id,
            at: mail.received_at,
        };
        let message = message::Model {
            from_address: received.sender.to_string(),
            from_name: sender_name,
            to_address: join_own(accepted.iter()),
            cc_address: join_mailboxes(&parsed.headers.cc),
            message_date: parsed.headers.date.unwrap_or(mail.received_at),
            // Without a Message-ID, duplicates are not recognized.
            rfc_message_id: Some(
                received.message_id.unwrap_or_else(|| format!("{WITHOUT_MESSAGE_ID}{}", mail.id)),
            ),
            in_reply_to: parsed.headers.in_reply_to.first().cloned(),
            attachment_count: new_files.len() as i32,
            patient_doubt,
            ..came.row(&key, &summary, &content).map_err(platform_error)?
        };
        let files: Vec<_> = new_files
            .into_iter()
            .enumerate()
            .map(|(position, file)| files::row(&key, &message, position as i32, file, mail.received_at))
            .collect::<PlatformResult<_>>()
            .map_err(platform_error)?;
        if !files.is_empty() {
            // The files must survive a power failure, like the mail itself.
            app.blobs.sync().await.map_err(|e| StepError::again(e.to_string()))?;
        }
        let unread = unread.into_iter().map(|place| files[place].id).collect();
        Ok(Self { arrival: Arrival { key, message, summary, files }, referral, recipients, unread })
    }

    /// Stores the message, or adds its new recipients to the earlier message with the same Message-ID: some servers
    /// send one mail per recipient. A deleted message is not restored; its new recipients get a new message. Returns
    /// the id of the stored message, if any.
    async fn store(self, app: &App, txn: &Transaction, workflow_id: Uuid) -> Result<Option<Uuid>, StepError> {
        let Self { mut arrival, referral, mut recipients, unread } = self;
        let organization_id = arrival.message.organization_id;
        let names = names(&arrival.message);
        let known = message::Entity::find()
            .filter(message::Column::OrganizationId.eq(organization_id))
            .filter(message::Column::Direction.eq(arrival.message.direction))
            .filter(message::Column::RfcMessageId.is_in(names.clone()))
            .lock_exclusive()
            .all(txn)
            .await?;
        let taken: Vec<_> = known.iter().filter_map(|m| m.rfc_message_id.clone()).collect();
        let theirs: Vec<_> =
            known.into_iter().filter(|m| m.from_address == arrival.message.from_address).collect();
        let had: Vec<_> = theirs.iter().flat_map(|m| split_addresses(&m.to_address)).collect();
        recipients.retain(|(recipient, _)| !had.iter().any(|address| *address == own(recipient).as_str()));
        if recipients.is_empty() {
            return Ok(None);
        }
        let more = join_own(recipients.iter().map(|(recipient, _)| recipient));
        let id = if let Some(shown) = theirs.into_iter().find(|m| m.deleted_at.is_none()) {
            let add = |m: &mut Editing| {
                m.row.to_address = format!("{};{more}", m.row.to_address);
                Ok(())
            };
            edit_row(txn, &arrival.key, shown, add).await.map_err(platform_error)?.id
        } else {
            let id = arrival.message.id;
            let name = names.into_iter().find(|name| !taken.contains(name));
            // Deleted more than once. A duplicate is better than a lost message.
            arrival.message.rfc_message_id =
                Some(name.unwrap_or_else(|| format!("{WITHOUT_MESSAGE_ID}{id}")));
            arrival.message.to_address = more;
            let of_referral =
                referral.map(|referral| (referral, arrival.key.clone(), arrival.message.clone()));
            arrival.store(app, txn).await?;
            for document in unread {
                describe::enqueue(app, txn, organization_id, document).await?;
            }
            if let Some((referral, key, message)) = of_referral {
                referral.store(app, txn, &key, &message).await.map_err(platform_error)?;
            }
            id
        };
        let notices = recipients.into_iter().flat_map(|(_, owed)| owed).collect();
        workflow::add_steps(txn, workflow_id, organization_id, notices).await?;
        Ok(Some(id))
    }
}

/// The keys of a message: its Message-ID, and the substitute for one that is already in use.
fn names(message: &message::Model) -> [String; 2] {
    let id = message.rfc_message_id.clone().unwrap_or_default();
    let hash = Sha256::digest(format!("{}\n{id}", message.from_address));
    [id, format!("{WITHOUT_MESSAGE_ID}{}", URL_SAFE_NO_PAD.encode(hash))]
}

/// The address without the sender's suffix after `+`, as used for filters and permissions.
fn own(recipient: &DirectAddress) -> DirectAddress {
    if recipient.local().contains('+') { recipient.mailbox() } else { recipient.clone() }
}

/// Distinct own addresses as a list.
fn join_own<'a>(recipients: impl Iterator<Item = &'a DirectAddress>) -> String {
    let mut own: Vec<_> = recipients.map(own).collect();
    let mut seen = std::collections::HashSet::new();
    own.retain(|address| seen.insert(address.to_string()));
    join(own.iter())
}

fn join<'a>(addresses: impl Iterator<Item = &'a DirectAddress>) -> String {
    addresses.map(|a| a.as_str()).collect::<Vec<_>>().join(";")
}

fn join_mailboxes(mailboxes: &[Mailbox]) -> String {
    join(mailboxes.iter().map(|m| &m.address))
}

/// The step that sends the notices for a recipient: processed, then dispatched if validly requested. The Intake is the
/// final destination, and the step exists only once the message is there.
fn owed(app: &App, received: &ReceivedMessage, recipient: &DirectAddress) -> Option<NewStep> {
    let original_message_id = received.message_id.clone()?;
    let asked = [(received.asked.processed, false), (received.asked.dispatched, true)];
    let owed: Vec<_> = asked
        .into_iter()
        .filter(|(is_asked, _)| *is_asked)
        .map(|(_, dispatched)| Owed { dispatched, unique: Uuid::new_v4() })
        .collect();
    if owed.is_empty() {
        return None;
    }
    let (from, to) = (recipient.clone(), received.sender.clone());
    Some(NoticeMeta { from, to, original_message_id, owed }.step(app, app.clock.now()))
}

/// Stores the files and reads the patients of the structured documents. No mail waits for a busy converter: a document
/// that cannot be read now counts as restricted, and is read later.
async fn store_files(
    app: &App,
    key: &DataKey,
    organization_id: Uuid,
    attachments: &[::direct::mime::Attachment],
) -> Result<StoredFiles, StepError> {
    let mut stored = StoredFiles::default();
    for (number, file) in attachments.iter().enumerate() {
        let name = file.file_name.clone().unwrap_or_else(|| format!("Attachment {}", number + 1));
        let kind = documents::kind_of(&name, &file.content);
        let mut meta = AttachmentMeta::default();
        if kind == Kind::Cda {
            match described(&app.mail_converter.of(organization_id), Input::bytes(kind, file.content.clone()))
                .await
            {
                Ok((own, of_document)) => {
                    meta = own;
                    stored.patients.extend(of_document);
                }
                Err(error) => {
                    tracing::warn!(%error, "a received document could not be read and is tried again later");
                    meta = describe::unread();
                    stored.unread.push(number);
                }
            }
        }
        let blob = app
            .blobs
            .put(key, organization_id, Uuid::now_v7(), file.content.clone())
            .await
            .map_err(|e| StepError::again(e.to_string()))?;
        let mime_type =
            if kind == Kind::Unknown { file.content_type.clone() } else { kind.mime_type().into() };
        stored.files.push(NewFile { name, kind, mime_type, blob, meta, problem: None });
    }
    Ok(stored)
}

/// Attaches the original message beside its readable parts, with the problem as its description.
async fn store_original(
    app: &App,
    key: &DataKey,
    organization_id: Uuid,
    inner: &Bytes,
    repairs: &[Repair],
) -> Result<NewFile, StepError> {
    let said = repairs.iter().map(Repair::to_string).collect::<Vec<_>>().join(" ");
    let blob = app
        .blobs
        .put(key, organization_id, Uuid::now_v7(), inner.clone())
        .await
        .map_err(|e| StepError::again(e.to_string()))?;
    Ok(NewFile {
        name: "Original message.eml".into(),
        kind: Kind::Unknown,
        mime_type: "message/rfc822".into(),
        blob,
        meta: AttachmentMeta {
            document_description: Some(said.chars().take(MAX_DESCRIPTION).collect()),
            ..AttachmentMeta::default()
        },
        problem: None,
    })
}

/// Sanitizes HTML: removes scripts, forms and remote content; keeps only harmless links.
fn sanitize(html: &str) -> String {
    ammonia::Builder::default()
        .url_schemes(["http", "https", "mailto"].into())
        .rm_tags(["img"])
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean(html)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::sanitize;

    #[test]
    fn html_of_strangers_keeps_harmless_links_and_loses_everything_active() {
        let html = "<p>Hi <a href='https://x.example'>x</a><a href='javascript:alert(1)'>y</a>\
            <a href='data:text/html,z'>z</a><script>alert(1)</script><img src='http://t.example/p.gif'></p>";
        let clean = sanitize(html);
        assert!(clean.contains("https://x.example"));
        for bad in ["javascript", "data:", "<script", "<img"] {
            assert!(!clean.contains(bad), "{bad} is left in {clean}");
        }
    }
}
