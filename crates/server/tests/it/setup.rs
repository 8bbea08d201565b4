//! From an empty folder to a first message between two organizations, with the means of an operator:
//! `carepost setup`, the server, and the calls of the web app.

use crate::{
    configuration::text,
    doctor::name_server,
    email::{Inbox, mail_server},
};
use reqwest::{
    Method, StatusCode,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;
use testkit::Client;

const OPERATOR: &str = "ola@clinic.test";
const PASSWORD: &str = "violet tram under the bridge";

/// Folder of an installation that is being set up, and its mail server.
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

    /// Runs `carepost setup` without prompts, as automation does.
    async fn set_up(&self, more: &[&str]) -> Output {
        let (config, answers) = (self.path("carepost.toml"), self.path("answers.toml"));
        let arguments = ["setup", "--config", &config, "--answers", &answers];
        let arguments: Vec<_> = arguments.iter().chain(more).map(|text| (*text).to_owned()).collect();
        // The mail server answers in the meantime.
        let run = move || Command::new(env!("CARGO_BIN_EXE_carepost")).args(arguments).output();
        tokio::task::spawn_blocking(run).await.expect("it ends").expect("carepost starts")
    }

    fn mails_to(&self, address: &str) -> Vec<String> {
        self.inbox.mails().into_iter().filter(|mail| mail.contains(address)).collect()
    }

    /// Waits for a mail to an address, beyond the first `before` ones.
    async fn mail_to(&self, address: &str, before: usize) -> String {
        eventually(async || self.mails_to(address).get(before).cloned()).await
    }
}

/// Waits up to a minute for a result.
async fn eventually<T>(look: impl AsyncFn() -> Option<T>) -> T {
    for _ in 0..300 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("it did not come within a minute");
}

struct Server {
    process: Child,
    address: String,
    /// Output during the start.
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

/// The six digits in the subject.
fn code_in(mail: &str) -> String {
    let subject = mail.lines().find(|line| line.starts_with("Subject:")).expect("a subject");
    subject.chars().filter(char::is_ascii_digit).take(6).collect()
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
        "accepted a test e-mail",
        "stores and returns documents",
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
async fn setup_wants_a_direct_domain_and_makes_the_authority_anew_for_another_one() {
    let installation = Installation::new().await;
    let output = installation.set_up(&["--direct-host", ""]).await;
    let said = text(&output.stdout);
    assert!(!output.status.success() && said.contains("direct.host: set it to your own domain"), "{said}");
    assert!(!Path::new(&installation.path("carepost.toml")).exists(), "nothing is written that cannot start");
    installation.set_up(&[]).await;
    let said = text(&installation.set_up(&["--direct-host", "other.test"]).await.stdout);
    assert!(said.contains("The built-in authority was made anew for other.test"), "{said}");
    let said = text(&installation.set_up(&["--direct-host", "other.test"]).await.stdout);
    assert!(said.contains("The built-in authority issues certificates"), "{said}");
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

/// The first choice of a list in a form.
async fn first_of(operator: &Client, path: &str, list: &str) -> Value {
    operator.get(path).await.ok()[list][0]["id"].clone()
}

/// SES-R-001 and all steps before a message: no sample data, no SQL statements.
#[tokio::test]
async fn an_empty_folder_becomes_an_installation_whose_organizations_write_to_each_other() {
    let installation = Installation::new().await;
    let output = installation.set_up(&[]).await;
    let server = Server::start(&installation.path("carepost.toml"));
    let branding = server.client().get("/api/branding").await.ok();
    assert_eq!((&branding["displayName"], &branding["demo"]), (&json!("Clinic Exchange"), &json!(false)));
    let operator = first_operator(&server, &token_in(&text(&output.stdout))).await;

    let larkfield = organization(&operator, "Larkfield Family Medicine", "larkfield").await;
    let summit = organization(&operator, "Summit Orthopedics", "summit").await;
    let dana = administrator(&installation, &server, &operator, &larkfield, "dana@larkfield.test").await;
    let sam = administrator(&installation, &server, &operator, &summit, "sam@summit.test").await;
    for (organization, administrator) in [(&larkfield, &dana), (&summit, &sam)] {
        onboard(&operator, organization, administrator).await;
    }
    let path = format!("/api/settings/directaddresses?organizationId={summit}");
    let form = json!({ "localPart": "FrontDesk", "displayName": "Front desk" });
    let made = operator.post(&path, &form).await.ok();
    let id = made["id"].as_str().expect("an id");
    let activation = format!("/api/settings/directaddresses/{id}/activate?organizationId={summit}");
    operator.post(&activation, &json!({})).await.ok();
    let again = operator.post(&path, &json!({ "localPart": "frontdesk", "displayName": "x" })).await;
    assert_eq!(again.texts("localPart"), ["This address is in use or was used before."]);

    dana.send_document(
        "records@larkfield.direct.clinic.test",
        &["frontdesk@summit.direct.clinic.test"],
        "Referral",
    )
    .await;
    eventually(async || {
        let body = json!({ "isAll": true, "startDate": "2000-01-01", "pageStart": 1, "pageSize": 10 });
        let found = sam.post("/api/messages", &body).await.ok();
        found["items"].as_array()?.iter().any(|message| message["subject"] == "Referral").then_some(())
    })
    .await;
    eventually(async || {
        let steps = operator.get("/api/setup").await.ok()["steps"].clone();
        (steps[10]["state"] == "done").then_some(())
    })
    .await;
}

async fn organization(operator: &Client, name: &str, sub_domain: &str) -> String {
    let form = json!({
        "name": name,
        "subDomain": sub_domain,
        "brandId": first_of(operator, "/api/admin/brands", "data").await,
        "organizationTypeId": first_of(operator, "/api/organizations/types", "items").await,
        "organizationSpecialtyId": first_of(operator, "/api/organizations/specialties", "items").await,
        "hispProviderId": first_of(operator, "/api/admin/documentsources/documentsourceproviders", "items").await,
        "activationStatus": "NotActivated",
        "street": "418 Orchard Lane", "city": "Larkfield", "state": "OH", "zip": "43999",
        "primaryContactFirstName": "Dana", "primaryContactLastName": "Whitfield",
        "primaryContactEmail": "office@larkfield.test",
    });
    operator.post("/api/organizations", &form).await.ok()["id"].as_str().expect("an id").to_owned()
}

/// The first administrator of an organization: invited, with their own password, signed in with an e-mailed
/// code.
async fn administrator(
    installation: &Installation,
    server: &Server,
    operator: &Client,
    organization: &str,
    address: &str,
) -> Client {
    let form = json!({
        "organizationId": organization,
        "emailCreatePassword": true,
        "userDetails": {
            "userName": address, "firstName": "First", "lastName": "Administrator", "roleName": "Administrator",
            "jobFunctionId": first_of(operator, "/api/users/jobs", "items").await, "idProofStatus": "NotPassed",
        },
    });
    operator.post("/api/admin/users", &form).await.ok();
    let client = server.client();
    let token = token_in(&installation.mail_to(address, 0).await);
    client.post("/api/account/password/set", &json!({ "token": token, "password": PASSWORD })).await.ok();
    let sign_in = json!({ "userName": address, "password": PASSWORD });
    let challenge = client.post("/api/account/login", &sign_in).await.ok()["challenge"].clone();
    let before = installation.mails_to(address).len();
    client.post("/api/account/login/email", &json!({ "challenge": challenge })).await.ok();
    let code = code_in(&installation.mail_to(address, before).await);
    let answer = json!({ "challenge": challenge, "method": "email", "code": code });
    let grant = client.post("/api/account/login/code", &answer).await.ok();
    client.set_token(grant["accessToken"].as_str().expect("a token"));
    client
}

/// Terms, a photo ID, the operator's decision and activation; the workers then issue certificate and address.
async fn onboard(operator: &Client, organization: &str, administrator: &Client) {
    let terms = administrator.get("/api/account/terms").await.ok();
    let read = json!({ "type": terms["type"], "version": terms["version"] });
    administrator.post("/api/account/terms", &read).await.ok();
    let identity = json!({
        "firstName": "First", "lastName": "Administrator", "dateOfBirth": "03/14/75", "ssn": "987-65-4321",
        "phoneNumber": "(555) 010-0199",
        "currentAddress": { "addressLine": "12 Birch Lane", "city": "Larkfield", "state": "OH", "zip": "43999" },
    });
    administrator.post("/api/identityproofing", &identity).await.ok();
    let scan = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n".to_vec();
    let form = Form::new().part("file", Part::bytes(scan).file_name("licence.pdf"));
    let upload = administrator.request(Method::POST, "/api/identityproofing/document").multipart(form);
    administrator.send(upload).await.ok();
    let waiting = operator.get("/api/admin/users/idproof").await.ok();
    let items = waiting["items"].as_array().expect("a list");
    let item = items.iter().find(|item| item["organizationId"] == organization).expect("it waits");
    let user = item["userId"].as_str().or(item["id"].as_str()).expect("a user");
    let decision =
        json!({ "userId": user, "organizationId": organization, "passed": true, "sendEmail": false });
    operator.post("/api/admin/users/idproof", &decision).await.ok();
    let activation = json!({ "activated": true, "sendEmail": false, "seedRecords": true });
    operator.put(&format!("/api/organizations/{organization}/activate"), &activation).await.ok();
    let path = format!("/api/settings/directaddresses?organizationId={organization}");
    eventually(async || {
        let answer = operator.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK);
        (answer.ok()["totalCount"] == 1).then_some(())
    })
    .await;
}
