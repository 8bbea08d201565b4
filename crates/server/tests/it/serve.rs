//! The program in the hands of an operator.

use crate::configuration::{carepost, text};
use std::{
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    process::{Child, Command, ExitStatus, Stdio},
};
use tempfile::TempDir;

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER_KEY: &str = "HxscGRobHB0eHwABAgMEBQYHCAkKCwwNDg8QERITFBU=";

/// A node of a production installation in its own folder.
struct Running {
    process: Child,
    address: String,
    _folder: TempDir,
}

impl Running {
    fn start() -> Self {
        Self::start_in(tempfile::tempdir().expect("a folder"), &[])
    }

    fn start_in(folder: TempDir, more: &[(&str, &str)]) -> Self {
        let data = folder.path().display().to_string();
        let mut process = Command::new(env!("CARGO_BIN_EXE_carepost"))
            .arg("serve")
            .envs(environment(&data, KEY))
            .envs(more.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("carepost starts");
        let said = BufReader::new(process.stdout.take().expect("a pipe"));
        let address = said
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("HTTP listens on ").map(str::to_owned))
            .expect("it says where it listens");
        Self { process, address, _folder: folder }
    }

    /// Terminates the node as a service manager does; returns its status and its log.
    fn terminate(mut self) -> (ExitStatus, String) {
        let kill = format!("kill -TERM {}", self.process.id());
        Command::new("sh").args(["-c", &kill]).status().expect("the signal is sent");
        let mut log = String::new();
        let mut pipe = self.process.stderr.take().expect("a pipe");
        pipe.read_to_string(&mut log).expect("the log");
        (self.process.wait().expect("it ends"), log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

fn environment<'a>(data: &'a str, key: &'a str) -> [(&'a str, &'a str); 8] {
    [
        ("CAREPOST_MODE", "production"),
        ("CAREPOST_DATA_DIR", data),
        ("CAREPOST_KEYS__MASTER_KEY", key),
        ("CAREPOST_HTTP__LISTEN", "127.0.0.1:0"),
        ("CAREPOST_HTTP__PUBLIC_URL", "https://care.example"),
        ("CAREPOST_DIRECT__HOST", "care.example"),
        ("CAREPOST_SMTP__LISTEN", "127.0.0.1:0"),
        ("CAREPOST_DNS__NAMESERVER", "127.0.0.1:9"),
    ]
}

#[tokio::test]
async fn a_node_stops_cleanly_when_it_is_told_to() {
    let node = Running::start();
    let branding = reqwest::get(format!("http://{}/api/branding", node.address)).await.expect("an answer");
    assert!(branding.text().await.expect("text").contains("\"demo\":false"));
    let (status, log) = node.terminate();
    assert!(status.success(), "{log}");
}

#[tokio::test]
async fn the_log_names_paths_and_never_query_strings_or_bodies() {
    let node = Running::start();
    let client = reqwest::Client::new();
    let url = |path: &str| format!("http://{}{path}", node.address);
    client.get(url("/api/contacts?search=Tenney")).send().await.expect("an answer");
    let body = r#"{"userName":"marisol@example.org","password":"open sesame"}"#;
    let login = client.post(url("/api/account/login")).header("content-type", "application/json").body(body);
    login.send().await.expect("an answer");
    let (_, log) = node.terminate();
    assert!(log.contains("/api/contacts") && log.contains("/api/account/login"), "{log}");
    for secret in ["Tenney", "search=", "marisol", "sesame"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[tokio::test]
async fn the_log_says_who_asked_by_id_and_from_where_by_a_keyed_hash() {
    const PASSWORD: &str = "a password that is long enough";
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let file = folder.path().join("password");
    std::fs::write(&file, PASSWORD).expect("the file is written");
    let file = file.display().to_string();
    let create =
        ["create-sysadmin", "--user-name", "root@ops.example", "--first-name", "A", "--last-name", "B"];
    let made = carepost(&[&create[..], &["--password-file", &file]].concat(), &environment(&data, KEY));
    assert!(made.status.success(), "{}", text(&made.stderr));
    let node = Running::start_in(folder, &[("CAREPOST_SESSION__REQUIRE_SECOND_FACTOR", "false")]);
    let client = reqwest::Client::new();
    let url = |path: &str| format!("http://{}{path}", node.address);
    let body = serde_json::json!({ "userName": "root@ops.example", "password": PASSWORD });
    let signed_in = client.post(url("/api/account/login")).json(&body).send().await.expect("an answer");
    let signed_in: serde_json::Value = signed_in.json().await.expect("an answer");
    let token = signed_in["accessToken"].as_str().expect("a token");
    let asked = client.get(url("/api/users/profiledata")).bearer_auth(token).send().await.expect("an answer");
    assert!(asked.status().is_success());
    let (_, log) = node.terminate();
    let line = |path: &str| log.lines().find(|line| line.contains(path)).expect("a line").to_owned();
    let (login, profile) = (line("/api/account/login"), line("/api/users/profiledata"));
    assert!(profile.contains("user=") && !login.contains("user="), "{log}");
    let client =
        |line: &str| line.split("client=").nth(1).and_then(|rest| rest.get(1..17)).map(str::to_owned);
    assert!(client(&login).is_some() && client(&login) == client(&profile), "{log}");
    assert!(!login.contains("127.0.0.1") && !profile.contains("127.0.0.1"), "{log}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let data = folder.path().display().to_string();
    let mut environment = environment(&data, KEY).to_vec();
    environment.push(("CAREPOST_HTTP__LISTEN", &address));
    let output = carepost(&["serve"], &environment);
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains(&format!("HTTP cannot listen on {address}")), "{said}");
}

#[test]
fn two_nodes_do_not_share_the_folder_of_an_embedded_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let held = std::fs::File::create(folder.path().join("carepost.lock")).expect("the lock file");
    held.try_lock().expect("the lock");
    let output = carepost(&["serve"], &environment(&data, KEY));
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains(&format!("another node runs on the data folder {data}")), "{said}");
}

#[test]
fn a_node_does_not_start_with_a_master_key_that_does_not_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let account = ["--user-name", "root@ops.example", "--first-name", "Ola", "--last-name", "Brandt"];
    let password = folder.path().join("password");
    std::fs::write(&password, "a password that is long enough").expect("the file is written");
    let file = password.display().to_string();
    let create = [&["create-sysadmin"], &account[..], &["--password-file", &file]].concat();
    assert!(carepost(&create, &environment(&data, KEY)).status.success());
    let output = carepost(&["serve"], &environment(&data, OTHER_KEY));
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("does not fit this database"), "{}", text(&output.stderr));
}

#[test]
fn a_system_administrator_needs_an_address_for_the_first_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let password = folder.path().join("password");
    std::fs::write(&password, "a password that is long enough").expect("the file is written");
    let file = password.display().to_string();
    let create = ["create-sysadmin", "--user-name", "root", "--first-name", "A", "--last-name", "B"];
    let create = [&create[..], &["--password-file", &file]].concat();
    let output = carepost(&create, &environment(&data, KEY));
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("--email"), "{}", text(&output.stderr));
    let with_address = [&create[..], &["--email", "root@ops.example"]].concat();
    assert!(carepost(&with_address, &environment(&data, KEY)).status.success());
}

#[test]
fn a_short_password_makes_no_system_administrator() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let password = folder.path().join("password");
    std::fs::write(&password, "14 characters.").expect("the file is written");
    let file = password.display().to_string();
    let create = ["create-sysadmin", "--user-name", "x@ops.example", "--first-name", "A", "--last-name", "B"];
    let output = carepost(&[&create[..], &["--password-file", &file]].concat(), &environment(&data, KEY));
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("at least 15 characters"), "{}", text(&output.stderr));
}
