//! E-mail to people through a mail server.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::Duration;
use direct::smtp::server::{Envelope, MailBody, MailSink, ServerSettings, SmtpReply, SmtpServer, TlsSlot};
use platform::{
    Config, Role,
    config::{EmailServer, Encryption, Mode},
    session::ROLE_ADMINISTRATOR,
};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::entities::{email, workflow};
use testkit::{Client, Db, Options, Organization, TestApp};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// A mail server that accepts what the test allows.
#[derive(Default)]
pub struct Inbox {
    mails: Mutex<Vec<String>>,
    refusal: Mutex<Option<SmtpReply>>,
}

struct Sink(Arc<Inbox>);
struct Body(Arc<Inbox>, Vec<u8>);

#[async_trait]
impl MailSink for Sink {
    async fn accept_recipient(&self, _: &Envelope, _: &str) -> Result<Uuid, SmtpReply> {
        self.0.refusal.lock().expect("a lock").clone().map_or(Ok(Uuid::nil()), Err)
    }

    async fn begin(&self, _: Envelope) -> Result<Box<dyn MailBody>, SmtpReply> {
        Ok(Box::new(Body(self.0.clone(), Vec::new())))
    }
}

#[async_trait]
impl MailBody for Body {
    async fn write(&mut self, bytes: Bytes) -> Result<(), SmtpReply> {
        self.1.extend_from_slice(&bytes);
        Ok(())
    }

    async fn commit(self: Box<Self>) -> Result<(), SmtpReply> {
        let mail = String::from_utf8(self.1).expect("a mail of ASCII");
        self.0.mails.lock().expect("a lock").push(mail);
        Ok(())
    }
}

impl Inbox {
    fn refuse(&self, reply: Option<SmtpReply>) {
        *self.refusal.lock().expect("a lock") = reply;
    }

    pub fn mails(&self) -> Vec<String> {
        self.mails.lock().expect("a lock").clone()
    }
}

struct World {
    app: TestApp,
    inbox: Arc<Inbox>,
    ops: Client,
    organization: Organization,
    _stop: DropGuard,
}

/// A running mail server and its port.
pub async fn mail_server() -> (Arc<Inbox>, u16, DropGuard) {
    let (inbox, cancel) = (Arc::new(Inbox::default()), CancellationToken::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let server =
        SmtpServer::new(ServerSettings::default(), TlsSlot::default(), Arc::new(Sink(inbox.clone())));
    tokio::spawn(server.run(listener, cancel.clone()));
    (inbox, port, cancel.drop_guard())
}

/// An installation with a mail server and an organization that is not activated.
async fn world(db: Db) -> World {
    let (inbox, port, stop) = mail_server().await;
    let configure = move |config: &mut Config| {
        config.http.public_url = "https://care.example".parse().expect("an address");
        config.email.server = Some(EmailServer {
            host: "127.0.0.1".into(),
            port: Some(port),
            encryption: Encryption::None,
            user: None,
            password: None,
            password_file: None,
            password_command: None,
        });
    };
    let app =
        TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await;
    let (ops, organization) = not_activated(&app).await;
    World { app, inbox, ops, organization, _stop: stop }
}

async fn not_activated(app: &TestApp) -> (Client, Organization) {
    let organization = app.organization("larkfield").await;
    let admin = app.user(Role::Admin, &organization).await;
    app.user(Role::User, &organization).await;
    let elsewhere = app.organization("summit").await;
    app.join(admin.id, &elsewhere, ROLE_ADMINISTRATOR).await;
    let ops = app.signed_in(Role::SysAdmin, &organization).await;
    set_activated(&ops, &organization, json!({ "activated": false })).await;
    (ops, organization)
}

async fn set_activated(ops: &Client, organization: &Organization, body: Value) {
    let path = format!("/api/organizations/{}/activate", organization.id);
    assert_eq!(ops.put(&path, &body).await.status, 204);
}

async fn rows(app: &TestApp) -> Vec<email::Model> {
    email::Entity::find().order_by_asc(email::Column::Id).all(app.store.db()).await.expect("e-mails")
}

#[tokio::test]
async fn administrators_are_told_of_the_activation_through_the_mail_server() {
    let world = world(Db::sqlite()).await;
    set_activated(&world.ops, &world.organization, json!({ "activated": true, "sendEmail": true })).await;
    world.app.drain().await;
    let mails = world.inbox.mails();
    assert_eq!(mails.len(), 1, "one administrator, one e-mail");
    for part in [
        "From: Carepost <no-reply@carepost.example>",
        "To: \"Priya Nandakumar\" <",
        "Subject: larkfield practice is activated",
        "The organization's Direct domain is larkfield.direct.carepost.example.",
        "Sign in: https://care.example/account/login",
        "Content-Type: text/html",
    ] {
        assert!(mails[0].contains(part), "{part}: {}", mails[0]);
    }
    let rows = rows(&world.app).await;
    assert!(rows[0].sent_at.is_some());
    assert_eq!(rows[0].sealed_letter, None, "what was handed over is not kept");
    let visitor = world.app.client();
    assert_eq!(visitor.get("/api/demo/emails").await.status, 404, "nobody else reads it");
    assert_eq!(visitor.get("/api/branding").await.ok()["demoMailbox"], false);

    set_activated(&world.ops, &world.organization, json!({ "activated": true, "sendEmail": true })).await;
    world.app.drain().await;
    assert_eq!(world.inbox.mails().len(), 1, "what is activated already tells nobody");
    world.app.finish().await;
}

#[tokio::test]
async fn an_e_mail_that_is_put_off_comes_later_and_one_that_is_refused_says_why() {
    let world = world(Db::sqlite()).await;
    let on = json!({ "activated": true, "sendEmail": true });
    world.inbox.refuse(Some(SmtpReply::new(451, "4.3.0", "Come back later")));
    set_activated(&world.ops, &world.organization, on.clone()).await;
    world.app.drain().await;
    assert!(world.inbox.mails().is_empty());
    world.inbox.refuse(None);
    world.app.advance(Duration::minutes(1));
    world.app.drain().await;
    assert_eq!(world.inbox.mails().len(), 1);

    world.inbox.refuse(Some(SmtpReply::new(550, "5.1.1", "Nobody of that name: user@larkfield.example")));
    set_activated(&world.ops, &world.organization, json!({ "activated": false })).await;
    set_activated(&world.ops, &world.organization, on).await;
    world.app.drain().await;
    let failed = workflow::Entity::find().order_by_desc(workflow::Column::Id).one(world.app.store.db()).await;
    let failed = failed.expect("workflows").expect("a workflow");
    assert_eq!(failed.error.as_deref(), Some("the mail server refused it: 550"));
    let rows = rows(&world.app).await;
    assert!(rows[1].sent_at.is_none() && rows[1].sealed_letter.is_some(), "it can be sent again by hand");
    world.app.finish().await;
}

#[tokio::test]
async fn without_a_mail_server_a_demonstration_shows_its_e_mails_to_everybody() {
    let app = TestApp::start(Db::sqlite()).await;
    let (ops, organization) = not_activated(&app).await;
    set_activated(&ops, &organization, json!({ "activated": true, "sendEmail": true })).await;
    let visitor = app.client();
    assert_eq!(visitor.get("/api/branding").await.ok()["demoMailbox"], true);
    assert_eq!(visitor.get("/api/demo/emails").await.ok()["items"], json!([]), "not before it was sent");
    app.drain().await;
    let list = visitor.get("/api/demo/emails").await.ok();
    assert_eq!(list["items"][0]["subject"], "larkfield practice is activated");
    let path = format!("/api/demo/emails/{}", list["items"][0]["id"].as_str().expect("an id"));
    let mail = visitor.get(&path).await.ok();
    let html = mail["html"].as_str().expect("a page");
    assert!(html.contains("larkfield.direct.carepost.example"), "{html}");
    let unknown = "/api/demo/emails/01a1fa00-68a2-7456-a6c6-e0c6b6eafb42";
    assert_eq!(visitor.get(unknown).await.status, 404);
    app.finish().await;
}

#[tokio::test]
async fn without_a_mail_server_a_real_installation_refuses_what_needs_an_e_mail() {
    let configure = |config: &mut Config| {
        config.mode = Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let app = TestApp::start_with(
        Db::sqlite(),
        Options { configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await;
    let (ops, organization) = not_activated(&app).await;
    let path = format!("/api/organizations/{}/activate", organization.id);
    let problem = ops.put(&path, &json!({ "activated": true, "sendEmail": true })).await.problem(422);
    assert_eq!(
        problem["modelState"]["sendEmail"],
        json!([
            "An activation e-mail cannot be sent, because this installation has no mail server configured."
        ])
    );
    assert_eq!(app.client().get("/api/demo/emails").await.status, 404);
    app.finish().await;
}
