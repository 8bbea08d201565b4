//! Noise: continuous load by an organization, a partner or a stranger.

use super::{Scene, quiet};
use chrono::NaiveDate;
use documents::samples::{ccd_xml, patients, practices, visit_note_pdf};
use reqwest::Method;
use serde_json::json;
use std::{
    fmt,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};
use testkit::{document, load};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// Nested parts of a hostile mail, and elements of a hostile request.
const NESTED: usize = 20_000;
/// Longest wait of the noise for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy)]
pub enum Noise {
    Sending,
    Searches,
    HangingPartner,
    Previews,
    HostileMail,
    Calls,
    Strangers,
    Uploads,
    Provided,
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sending => "32 senders",
            Self::Searches => "16 searches",
            Self::HangingPartner => "partners that never answer",
            Self::Previews => "4 uploads of PDFs that are drawn",
            Self::HostileMail => "8 senders of hostile mail",
            Self::Calls => "64 callers of the API",
            Self::Strangers => "32 strangers",
            Self::Uploads => "8 uploads of C-CDA",
            Self::Provided => "8 senders of hostile XDR",
        })
    }
}

impl Noise {
    pub const ALL: [Self; 9] = [
        Self::Sending,
        Self::Searches,
        Self::HangingPartner,
        Self::Previews,
        Self::HostileMail,
        Self::Calls,
        Self::Strangers,
        Self::Uploads,
        Self::Provided,
    ];

    /// Number of concurrent sources.
    fn makers(self) -> usize {
        match self {
            Self::HangingPartner | Self::Previews => 4,
            Self::HostileMail | Self::Uploads | Self::Provided => 8,
            Self::Searches => 16,
            Self::Sending | Self::Strangers => 32,
            Self::Calls => 64,
        }
    }

    /// Runs until it is stopped.
    pub async fn make(self, scene: Arc<Scene>, stop: CancellationToken) {
        let mut makers = JoinSet::new();
        for maker in 0..self.makers() {
            let (scene, stop) = (scene.clone(), stop.clone());
            makers.spawn(async move {
                let mut turn = 0;
                while !stop.is_cancelled() {
                    let _ = timeout(PATIENCE, self.once(&scene, maker, turn)).await;
                    scene.done.fetch_add(1, Relaxed);
                    turn += 1;
                }
            });
        }
        makers.join_all().await;
    }

    async fn once(self, scene: &Scene, maker: usize, turn: usize) {
        let (noisy, client) = (&scene.noisy, &scene.noisy.client);
        match self {
            Self::Sending => {
                quiet::send(noisy, &scene.flooded.address, &format!("Noise {turn}")).await;
            }
            Self::Searches => {
                let name = &load::patient(maker * 37 + turn)[1];
                let asked =
                    json!({ "startDate": "2020-01-01T00:00:00Z", "filter": format!("referral {name}") });
                client.post("/api/intake", &asked).await;
                client.post("/api/intake/counts", &asked).await;
            }
            Self::HangingPartner => {
                let to = format!("records@direct.hanging-{maker}-{turn}.example");
                quiet::send(noisy, &to, "Noise").await;
                sleep(Duration::from_millis(200)).await;
            }
            Self::Previews => upload(scene, "Visit.pdf", pdf(), true).await,
            Self::HostileMail => {
                let _ = mail(scene, maker, turn).await;
            }
            Self::Calls => {
                client.post("/api/intake", &json!({ "startDate": "2020-01-01T00:00:00Z" })).await;
            }
            Self::Strangers => {
                let asked = scene.stranger.request(Method::GET, "/api/openapi.json");
                scene.stranger.send(asked.header("accept-encoding", "gzip")).await;
                scene.stranger.sign_in("nobody@example.com", "not this one").await;
            }
            Self::Uploads => upload(scene, "Summary.xml", ccd(), false).await,
            Self::Provided => {
                let request = reqwest::Client::new().post(&scene.services);
                let request = request.header("content-type", "application/soap+xml").body(hostile_xml());
                let _ = request.send().await;
            }
        }
    }
}

async fn upload(scene: &Scene, name: &str, content: Vec<u8>, convert: bool) {
    let client = &scene.noisy.client;
    let draft = client.draft(document(&scene.noisy.address, &[], "Noise")).await;
    let answer = client.try_upload(&draft, name, content, json!({})).await;
    if convert && let Some(id) = answer.json()["id"].as_str() {
        client.put(&format!("/api/messages/{draft}/attachments/{id}/generatePreview"), &json!({})).await;
    }
}

fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 19).unwrap_or_default()
}

fn ccd() -> Vec<u8> {
    ccd_xml(&patients()[0], &practices()[0], day()).into_bytes()
}

fn pdf() -> Vec<u8> {
    visit_note_pdf(&patients()[0], &practices()[0], day())
}

/// XML that is cheap to write and expensive to read: very many attributes of one element.
fn hostile_xml() -> Vec<u8> {
    let attributes: String = (0..NESTED).map(|number| format!(" a{number}='x'")).collect();
    format!(
        "<s:Envelope xmlns:s='http://www.w3.org/2003/05/soap-envelope'><s:Body{attributes}/></s:Envelope>"
    )
    .into_bytes()
}

/// A mail with deeply nested parts.
fn hostile_mail() -> Vec<u8> {
    let mut mail = String::from("Subject: noise\r\nMIME-Version: 1.0\r\n");
    for number in 0..NESTED {
        mail += &format!("Content-Type: multipart/mixed; boundary=b{number}\r\n\r\n--b{number}\r\n");
    }
    mail += "\r\n.\r\n";
    mail.into_bytes()
}

/// Sends a mail from a changing address.
async fn mail(scene: &Scene, maker: usize, turn: usize) -> std::io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    let network = u8::try_from(2 + maker % 8).unwrap_or(2);
    let host = u8::try_from(turn % 250).unwrap_or(1);
    socket.bind(([127, network, host, 1], 0).into())?;
    let mut stream = BufReader::new(socket.connect(scene.smtp).await?);
    reply(&mut stream).await?;
    let to = format!("RCPT TO:<{}>\r\n", scene.noisy.address);
    for line in ["EHLO c.example\r\n", "MAIL FROM:<a@c.example>\r\n", &to, "DATA\r\n"] {
        stream.write_all(line.as_bytes()).await?;
        reply(&mut stream).await?;
    }
    stream.write_all(&hostile_mail()).await?;
    reply(&mut stream).await
}

/// Skips a reply.
async fn reply(stream: &mut BufReader<TcpStream>) -> std::io::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 || line.as_bytes().get(3) != Some(&b'-') {
            return Ok(());
        }
    }
}
