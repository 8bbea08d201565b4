//! `carepost setup`, the server that starts with what it wrote, and its first operator.

use crate::{
    configuration::text,
    doctor::name_server,
    email::{Inbox, mail_server},
};
use serde_json::json;
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::Arc,
};
use tempfile::TempDir;
use testkit::Client;

const OPERATOR: &str = "ola@clinic.test";
const PASSWORD: &str = "violet tram under the bridge";

/// A folder in which somebody sets an installation up, and the mail server that they use.
struct Installation {
    folder: TempDir,
    inbox: Arc<Inbox>,
    _mail: tokio_util::sync::DropGuard,
}

impl Installation {
    async fn new() -> Self {
        let (inbox, port, guard) = mail_server().await;
        let folder = tempfile::tempdir().expect("a folder");
        let answers = format!(
            r##"
            public-url = "https://localhost"
            listen = "127.0.0.1:0"
            data-dir = "{data}"
            mail-host = "127.0.0.1"
            mail-port = "{port}"
            mail-encryption = "none"
            mail-from = "Clinic Exchange <no-reply@clinic.test>"
            test-mail-to = "{OPERATOR}"
            direct-host = "clinic.test"
            smtp-hostname = "localhost"
            smtp-listen = "127.0.0.1:0"
            nameserver = "{dns}"
            brand-name = "Clinic Exchange"
            brand-color = "#7c3671"
            "##,
            data = folder.path().join("data").display(),
            dns = name_server(),
        );
        fs::write(folder.path().join("answers.toml"), answers).expect("the answers are written");
        Self { folder, inbox, _mail: guard }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Runs `carepost setup` as automation does.
    async fn set_up(&self, more: &[&str]) -> Output {
        let (config, answers) = (self.path("carepost.toml"), self.path("answers.toml"));
        let arguments = ["setup", "--config", &config, "--answers", &answers];
        let arguments: Vec<_> = arguments.iter().chain(more).map(|text| (*text).to_owned()).collect();
        // The mail server answers meanwhile.
        let run = move || Command::new(env!("CARGO_BIN_EXE_carepost")).args(arguments).output();
        tokio::task::spawn_blocking(run).await.expect("it ends").expect("carepost starts")
    }

    fn mails_to(&self, address: &str) -> Vec<String> {
        self.inbox.mails().into_iter().filter(|mail| mail.contains(address)).collect()
    }
}

struct Server {
    process: Child,
    address: String,
    /// What it printed before it listened and after.
    said: String,
}

impl Server {
    fn start(config: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_carepost"))
            .args(["serve", "--config", config])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("carepost starts");
        let mut said = String::new();
        for line in BufReader::new(process.stdout.take().expect("a pipe")).lines().map_while(Result::ok) {
            said += &line;
            said.push('\n');
            if line.starts_with("Open ") {
                break;
            }
        }
        let address = said.lines().find_map(|line| line.strip_prefix("HTTP listens on "));
        let address = format!("http://{}", address.expect("it says where it listens"));
        Self { process, address, said }
    }

    fn client(&self) -> Client {
        Client::new(self.address.clone())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The token of the link in a text.
fn token_in(text: &str) -> String {
    let plain = text.replace("=\r\n", "");
    let link =
        plain.split_once("/setup#").or_else(|| plain.split_once("/account/password#")).expect("a link").1;
    link.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect()
}

fn mode(path: &str) -> u32 {
    fs::metadata(Path::new(path)).expect("the file").permissions().mode() & 0o777
}

#[tokio::test]
async fn setup_writes_what_the_server_starts_with_and_can_be_repeated() {
    let installation = Installation::new().await;
    let output = installation.set_up(&[]).await;
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    for words in [
        "took a test e-mail",
        "takes documents and gives them back",
        "The built-in authority issues",
        "become its first operator",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(installation.mails_to(OPERATOR).len(), 1, "the test e-mail arrived");
    let key = fs::read_to_string(installation.path("master.key")).expect("a key");
    assert_eq!(mode(&installation.path("master.key")), 0o600);
    let config = fs::read_to_string(installation.path("carepost.toml")).expect("a configuration");
    assert!(config.contains("mode = \"production\"") && !config.contains(key.trim()), "{config}");

    let again = installation.set_up(&["--brand-name", "Bluestem Exchange"]).await;
    assert!(again.status.success(), "{}", text(&again.stdout));
    assert_eq!(fs::read_to_string(installation.path("master.key")).expect("a key"), key);
    assert_eq!(fs::read_to_string(installation.path("carepost.toml")).expect("a configuration"), config);
    assert!(text(&again.stdout).contains("People see Bluestem Exchange."));
}

#[tokio::test]
async fn setup_refuses_a_public_address_without_tls_and_a_mail_server_that_is_none() {
    let installation = Installation::new().await;
    let output = installation.set_up(&["--public-url", "http://localhost", "--mail-port", "9"]).await;
    let said = text(&output.stdout);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("production mode needs an http.public_url that begins with https"), "{said}");
    assert!(!Path::new(&installation.path("carepost.toml")).exists(), "nothing is written that cannot start");
    let output = installation.set_up(&["--mail-port", "9"]).await;
    let said = text(&output.stdout);
    assert!(!output.status.success() && said.contains("127.0.0.1: it cannot be reached at port 9"), "{said}");
}

#[tokio::test]
async fn the_link_of_the_terminal_makes_one_operator() {
    let installation = Installation::new().await;
    installation.set_up(&[]).await;
    let config = installation.path("carepost.toml");
    let token = token_in(&text(&installation.set_up(&[]).await.stdout));
    let server = Server::start(&config);
    assert!(server.said.contains("carepost setup"), "it names the way to a link: {}", server.said);
    let client = server.client();
    client.post("/api/setup/link", &json!({ "token": "not-the-token" })).await.problem(409);
    let wrong = json!({ "token": "not-the-token", "email": OPERATOR, "firstName": "O", "lastName": "B", "password": PASSWORD });
    client.post("/api/setup/operator", &wrong).await.problem(409);
    let short =
        json!({ "token": token, "email": OPERATOR, "firstName": "O", "lastName": "B", "password": "short" });
    assert_eq!(
        client.post("/api/setup/operator", &short).await.texts("password"),
        ["Please use at least 15 characters."]
    );
    let operator = first_operator(&server, &token).await;
    let shown = operator.get("/api/setup").await.ok();
    assert_eq!(shown["configFile"], config.as_str());
    assert_eq!(shown["steps"].as_array().map(Vec::len), Some(11));
    let url = &shown["steps"][0]["settings"][0];
    assert_eq!((&url["value"], &url["source"]), (&json!("https://localhost/"), &json!("file")));
    let tested = operator.post("/api/setup/storage/test", &json!({})).await.ok();
    assert_eq!((&tested["state"], &tested["summary"]), (&json!("done"), &json!("The embedded database")));
    client.post("/api/setup/link", &json!({ "token": token })).await.problem(409);
    let second = json!({ "token": token, "email": "eve@clinic.test", "firstName": "E", "lastName": "V", "password": PASSWORD });
    client.post("/api/setup/operator", &second).await.problem(409);
}

async fn first_operator(server: &Server, token: &str) -> Client {
    let client = server.client();
    client.post("/api/setup/link", &json!({ "token": token })).await.ok();
    let form = json!({ "token": token, "email": OPERATOR, "firstName": "Ola", "lastName": "Berg", "password": PASSWORD });
    let grant = client.post("/api/setup/operator", &form).await.ok();
    client.set_token(grant["accessToken"].as_str().expect("a token"));
    client
}
