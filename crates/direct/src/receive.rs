//! Verification of a received message: decrypt it, find a signer that is valid, bound to the sender and trusted,
//! compare envelope and headers, and decide for each recipient (Applicability Statement 2 and 3).

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};

use crate::DirectAddress;
use crate::cert::{Certificate, Identity, pick_decryption_identities};
use crate::mime::{self, MessageKind, MimeError, MimeLimits, ParsedMessage};
use crate::notice::{AskedNotices, Notice, asked_notices, read_notice};
use crate::smime::{self, OpenError, Opened, SignatureVerdict, Signer};
use crate::trust::{AnchorSet, FetchBudget, MissingIssuers, TrustEngine, TrustedChain, Untrusted};

/// A message as received over SMTP.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// MAIL FROM; none for the null sender `<>`.
    pub mail_from: Option<String>,
    /// RCPT TO addresses hosted here.
    pub recipients: Vec<DirectAddress>,
    /// The bytes of DATA.
    pub raw: Bytes,
}

/// Keys and anchors of the receiving side, provided by the caller.
#[async_trait]
pub trait ReceivingSide: Send + Sync {
    /// Identities bound to the recipient or its domain, for decryption.
    async fn identities(&self, recipient: &DirectAddress) -> Vec<Identity>;
    /// Anchors that the recipient's domain trusts for incoming messages.
    async fn incoming_anchors(&self, recipient: &DirectAddress) -> AnchorSet;
    /// Anchors for incoming notices: the incoming ones, or the outgoing ones if a setting says so.
    async fn notice_anchors(&self, recipient: &DirectAddress) -> AnchorSet {
        self.incoming_anchors(recipient).await
    }
}

/// What to do when envelope and inner headers disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TamperPolicy {
    /// Reject the message.
    #[default]
    Reject,
    /// Deliver it, and record the mismatch in [`Accepted::tampering`].
    Report,
}

/// Settings of the receiving side.
#[derive(Debug, Clone, Copy)]
pub struct ReceiveSettings {
    /// Policy for differences between envelope and headers.
    pub tampering: TamperPolicy,
    /// Whether issuers that are not cached are fetched from the addresses in the signers' certificates.
    pub missing: MissingIssuers,
    /// Limits on parsing.
    pub limits: MimeLimits,
}

impl Default for ReceiveSettings {
    fn default() -> Self {
        Self {
            tampering: TamperPolicy::default(),
            missing: MissingIssuers::Fetched,
            limits: MimeLimits::default(),
        }
    }
}

/// Outcome for a whole message.
#[derive(Debug)]
pub struct Received {
    /// The message; none when no recipient accepts it.
    pub message: Option<ReceivedMessage>,
    /// One verdict per recipient of the envelope, in its order.
    pub verdicts: Vec<(DirectAddress, Verdict)>,
    /// Whether [`MissingIssuers::Fetched`] may change the verdicts: an acceptable signer, bound to the sender and
    /// with a valid signature, names an address for an issuer that is not cached.
    pub undecided: bool,
}

/// An opened message that at least one recipient trusts.
#[derive(Debug, Clone)]
pub struct ReceivedMessage {
    /// The inner message as bytes, to be stored.
    pub inner: Bytes,
    /// The inner message, parsed.
    pub parsed: ParsedMessage,
    /// Sender by the inner headers.
    pub sender: DirectAddress,
    /// Message-ID without angle brackets, for recognizing repetitions and for notices.
    pub message_id: Option<String>,
    /// The notice, if the message is one. It is matched to a transmission and never answered.
    pub notice: Option<Notice>,
    /// Notices that each accepting recipient owes the sender.
    pub asked: AskedNotices,
}

/// Verdict for one recipient.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// The recipient gets the message.
    Accepted(Box<Accepted>),
    /// The recipient does not get the message.
    Rejected(Rejection),
}

/// Details of an accepted message.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// Certificate of the accepted signer.
    pub signer: Certificate,
    /// Its chain to the recipient's anchor.
    pub trust: TrustedChain,
    /// The mismatch between envelope and headers, if a setting tolerates it.
    pub tampering: Option<Tampering>,
}

/// A mismatch between SMTP envelope and inner headers. The messages are shown to operators.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Tampering {
    /// MAIL FROM is neither the inner From nor the inner Sender.
    #[error("the envelope sender is not the sender of the message")]
    Sender,
    /// A RCPT TO address is neither in the inner To nor in Cc.
    #[error("the envelope recipient {0} is not in To or Cc of the message")]
    Recipient(DirectAddress),
}

/// Why a recipient does not get a message. Rejections are silent: no notice is sent, since the sender is not proven.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// It cannot be decrypted.
    #[error(transparent)]
    NotOpened(#[from] OpenError),
    /// The inner message cannot be read.
    #[error(transparent)]
    Unreadable(#[from] MimeError),
    /// The inner message has no From with a Direct address.
    #[error("the message has no sender")]
    NoSender,
    /// No signer is valid, bound to the sender and trusted; each with its reason.
    #[error("no signer of the message is acceptable: {}", signer_reasons(.0))]
    NoAcceptableSigner(Vec<(String, SignerProblem)>),
    /// Envelope and headers disagree.
    #[error(transparent)]
    Tampered(#[from] Tampering),
}

/// Why one signer is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignerProblem {
    /// The signature is not valid.
    #[error("the signature is not valid ({})", verdict_words(.0))]
    Signature(SignatureVerdict),
    /// The certificate is bound to another address.
    #[error("the certificate is not bound to the sender")]
    NotBound,
    /// The certificate is not trusted.
    #[error("the certificate {0}")]
    Untrusted(#[from] Untrusted),
}

fn signer_reasons(signers: &[(String, SignerProblem)]) -> String {
    signers.iter().map(|(_, problem)| problem.to_string()).collect::<Vec<_>>().join("; ")
}

fn verdict_words(verdict: &SignatureVerdict) -> String {
    match verdict {
        SignatureVerdict::Valid(_) => "valid".into(),
        SignatureVerdict::RefusedDigest(name) => format!("digest {name} is refused"),
        SignatureVerdict::RefusedKey => "the key is too weak or not meant for signing".into(),
        SignatureVerdict::Broken => "content or signature were changed".into(),
        SignatureVerdict::NoCertificate => "the signer's certificate is missing".into(),
    }
}

impl Rejection {
    /// Whether a later attempt may have a different result (a revocation list was unavailable).
    pub fn is_temporary(&self) -> bool {
        let temporary = |p: &SignerProblem| matches!(p, SignerProblem::Untrusted(u) if u.is_temporary());
        matches!(self, Self::NoAcceptableSigner(signers) if signers.iter().any(|(_, p)| temporary(p)))
    }
}

/// Verifies a message for every recipient. A long message is processed on the blocking pool. The caller limits the
/// number of bytes in progress, since a message is held in memory about three times.
pub async fn receive(
    mut incoming: Incoming,
    side: &dyn ReceivingSide,
    trust: &TrustEngine,
    settings: &ReceiveSettings,
    at: DateTime<Utc>,
) -> Received {
    let identities = identities(side, &incoming.recipients).await;
    let (raw, limits) = (std::mem::take(&mut incoming.raw), settings.limits);
    let read = smime::off_thread(raw.len(), move || read(raw, &identities, &limits)).await;
    let (opened, message) = match read.unwrap_or(Err(Rejection::NotOpened(OpenError::Unreadable))) {
        Ok(read) => read,
        Err(rejection) => return reject_all(incoming.recipients, rejection),
    };
    let (budget, strangers) = (FetchBudget::for_one_mail(), FetchBudget::cached_only());
    let signers = Signers {
        opened: &opened,
        sender: &message.sender,
        trust,
        known: &budget,
        strangers: if settings.missing == MissingIssuers::Fetched { &budget } else { &strangers },
        at,
    };
    let mut judged: Vec<(AnchorSet, Convinced)> = Vec::new();
    let mut verdicts = Vec::with_capacity(incoming.recipients.len());
    for recipient in &incoming.recipients {
        let anchors = match message.parsed.kind {
            MessageKind::Message => side.incoming_anchors(recipient).await,
            MessageKind::DispositionNotification | MessageKind::DeliveryStatus => {
                side.notice_anchors(recipient).await
            }
        };
        let tampering = tampering(&message, incoming.mail_from.as_deref(), recipient);
        let verdict = match (tampering, settings.tampering) {
            (Some(tampering), TamperPolicy::Reject) => Err(tampering.into()),
            (tampering, _) => {
                let known = judged.iter().find(|(known, _)| known.is(&anchors));
                let convinced = match known.map(|(_, convinced)| convinced.clone()) {
                    Some(convinced) => convinced,
                    None => {
                        let convinced = signers.convince(&anchors).await;
                        judged.push((anchors, convinced.clone()));
                        convinced
                    }
                };
                convinced.map(|(signer, trust)| Accepted { signer, trust, tampering })
            }
        };
        let verdict =
            verdict.map_or_else(Verdict::Rejected, |accepted| Verdict::Accepted(Box::new(accepted)));
        verdicts.push((recipient.clone(), verdict));
    }
    let accepted = verdicts.iter().any(|(_, v)| matches!(v, Verdict::Accepted(_)));
    Received { message: accepted.then_some(message), verdicts, undecided: strangers.was_exceeded() }
}

/// The identities of all recipients, each once.
async fn identities(side: &dyn ReceivingSide, recipients: &[DirectAddress]) -> Vec<Identity> {
    let mut all: Vec<Identity> = Vec::new();
    for recipient in recipients {
        let theirs = side.identities(recipient).await;
        for identity in pick_decryption_identities(&theirs, recipient) {
            if !all.iter().any(|known| known.certificate() == identity.certificate()) {
                all.push(identity.clone());
            }
        }
    }
    all
}

fn read(
    raw: Bytes,
    identities: &[Identity],
    limits: &MimeLimits,
) -> Result<(Opened, ReceivedMessage), Rejection> {
    if raw.len() > limits.size {
        return Err(MimeError::TooLarge.into());
    }
    let opened = smime::open(&raw, identities)?;
    drop(raw);
    let parsed = mime::parse(&opened.message, limits)?;
    let sender = parsed.headers.from.as_ref().map(|m| m.address.clone()).ok_or(Rejection::NoSender)?;
    let message = ReceivedMessage {
        inner: opened.message.clone(),
        sender,
        message_id: parsed.headers.message_id.clone(),
        notice: read_notice(&parsed),
        asked: asked_notices(&parsed),
        parsed,
    };
    Ok((opened, message))
}

fn reject_all(recipients: Vec<DirectAddress>, rejection: Rejection) -> Received {
    let reject = |recipient| (recipient, Verdict::Rejected(rejection.clone()));
    Received { message: None, verdicts: recipients.into_iter().map(reject).collect(), undecided: false }
}

/// Compares the envelope with the inner headers. A notice may come from the null sender (RFC 8098 3).
fn tampering(
    message: &ReceivedMessage,
    mail_from: Option<&str>,
    recipient: &DirectAddress,
) -> Option<Tampering> {
    let headers = &message.parsed.headers;
    let authors = headers.from.iter().chain(&headers.sender).map(|m| &m.address);
    let sender_agrees = match mail_from.map(DirectAddress::parse) {
        None => message.parsed.kind != MessageKind::Message,
        Some(Ok(envelope)) => authors.into_iter().any(|author| *author == envelope),
        Some(Err(_)) => false,
    };
    if !sender_agrees {
        return Some(Tampering::Sender);
    }
    let named = headers.to.iter().chain(&headers.cc).any(|m| m.address.same_mailbox(recipient));
    (!named).then(|| Tampering::Recipient(recipient.clone()))
}

/// The accepted signer and its chain, or the reason why there is none.
type Convinced = Result<(Certificate, TrustedChain), Rejection>;

/// The signers of a message, and the data for their verification.
struct Signers<'a> {
    opened: &'a Opened,
    sender: &'a DirectAddress,
    trust: &'a TrustEngine,
    /// For signers whose chains are cached.
    known: &'a FetchBudget,
    /// For signers whose issuers have to be fetched.
    strangers: &'a FetchBudget,
    at: DateTime<Utc>,
}

impl Signers<'_> {
    /// Finds a signer that is valid, bound to the sender and trusted, regardless of the others. Missing issuers are
    /// fetched only if no signer leads to an anchor with the certificates in the message.
    async fn convince(&self, anchors: &AnchorSet) -> Convinced {
        let mut problems = Vec::new();
        for missing in [MissingIssuers::AtHand, MissingIssuers::Fetched] {
            problems.clear();
            for signer in &self.opened.signers {
                let subject = signer.certificate.as_ref().map(Certificate::subject).unwrap_or_default();
                match self.judge(signer, anchors, missing).await {
                    Ok(convincing) => return Ok(convincing),
                    Err(problem) => problems.push((subject, problem)),
                }
            }
        }
        Err(Rejection::NoAcceptableSigner(problems))
    }

    async fn judge(
        &self,
        signer: &Signer,
        anchors: &AnchorSet,
        missing: MissingIssuers,
    ) -> Result<(Certificate, TrustedChain), SignerProblem> {
        let certificate = match (&signer.certificate, &signer.verdict) {
            (Some(certificate), SignatureVerdict::Valid(_)) => certificate,
            (_, verdict) => return Err(SignerProblem::Signature(verdict.clone())),
        };
        if certificate.binding(self.sender).is_none() {
            return Err(SignerProblem::NotBound);
        }
        let helpers = &self.opened.certificates;
        let budget = match missing {
            MissingIssuers::AtHand => self.known,
            MissingIssuers::Fetched => self.strangers,
        };
        let trust = self.trust.evaluate_within(certificate, helpers, anchors, missing, budget, self.at);
        Ok((certificate.clone(), trust.await?))
    }
}
