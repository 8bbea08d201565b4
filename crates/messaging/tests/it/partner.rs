//! A second party: another health information service with its own authority, domains, DNS and mail server.

use crate::support::*;
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use direct::{
    DirectAddress,
    address::Mailbox,
    cert::{
        AuthorityName, BoundTo, Certificate, CertificateAuthority, CertificateRequest, Identity, KeyPurposes,
        KeySize, PrivateKey, Validity,
    },
    dns::{DnsResponder, HostedZone, PublishedZones, ZonesUnreadable},
    mime::{OutgoingMessage, ParsedMessage, parse},
    notice::{Disposition, DsnDraft, FailedRecipient, MdnDraft},
    smime::{SealOptions, open, seal},
    smtp::{
        client::{
            ClientTimeouts, OutgoingEnvelope, RecipientOutcome, SmtpClient, Target, TlsDemand, TlsMode,
        },
        server::{Envelope, MailBody, MailSink, ServerSettings, SmtpReply, SmtpServer, TlsSlot},
    },
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use store::entities::trust_anchor;
use testkit::{Db, Options, Practice, TestApp};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

pub const DOMAIN: &str = "direct.partner.example";
pub const OTHER_DOMAIN: &str = "direct.second.example";
pub const PAT: &str = "pat@direct.partner.example";
pub const SAM: &str = "sam@direct.second.example";

pub fn address(text: &str) -> DirectAddress {
    DirectAddress::parse(text).expect("an address")
}

/// The application with an outside partner whom a practice trusts.
pub async fn world(db: Db) -> (Partner, TestApp, Practice) {
    let partner = Partner::start().await;
    let app = partner.app(db).await;
    let larkfield = app.practice("larkfield").await;
    partner.trusted_by(&app, &larkfield).await;
    (partner, app, larkfield)
}

/// A decrypted mail that the partner received.
pub struct Mail {
    pub envelope: Envelope,
    pub raw: Vec<u8>,
    pub parsed: ParsedMessage,
}

/// The partner: it accepts every mail and sends nothing on its own.
pub struct Partner {
    pub ca: CertificateAuthority,
    pub identities: Vec<Identity>,
    pub smtp: SocketAddr,
    dns: SocketAddr,
    inbox: Arc<Inbox>,
    _stop: DropGuard,
}

#[derive(Default)]
struct Inbox {
    mails: Mutex<Vec<(Envelope, Vec<u8>)>>,
    /// Answers to the next messages, instead of `250`.
    answers: Mutex<VecDeque<SmtpReply>>,
    /// People whose mail is deferred.
    away: Mutex<Vec<String>>,
}

impl Partner {
    pub async fn start() -> Self {
        let now = moment();
        let ca = authority("Partner Root", now);
        let identities =
            [DOMAIN, OTHER_DOMAIN].map(|domain| identity(&ca, domain, now)).into_iter().collect::<Vec<_>>();
        let cancel = CancellationToken::new();
        let inbox = Arc::new(Inbox::default());
        let smtp = serve_mail(inbox.clone(), cancel.clone()).await;
        let dns = serve_dns(&identities, cancel.clone()).await;
        Self { ca, identities, smtp, dns, inbox, _stop: cancel.drop_guard() }
    }

    /// The application with this partner as the outside world.
    pub async fn app(&self, db: Db) -> TestApp {
        self.app_with(db, Options::default()).await
    }

    /// Like [`Partner::app`], with further options.
    pub async fn app_with(&self, db: Db, options: Options) -> TestApp {
        let (smtp, dns) = (self.smtp, self.dns);
        let configure = move |config: &mut platform::Config| {
            config.smtp.smart_host = Some(smtp.to_string());
            config.dns.nameserver = Some(dns);
        };
        TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..options }).await
    }

    /// Makes an organization trust the partner in both directions.
    pub async fn trusted_by(&self, app: &TestApp, practice: &Practice) {
        trust(app, practice, self.ca.certificate()).await;
    }

    /// Sets the answer to the next message without one.
    pub fn answer_next(&self, reply: SmtpReply) {
        self.inbox.answers.lock().expect("answers").push_back(reply);
    }

    /// Defers mail for this person from now on.
    pub fn defer(&self, recipient: &str) {
        self.inbox.away.lock().expect("away").push(recipient.to_owned());
    }

    /// The mails received so far.
    pub fn mails(&self) -> Vec<Mail> {
        let mails = self.inbox.mails.lock().expect("mails");
        mails.iter().map(|(envelope, raw)| self.opened(envelope.clone(), raw.clone())).collect()
    }

    fn opened(&self, envelope: Envelope, raw: Vec<u8>) -> Mail {
        let opened = open(&raw, &self.identities).expect("the mail is for the partner");
        let parsed = parse(&opened.message, &Default::default()).expect("a message");
        Mail { envelope, raw, parsed }
    }

    fn identity_of(&self, sender: &DirectAddress) -> &Identity {
        let found = self.identities.iter().find(|i| i.certificate().binding(sender).is_some());
        found.unwrap_or(&self.identities[0])
    }

    /// Seals and sends a message; returns the listener's answer about the first recipient.
    pub async fn send(&self, app: &TestApp, from: &str, to: &Practice, inner: &[u8]) -> RecipientOutcome {
        let from = address(from);
        let sealed = sealed(app, self.identity_of(&from), to, inner).await;
        post(app, from.as_str(), &[&to.address], &sealed).await
    }

    /// A disposition notification about one recipient, as created by the partner.
    pub fn notice(
        &self,
        about: &str,
        to: &str,
        original: &str,
        disposition: Disposition,
        date: DateTime<Utc>,
    ) -> Vec<u8> {
        let about = address(about);
        MdnDraft {
            from: about.clone(),
            to: address(to),
            message_id: format!("{}@{}", Uuid::new_v4(), about.domain()),
            date,
            original_message_id: original.to_owned(),
            final_destination_delivery: disposition == Disposition::Dispatched,
            disposition,
            explanation: "Explained by the partner.".into(),
            reporting_agent: "partner.example; Partner".into(),
        }
        .build()
        .expect("a notice")
    }

    /// A delivery status notification: a recipient could not be reached.
    pub fn bounce(&self, about: &str, to: &str, original: &str, date: DateTime<Utc>) -> Vec<u8> {
        let failed = FailedRecipient {
            recipient: address(about),
            status: "5.1.1".into(),
            diagnostic: "550 5.1.1 No such person at the partner".into(),
        };
        DsnDraft {
            from: address(&format!("postmaster@{}", address(about).domain())),
            to: address(to),
            message_id: format!("{}@partner.example", Uuid::new_v4()),
            date,
            original_message_id: original.to_owned(),
            reporting_mta: "mx.partner.example".into(),
            failed: vec![failed],
            final_destination_delivery: true,
        }
        .build()
        .expect("a notice")
    }
}

/// Shortly before the tests' clock starts.
fn moment() -> DateTime<Utc> {
    "2026-11-20T00:00:00Z".parse().expect("a time")
}

pub fn authority(name: &str, now: DateTime<Utc>) -> CertificateAuthority {
    let name = AuthorityName { common_name: name.into(), organization: "Partner Health".into() };
    let key = PrivateKey::generate_rsa(KeySize::Rsa2048).expect("a key");
    CertificateAuthority::create(&name, validity(now), key).expect("an authority")
}

fn validity(now: DateTime<Utc>) -> Validity {
    Validity { from: now - Duration::days(400), lasting: Duration::days(4000) }
}

pub fn identity(ca: &CertificateAuthority, domain: &str, now: DateTime<Utc>) -> Identity {
    ca.issue(&CertificateRequest {
        organization: "Partner Health".into(),
        bound_to: BoundTo::Domain(domain.into()),
        purposes: KeyPurposes::BOTH,
        validity: validity(now),
        crl_url: None,
        issuer_url: None,
    })
    .expect("an identity")
}

/// Makes an organization trust everybody with a certificate of this authority.
pub async fn trust(app: &TestApp, practice: &Practice, ca: &Certificate) {
    let row = trust_anchor::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(practice.organization.id)),
        bundle_id: Set(None),
        fingerprint: Set(ca.fingerprint()),
        certificate_pem: Set(ca.to_pem()),
        incoming: Set(true),
        outgoing: Set(true),
        requires_revocation: Set(false),
        version: Set(1),
        created_at: Set(app.clock.now()),
    };
    trust_anchor::Entity::insert(row).exec_without_returning(app.store.db()).await.expect("an anchor");
}

/// A plain letter from outside. It asks for no delivery notice.
pub fn letter(from: &str, to: &[&str], subject: &str, date: DateTime<Utc>) -> OutgoingMessage {
    let from = address(from);
    let to = to.iter().map(|t| Mailbox::from(address(t))).collect();
    let id = format!("{}@{}", Uuid::new_v4(), from.domain());
    let mut message = OutgoingMessage::new(Mailbox::new("Pat Partner", from), to, date, id);
    message.subject = subject.into();
    message.text = "A letter from outside.\n".into();
    message
}

/// Signs, and encrypts to the organization's certificate.
pub async fn sealed(app: &TestApp, signer: &Identity, to: &Practice, inner: &[u8]) -> Vec<u8> {
    let own = app.node.direct.identities.of(app, to.organization.id).await.expect("identities");
    let recipients = [own[0].certificate().clone()];
    seal(inner, signer, &recipients, SealOptions::default()).expect("it seals")
}

/// Sends bytes to the listener over SMTP; returns its answer about the first recipient.
pub async fn post(app: &TestApp, from: &str, to: &[&str], bytes: &[u8]) -> RecipientOutcome {
    let roots = rustls::RootCertStore::empty();
    let client =
        SmtpClient::new("mx.partner.example", TlsMode::Opportunistic, ClientTimeouts::default(), roots);
    let target = Target { host: "localhost".into(), addresses: vec![app.smtp_addr()], tls: TlsDemand::None };
    let envelope = OutgoingEnvelope {
        mail_from: Some(address(from)),
        recipients: to.iter().map(|t| address(t)).collect(),
    };
    let mut reader = bytes;
    let report = client.deliver(&[target], &envelope, bytes.len() as u64, &mut reader).await;
    report.recipients.into_iter().next().expect("an answer").1
}

pub fn accepted(outcome: &RecipientOutcome) -> bool {
    matches!(outcome, RecipientOutcome::Accepted { .. })
}

async fn serve_mail(inbox: Arc<Inbox>, cancel: CancellationToken) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let place = listener.local_addr().expect("an address");
    let server = SmtpServer::new(ServerSettings::default(), TlsSlot::default(), Arc::new(Sink(inbox)));
    tokio::spawn(server.run(listener, cancel));
    place
}

struct Sink(Arc<Inbox>);

#[async_trait]
impl MailSink for Sink {
    async fn accept_recipient(&self, _: &Envelope, recipient: &str) -> Result<Uuid, SmtpReply> {
        if recipient.starts_with("nobody@") {
            return Err(SmtpReply::new(550, "5.1.1", "Nobody of that name at the partner"));
        }
        if self.0.away.lock().expect("away").iter().any(|r| r == recipient) {
            return Err(SmtpReply::new(451, "4.3.0", "Come back later"));
        }
        Ok(Uuid::nil())
    }

    async fn begin(&self, envelope: Envelope) -> Result<Box<dyn MailBody>, SmtpReply> {
        Ok(Box::new(Body { inbox: self.0.clone(), envelope, bytes: Vec::new() }))
    }
}

struct Body {
    inbox: Arc<Inbox>,
    envelope: Envelope,
    bytes: Vec<u8>,
}

#[async_trait]
impl MailBody for Body {
    async fn write(&mut self, bytes: Bytes) -> Result<(), SmtpReply> {
        self.bytes.extend_from_slice(&bytes);
        Ok(())
    }

    async fn commit(self: Box<Self>) -> Result<(), SmtpReply> {
        self.inbox.mails.lock().expect("mails").push((self.envelope, self.bytes));
        match self.inbox.answers.lock().expect("answers").pop_front() {
            Some(reply) => Err(reply),
            None => Ok(()),
        }
    }
}

async fn serve_dns(identities: &[Identity], cancel: CancellationToken) -> SocketAddr {
    let certificates = identities.iter().map(|i| i.certificate().to_der()).collect();
    let zones = Arc::new(Zones(certificates));
    let responder =
        DnsResponder::bind("127.0.0.1:0".parse().expect("an address"), zones).await.expect("a port");
    let place = responder.local_addr().expect("an address");
    tokio::spawn(responder.run(cancel));
    place
}

/// The partner's domains, each with its certificate.
struct Zones(Vec<Vec<u8>>);

#[async_trait]
impl PublishedZones for Zones {
    async fn zone_of(&self, name: &str) -> Result<Option<HostedZone>, ZonesUnreadable> {
        let domain = [DOMAIN, OTHER_DOMAIN].into_iter().find(|d| name.ends_with(d));
        Ok(domain.map(|domain| HostedZone {
            domain: domain.into(),
            name_server: "ns.partner.example".into(),
            mail_server: Some("mx.partner.example".into()),
            serial: 1,
            ttl: 3600,
        }))
    }

    async fn certificates(
        &self,
        zone: &HostedZone,
        name: &str,
    ) -> Result<Option<Vec<Vec<u8>>>, ZonesUnreadable> {
        let position = [DOMAIN, OTHER_DOMAIN].iter().position(|d| *d == zone.domain);
        Ok(position.filter(|_| name == zone.domain).map(|position| vec![self.0[position].clone()]))
    }
}

/// The Message-ID under which a message of ours went to the partner.
pub async fn original_id(practice: &Practice, message_id: &str) -> String {
    let view = message(&practice.client, message_id).await;
    text(&view, "messageIdHeader").trim_matches(['<', '>']).to_owned()
}
