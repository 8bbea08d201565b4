//! Two installations send to each other while a random generator kills them. In the end, every accepted
//! message is in the reader's Intake exactly once, and its sender knows of the delivery.
//!
//! `CAREPOST_TEST_SEED` repeats a run. The full form takes some minutes per database: `cargo test -p server
//! --test it a_hundred_kills -- --ignored`

use platform::Config;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::{Method, RequestBuilder, StatusCode, multipart};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use store::entities::{certificate_authority, trust_anchor};
use testkit::{Db, Options, PASSWORD, TestApp, document};
use testports::free_port;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

testkit::on_both_databases! { no_message_is_lost_or_doubled_when_nodes_are_killed }

mod full {
    use testkit::Db;

    #[tokio::test]
    #[ignore = "takes minutes"]
    async fn a_hundred_kills_on_sqlite() {
        super::send_under_fire(Db::sqlite(), 100).await;
    }

    #[tokio::test]
    #[ignore = "takes minutes"]
    async fn a_hundred_kills_on_postgres() {
        if let Some(db) = Db::postgres() {
            super::send_under_fire(db, 100).await;
        }
    }
}

/// Number of simultaneous senders.
const SENDERS: usize = 4;
/// Minimum number of messages of each sender, however busy the machine is.
const AT_LEAST: usize = 4;
/// Longest time between two kills.
const PAUSE: Duration = Duration::from_millis(2_500);
/// Interval between checks of an expected event.
const LOOK: Duration = Duration::from_millis(100);
/// Time within which there must be progress after the last kill, and each call must be answered. The longest
/// wait for a retry is shorter.
const TIMEOUT: Duration = Duration::from_secs(130);

async fn no_message_is_lost_or_doubled_when_nodes_are_killed(db: Db) {
    send_under_fire(db, 4).await;
}

async fn send_under_fire(db: Db, kills: usize) {
    let seed = seed();
    println!("CAREPOST_TEST_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let [mut sending, mut receiving] = installations([db.another(), db]).await;
    sending.start();
    receiving.start();
    let (sender, reader) = (Person::of(&sending), Person::of(&receiving));
    let over = AtomicBool::new(false);
    let streams = (0..SENDERS).map(|n| stream(&sender, n, &reader.address, &over));
    let fire = async {
        for _ in 0..kills {
            sleep(PAUSE.mul_f64(random.random())).await;
            let victim = if random.random() { &mut sending } else { &mut receiving };
            victim.kill();
            victim.start();
        }
        over.store(true, Ordering::Relaxed);
    };
    let (accepted, ()) = tokio::join!(futures::future::join_all(streams), fire);
    let accepted: BTreeSet<String> = accepted.into_iter().flatten().collect();
    println!("{} messages were accepted under {kills} kills", accepted.len());
    settled(&sender, &reader, &accepted).await;
    let arrived = reader.intake().await;
    let doubled: Vec<_> = arrived.iter().filter(|(_, times)| **times > 1).collect();
    assert!(doubled.is_empty(), "stand more than once in the Intake: {doubled:?}");
}

/// The seed of this run: from the environment, else random.
fn seed() -> u64 {
    match std::env::var("CAREPOST_TEST_SEED") {
        Ok(text) => text.trim().parse().expect("CAREPOST_TEST_SEED is a number"),
        Err(_) => rand::random(),
    }
}

/// Sends messages one after the other until `over` is set. Returns the subjects of the accepted ones.
async fn stream(sender: &Person, number: usize, to: &str, over: &AtomicBool) -> Vec<String> {
    let mut accepted = Vec::new();
    while accepted.len() < AT_LEAST || !over.load(Ordering::Relaxed) {
        let subject = format!("Visit {number}-{}", accepted.len());
        sender.send_message(to, &subject).await;
        accepted.push(subject);
    }
    accepted
}

/// Waits until all accepted messages have arrived, and the sender sees them as delivered.
async fn settled(sender: &Person, reader: &Person, accepted: &BTreeSet<String>) {
    let (mut fewest, mut since) = (usize::MAX, Instant::now());
    loop {
        let arrived = reader.intake().await;
        let lost: Vec<_> = accepted.iter().filter(|subject| !arrived.contains_key(*subject)).collect();
        let unconfirmed = sender.unconfirmed().await;
        if lost.is_empty() && unconfirmed.is_empty() {
            return;
        }
        if lost.len() + unconfirmed.len() < fewest {
            (fewest, since) = (lost.len() + unconfirmed.len(), Instant::now());
        }
        assert!(
            since.elapsed() < TIMEOUT,
            "{} of {} messages did not arrive: {lost:?}; not confirmed: {unconfirmed:?}",
            lost.len(),
            accepted.len()
        );
        sleep(LOOK).await;
    }
}

/// An installation with one practice, its own database, folder and process.
struct Installation {
    db: Db,
    config: PathBuf,
    url: String,
    address: String,
    user_name: String,
    process: Option<Child>,
}

/// The ports of an installation.
struct Ports {
    http: u16,
    smtp: u16,
    dns: u16,
}

impl Ports {
    fn choose() -> Self {
        Self { http: free_port(), smtp: free_port(), dns: free_port() }
    }
}

/// Two installations that trust each other, find each other's certificates in DNS and know each other's mail
/// server.
async fn installations(dbs: [Db; 2]) -> [Installation; 2] {
    let ports = [Ports::choose(), Ports::choose()];
    configure(&dbs[0], "north.example", &ports[0], &ports[1]);
    configure(&dbs[1], "south.example", &ports[1], &ports[0]);
    let [one, other] = dbs;
    let (north, south) = (prepare(one).await, prepare(other).await);
    trust(&north, &south).await;
    trust(&south, &north).await;
    [installation(north, "larkfield", &ports[0]).await, installation(south, "summit", &ports[1]).await]
}

fn config_file(db: &Db) -> PathBuf {
    db.folder().join("carepost.toml")
}

/// Writes the configuration of an installation. Leases and retries are short, so that it recovers quickly
/// from a kill.
fn configure(db: &Db, host: &str, own: &Ports, peer: &Ports) {
    let text = format!(
        "mode = \"production\"\n\
         data_dir = {folder:?}\n\
         [keys]\n\
         master_key_file = {key:?}\n\
         [http]\n\
         listen = \"127.0.0.1:{http}\"\n\
         public_url = \"https://127.0.0.1:{http}\"\n\
         [session]\n\
         require_second_factor = false\n\
         [smtp]\n\
         listen = \"127.0.0.1:{smtp}\"\n\
         smart_host = \"127.0.0.1:{peer_smtp}\"\n\
         [dns]\n\
         listen = \"127.0.0.1:{dns}\"\n\
         nameserver = \"127.0.0.1:{peer_dns}\"\n\
         [direct]\n\
         host = \"{host}\"\n\
         allow_private_networks = true\n\
         retry_seconds = 1\n\
         [workers]\n\
         lease_seconds = 3\n\
         poll_milliseconds = 200\n\
         [log]\n\
         filter = \"warn\"\n",
        folder = db.folder(),
        key = db.folder().join("key"),
        http = own.http,
        smtp = own.smtp,
        dns = own.dns,
        peer_smtp = peer.smtp,
        peer_dns = peer.dns,
    );
    fs::write(config_file(db), text).expect("the configuration is written");
}

/// The application on its database, for adding the fixtures.
async fn prepare(db: Db) -> TestApp {
    // The certificates contain host and address.
    let configure = |config: &mut Config| {
        let key = config.keys.master_key.clone().expect("the application has a key");
        fs::write(config.data_dir.join("key"), key).expect("the key is written");
        let own =
            Config::load(Some(&config.data_dir.join("carepost.toml"))).expect("the configuration is good");
        config.direct = own.direct;
        config.http.public_url = own.http.public_url;
    };
    TestApp::start_with(
        db,
        Options { live: true, configure: Some(Box::new(configure)), ..Options::default() },
    )
    .await
}

/// Makes the authority of one installation a trust anchor of the other.
async fn trust(app: &TestApp, other: &TestApp) {
    let authority = certificate_authority::Entity::find().one(other.store.db()).await.expect("a query");
    let anchor = trust_anchor::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(None),
        bundle_id: Set(None),
        fingerprint: Set("the other installation".into()),
        certificate_pem: Set(authority.expect("an authority").certificate_pem),
        incoming: Set(true),
        outgoing: Set(true),
        requires_revocation: Set(false),
        version: Set(1),
        created_at: Set(app.clock.now()),
    };
    trust_anchor::Entity::insert(anchor).exec_without_returning(app.store.db()).await.expect("an anchor");
}

async fn installation(app: TestApp, sub_domain: &str, ports: &Ports) -> Installation {
    let practice = app.practice(sub_domain).await;
    let made = Installation {
        config: config_file(&app.db),
        url: format!("http://127.0.0.1:{}", ports.http),
        address: practice.address,
        user_name: practice.user.user_name,
        process: None,
        db: app.db.clone(),
    };
    app.finish().await;
    made
}

impl Installation {
    fn start(&mut self) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.db.folder().join("log"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_carepost"));
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("CAREPOST_CONFIG", &self.config).env("CAREPOST_DATABASE__URL", self.db.url());
        command.arg("serve").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.expect("a log"));
        self.process = Some(command.spawn().expect("carepost starts"));
    }

    /// SIGKILL: the process stops immediately.
    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("it can be killed");
            process.wait().expect("it is gone");
        }
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = fs::read_to_string(self.db.folder().join("log")).unwrap_or_default();
            let last: Vec<_> = log.lines().rev().take(60).collect();
            eprintln!("the log of {} ends so:", self.address);
            last.iter().rev().for_each(|line| eprintln!("  {line}"));
        }
    }
}

/// A person with a browser who repeats each request until it is answered.
struct Person {
    http: reqwest::Client,
    url: String,
    user_name: String,
    address: String,
    token: std::sync::Mutex<String>,
}

impl Person {
    fn of(installation: &Installation) -> Self {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().expect("a client");
        Self {
            http,
            url: installation.url.clone(),
            user_name: installation.user_name.clone(),
            address: installation.address.clone(),
            token: std::sync::Mutex::default(),
        }
    }

    /// Gets a token. On failure, returns the answer instead.
    async fn sign_in(&self) -> Result<(), String> {
        let body = json!({ "userName": self.user_name, "password": PASSWORD });
        let request = self.http.post(format!("{}/api/account/login", self.url)).json(&body);
        let answer = request.send().await.map_err(|e| format!("sign-in: {e:?}"))?;
        let status = answer.status();
        let body = answer.text().await.map_err(|e| format!("sign-in: {status} {e:?}"))?;
        let signed_in: Value = serde_json::from_str(&body).unwrap_or_default();
        let token = signed_in["accessToken"].as_str().ok_or_else(|| format!("sign-in: {status} {body}"))?;
        *self.token.lock().expect("the token") = token.to_owned();
        Ok(())
    }

    /// Repeats a call until there is an answer. A server that is down or was killed during the call gives
    /// none.
    ///
    /// # Panics If the answer is a refusal, or if there is none within [`TIMEOUT`].
    async fn call(
        &self,
        method: Method,
        path: &str,
        complete: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Value {
        let since = Instant::now();
        loop {
            let token = self.token.lock().expect("the token").clone();
            let request = self.http.request(method.clone(), format!("{}{path}", self.url)).bearer_auth(token);
            let answered = match complete(request).send().await {
                Ok(answer) => (answer.status(), answer.text().await),
                Err(error) => (StatusCode::BAD_GATEWAY, Err(error)),
            };
            let why = match answered {
                (status, Ok(body)) if status.is_success() => {
                    return serde_json::from_str(&body).unwrap_or_default();
                }
                (StatusCode::UNAUTHORIZED, _) => self.sign_in().await.err(),
                (status, Ok(body)) if !status.is_server_error() => {
                    panic!("{method} {path}: {status} {body}")
                }
                (status, body) => Some(format!("{status} {body:?}")),
            };
            assert!(since.elapsed() < TIMEOUT, "{method} {path} is not answered: {why:?}");
            sleep(LOOK).await;
        }
    }

    async fn send_message(&self, to: &str, subject: &str) {
        let fields = document(&self.address, &[to], subject);
        let draft = self.call(Method::PUT, "/api/messages", |r| r.json(&fields)).await;
        let path = format!("/api/messages/{}", draft["id"].as_str().expect("an id"));
        let meta = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
        let form = || {
            let file = multipart::Part::bytes(b"A short note.\n".to_vec()).file_name("Note.txt");
            multipart::Form::new().text("attachmentMeta", meta.to_string()).part("file", file)
        };
        self.call(Method::POST, &format!("{path}/attachments"), |r| r.multipart(form())).await;
        let key = Uuid::new_v4().to_string();
        let send = format!("{path}/send");
        self.call(Method::POST, &send, |r| r.header("Idempotency-Key", &key).json(&json!({}))).await;
    }

    /// Subjects in the Intake with their number of occurrences.
    async fn intake(&self) -> BTreeMap<String, usize> {
        let mut subjects = BTreeMap::new();
        for page in 1.. {
            let wanted = json!({ "pageStart": page, "pageSize": 100 });
            let list = self.call(Method::POST, "/api/intake", |r| r.json(&wanted)).await;
            let items = list["items"].as_array().expect("items").clone();
            for item in &items {
                *subjects.entry(item["subject"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
            }
            if items.len() < 100 {
                break;
            }
        }
        subjects
    }

    /// Sent messages that are not yet confirmed as delivered.
    async fn unconfirmed(&self) -> Vec<String> {
        let mut open = Vec::new();
        for page in 1.. {
            let path = format!("/api/messages?isDraft=false&pageSize=100&pageStart={page}");
            let list = self.call(Method::GET, &path, |r| r).await;
            let items = list["items"].as_array().expect("items").clone();
            open.extend(
                items
                    .iter()
                    .filter(|item| item["delivery"]["delivered"] != 1)
                    .map(|item| format!("{} {}", item["subject"], item["delivery"])),
            );
            if items.len() < 100 {
                break;
            }
        }
        open
    }
}
