//! Part `memory`: resident memory of a node, idle and while large files arrive from both sides.

use crate::{
    Options,
    process::{DIRECT_HOST, Place, Process, spawn},
    send::paper,
    table::Table,
};
use anyhow::{Context, Result, anyhow, bail, ensure};
use direct::{
    DirectAddress,
    address::Mailbox,
    mime::{Attachment, OutgoingMessage, new_message_id},
    smime::{SealOptions, seal},
    smtp::client::{
        ClientTimeouts, OutgoingEnvelope, RecipientOutcome, SmtpClient, Target, TlsDemand, TlsMode,
    },
};
use futures::future::{join_all, try_join_all};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};
use testkit::{Db, PASSWORD, Practice, TestApp, document};
use uuid::Uuid;

const UPLOADS: usize = 20;
const RECEPTIONS: usize = 10;
/// Time without requests after which a node is idle.
const IDLE: Duration = Duration::from_secs(5);
/// Time limit for opening received mail.
const TIMEOUT: Duration = Duration::from_secs(300);
const MEBIBYTE: f64 = (1 << 20) as f64;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    let world = World::prepare(options.file_size).await?;
    let place = Place {
        folder: world.db.folder(),
        database: Some(&world.db.url()),
        master_key: Some(&world.master_key),
    };
    let mut process = spawn(&place)?;
    process.answers().await?;
    tokio::time::sleep(IDLE).await;
    let idle = process.resident().0 as f64 / MEBIBYTE;
    table.at_most("resident memory, idle", idle, 100.0, "MiB");
    let converters = AtomicU64::new(0);
    let load = async {
        let (uploaded, received) = tokio::join!(world.upload(&process), world.deliver(&process));
        uploaded?;
        received?;
        world.until_opened(&process).await
    };
    tokio::select! {
        done = load => done?,
        () = watch(&process, &converters) => {}
    }
    let megabytes = options.file_size / 1_000_000;
    let what = format!("resident memory, {UPLOADS} uploads and {RECEPTIONS} receptions of {megabytes} MB");
    table.at_most(what, process.peak() as f64 / MEBIBYTE, 400.0, "MiB");
    let converters = converters.into_inner() as f64 / MEBIBYTE;
    table.note("processes that convert files meanwhile", format!("{converters:.0} MiB"));
    process.stop()
}

/// Records the greatest total memory of the converting processes.
async fn watch(process: &Process, converters: &AtomicU64) {
    loop {
        converters.fetch_max(process.resident().1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Two practices in a database, and prepared mail from one to the other.
struct World {
    db: Db,
    master_key: String,
    sender: Practice,
    reader: Practice,
    mails: Vec<PathBuf>,
    file_size: usize,
}

impl World {
    async fn prepare(file_size: usize) -> Result<Self> {
        let configure = |config: &mut platform::Config| config.direct.host = DIRECT_HOST.into();
        let options =
            testkit::Options { live: true, configure: Some(Box::new(configure)), ..Default::default() };
        let app = TestApp::start_with(Db::sqlite(), options).await;
        let (sender, reader) = (app.practice("larkfield").await, app.practice("summit").await);
        let mut mails = Vec::new();
        for number in 0..RECEPTIONS {
            let mail = app.db.folder().join(format!("mail-{number}"));
            tokio::fs::write(&mail, mail_of(&app, &sender, &reader, file_size).await?).await?;
            mails.push(mail);
        }
        let master_key = app.keys.master().to_base64().to_string();
        let db = app.db.clone();
        app.finish().await;
        Ok(Self { db, master_key, sender, reader, mails, file_size })
    }

    async fn upload(&self, process: &Process) -> Result<()> {
        let browser = Browser::sign_in(process, &self.sender.user.user_name).await?;
        let fields = document(&self.sender.address, &[&self.reader.address], "A large file");
        let mut drafts = Vec::new();
        for _ in 0..UPLOADS {
            let draft = browser.call(browser.http.put(browser.url("/api/messages")).json(&fields)).await?;
            drafts.push(draft["id"].as_str().context("a draft has an id")?.to_owned());
        }
        let file = bytes::Bytes::from(paper(self.file_size));
        let uploads = drafts.iter().map(|draft| {
            let part = Part::stream(file.clone()).file_name("Visit note.pdf");
            let form = Form::new().text("attachmentMeta", json!({}).to_string()).part("file", part);
            let url = browser.url(&format!("/api/messages/{draft}/attachments"));
            browser.call(browser.http.post(url).multipart(form))
        });
        try_join_all(uploads).await?;
        Ok(())
    }

    async fn deliver(&self, process: &Process) -> Result<()> {
        let target = Target {
            host: "localhost".into(),
            addresses: vec![([127, 0, 0, 1], process.smtp_port).into()],
            tls: TlsDemand::None,
        };
        let client = SmtpClient::new(
            "localhost",
            TlsMode::Required,
            ClientTimeouts::default(),
            rustls::RootCertStore::empty(),
        );
        let envelope = OutgoingEnvelope {
            mail_from: Some(DirectAddress::parse(&self.sender.address)?),
            recipients: vec![DirectAddress::parse(&self.reader.address)?],
        };
        let hand_over = async |mail: &PathBuf| -> Result<()> {
            let mut file = tokio::fs::File::open(mail).await?;
            let size = file.metadata().await?.len();
            let report = client.deliver(std::slice::from_ref(&target), &envelope, size, &mut file).await;
            match report.recipients.first() {
                Some((_, RecipientOutcome::Accepted { .. })) => Ok(()),
                other => bail!("the mail was not accepted: {other:?}"),
            }
        };
        join_all(self.mails.iter().map(hand_over)).await.into_iter().collect()
    }

    /// Waits until all mails are in the Intake.
    async fn until_opened(&self, process: &Process) -> Result<()> {
        let browser = Browser::sign_in(process, &self.reader.user.user_name).await?;
        let end = Instant::now() + TIMEOUT;
        loop {
            let list = browser.http.post(browser.url("/api/intake")).json(&json!({}));
            let opened = browser.call(list).await?["totalCount"].as_u64().unwrap_or(0);
            if opened == RECEPTIONS as u64 {
                return Ok(());
            }
            ensure!(Instant::now() < end, "{opened} of {RECEPTIONS} mails stand in the Intake");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// A signed and encrypted message with a file.
async fn mail_of(app: &TestApp, from: &Practice, to: &Practice, file_size: usize) -> Result<Vec<u8>> {
    let failed = |error: platform::Error| anyhow!("{error:?}");
    let signer = app.node.direct.identities.of(app, from.organization.id).await.map_err(failed)?;
    let recipient = app.node.direct.identities.of(app, to.organization.id).await.map_err(failed)?;
    let (author, reader) = (DirectAddress::parse(&from.address)?, DirectAddress::parse(&to.address)?);
    let id = new_message_id(Uuid::new_v4(), &author);
    let mut message =
        OutgoingMessage::new(Mailbox::from(author), vec![Mailbox::from(reader)], app.clock.now(), id);
    message.attachments.push(Attachment {
        file_name: Some("Visit note.pdf".into()),
        content_type: "application/pdf".into(),
        content_id: None,
        content: paper(file_size).into(),
    });
    let certificates: Vec<_> = recipient.iter().map(|identity| identity.certificate().clone()).collect();
    Ok(seal(&message.build()?, &signer[0], &certificates, SealOptions::default())?)
}

/// A user signed in at a node that runs as a separate process.
struct Browser {
    http: reqwest::Client,
    base: String,
    token: String,
}

impl Browser {
    async fn sign_in(process: &Process, user_name: &str) -> Result<Self> {
        let http = reqwest::Client::new();
        let body = json!({ "userName": user_name, "password": PASSWORD });
        let answer = http.post(format!("{}/api/account/login", process.url)).json(&body).send().await?;
        let (status, body) = (answer.status(), answer.text().await?);
        ensure!(status.is_success(), "{status}: {body}");
        let signed_in: Value = serde_json::from_str(&body)?;
        let token = signed_in["accessToken"].as_str().context("an access token")?.to_owned();
        Ok(Self { http, base: process.url.clone(), token })
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn call(&self, request: reqwest::RequestBuilder) -> Result<Value> {
        let answer = request.bearer_auth(&self.token).send().await?;
        let (status, body) = (answer.status(), answer.text().await?);
        ensure!(status.is_success(), "{status}: {body}");
        Ok(serde_json::from_str(&body)?)
    }
}
