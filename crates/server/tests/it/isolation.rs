//! What belongs to another organization is not there: for every operation that names an id, the owner is answered,
//! and a stranger of the same role is told 404 for that same id, before and after.
//!
//! An operation without a fixture here fails the test.

use platform::Role;
use reqwest::Method;
use serde_json::{Value, json};
use server::openapi;
use testkit::{Answer, Client, Db, Practice, TestApp, document};

testkit::on_both_databases! {
    a_stranger_does_not_find_by_id_what_the_owner_has,
    a_stranger_finds_nothing_in_lists_and_search,
    a_stranger_learns_nothing_from_hubs,
}

/// Operations whose id is not a tenant's. This list may only become shorter.
const EXEMPT: &[(&str, &str)] = &[("brandSettings", "the look of a brand is shown to everybody")];

/// Roles of people who work inside an organization.
const TENANT_ROLES: [Role; 2] = [Role::User, Role::Admin];

#[test]
fn exemptions_name_operations_that_exist() {
    let operations = openapi::operations();
    for (id, _) in EXEMPT {
        assert!(operations.iter().any(|o| o.id == *id), "{id} is gone: remove its exemption");
    }
}

/// Two organizations, and messages of one of them.
struct World {
    app: TestApp,
    owner: Practice,
    partner: Practice,
    stranger: Practice,
    intake: String,
    intake_file: String,
}

const SUBJECT: &str = "Quinquennial xylophone survey";

impl World {
    async fn new(db: Db) -> Self {
        let app = TestApp::start(db).await;
        let owner = app.practice("larkfield").await;
        let partner = app.practice("summit").await;
        let stranger = app.practice("bayline").await;
        partner.client.send_document(&partner.address, &[&owner.address], SUBJECT).await;
        app.drain().await;
        let list = owner.client.post("/api/intake", &json!({})).await.ok();
        let intake = list["items"][0]["id"].as_str().expect("the message arrived").to_owned();
        let message = owner.client.get(&format!("/api/messages/{intake}")).await.ok();
        let intake_file = message["attachments"][0]["id"].as_str().expect("a file").to_owned();
        Self { app, owner, partner, stranger, intake, intake_file }
    }

    async fn draft(&self) -> String {
        self.owner.client.draft(document(&self.owner.address, &[&self.partner.address], SUBJECT)).await
    }

    async fn file(&self, draft: &str) -> String {
        self.owner.client.upload(draft, "Summary of care.xml", summary_of_care(), json!({})).await
    }

    /// A call of the operation that its owner may make.
    async fn call(&self, operation: &str) -> Option<Call> {
        let intake = &self.intake;
        let intake_file = format!("/api/messages/{intake}/attachments/{}", self.intake_file);
        let draft = self.draft().await;
        let path = format!("/api/messages/{draft}");
        let file = self.file(&draft).await;
        let file = format!("{path}/attachments/{file}");
        let answer = json!({ "fromAddress": self.owner.address, "toAddress": self.partner.address });
        Some(match operation {
            "getMessage" => get(format!("/api/messages/{intake}")),
            "updateDraft" => put(path, json!({ "subject": "Changed" })),
            "deleteMessage" => Call::new(Method::DELETE, path, None),
            "putMessagePatient" => put(format!("{path}/patient"), json!({ "firstName": "Aiyana" })),
            "markMessageRead" => put(format!("/api/messages/{intake}/read"), json!({})),
            "processMessage" => {
                put(format!("/api/messages/{intake}/process"), json!({ "isProcessed": true }))
            }
            "assignMessage" => {
                put(format!("/api/messages/{intake}/assign"), json!({ "userId": self.owner.user.id }))
            }
            "copyMessage" => post(format!("/api/messages/{intake}/copy"), json!({})),
            "sendMessage" => post(format!("{path}/send"), json!({})),
            "forwardMessage" => post(format!("{path}/forward"), json!({})),
            "replyMessage" => post(format!("{path}/reply"), answer),
            "uploadAttachment" => Call { file: true, ..post(format!("{path}/attachments"), Value::Null) },
            "getAttachment" => get(intake_file),
            "getAttachmentMetadata" => get(format!("{intake_file}/metadata")),
            "putAttachment" => put(file, json!({ "attachmentMeta": { "documentDescription": "Changed" } })),
            "deleteAttachment" => Call::new(Method::DELETE, file, None),
            "readAttachment" => put(format!("{intake_file}/read"), json!({})),
            "generatePreview" => put(format!("{intake_file}/generatePreview"), json!({})),
            "getOutline" => get(format!("{file}/outline")),
            "requestExtraction" => put(format!("{file}/patient/extract"), json!({})),
            "getExtraction" => get(format!("{file}/patient/extract")),
            "getFilePatient" => get(format!("{file}/patient")),
            "auditEntries" => get(format!("/api/audit/message/{intake}")),
            _ => return None,
        })
    }
}

/// A browser for each role of people of an organization.
struct Staff(Vec<(Role, Client)>);

impl Staff {
    async fn of(app: &TestApp, practice: &Practice) -> Self {
        let user = app.browser_of(&practice.user).await;
        let admin = app.signed_in(Role::Admin, &practice.organization).await;
        Self(vec![(Role::User, user), (Role::Admin, admin)])
    }

    /// Those whose role an operation names.
    fn named(&self, roles: &[String]) -> Vec<&Client> {
        let named = |role: &Role| roles.iter().any(|r| r == role.name());
        self.0.iter().filter(|(role, _)| named(role)).map(|(_, client)| client).collect()
    }
}

struct Call {
    method: Method,
    path: String,
    body: Option<Value>,
    /// Sends a file instead of the body.
    file: bool,
}

impl Call {
    fn new(method: Method, path: String, body: Option<Value>) -> Self {
        Self { method, path, body, file: false }
    }

    async fn by(&self, client: &Client) -> Answer {
        if self.file {
            let message = self.path.split('/').nth(3).expect("an id");
            return client.try_upload(message, "Note.txt", b"A note.\n".to_vec(), json!({})).await;
        }
        let request = client.request(self.method.clone(), &self.path);
        let request = match &self.body {
            Some(body) => request.json(body),
            None => request,
        };
        client.send(request).await
    }
}

fn get(path: String) -> Call {
    Call::new(Method::GET, path, None)
}

fn put(path: String, body: Value) -> Call {
    Call::new(Method::PUT, path, Some(body))
}

fn post(path: String, body: Value) -> Call {
    Call::new(Method::POST, path, Some(body))
}

fn summary_of_care() -> Vec<u8> {
    use documents::samples;
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::ccd_xml(&samples::patients()[0], &samples::practices()[0], day).into_bytes()
}

async fn a_stranger_does_not_find_by_id_what_the_owner_has(db: Db) {
    let world = World::new(db).await;
    let owners = Staff::of(&world.app, &world.owner).await;
    let strangers = Staff::of(&world.app, &world.stranger).await;
    let mut missing = Vec::new();
    for operation in openapi::operations() {
        let of_a_tenant = operation.roles.iter().any(|r| TENANT_ROLES.iter().any(|t| t.name() == r));
        let exempt = EXEMPT.iter().any(|(id, _)| *id == operation.id);
        if !operation.path.contains('{') || !of_a_tenant || exempt {
            continue;
        }
        let Some(call) = world.call(&operation.id).await else {
            missing.push(operation.id);
            continue;
        };
        for stranger in strangers.named(&operation.roles) {
            call.by(stranger).await.problem(404);
        }
        let answer = call.by(owners.named(&operation.roles)[0]).await;
        assert!(answer.status.is_success(), "{}: {} {}", operation.id, answer.status, answer.text());
        for stranger in strangers.named(&operation.roles) {
            call.by(stranger).await.problem(404);
        }
    }
    assert!(missing.is_empty(), "these operations need a fixture in isolation.rs: {missing:?}");
}

async fn a_stranger_finds_nothing_in_lists_and_search(db: Db) {
    let world = World::new(db).await;
    let saved = json!({ "addresses": [world.partner.address] });
    world.owner.client.put("/api/directaddresscache", &saved).await.ok();
    world.draft().await;
    world.owner.client.send_document(&world.owner.address, &[&world.partner.address], SUBJECT).await;
    world.app.drain().await;
    let (mine, theirs) = (&world.owner.client, &world.stranger.client);
    let search = json!({ "filter": "xylophone" });
    for (what, body) in [("/api/intake", json!({})), ("/api/messages", json!({})), ("/api/intake", search)] {
        assert_eq!(mine.post(what, &body).await.ok()["totalCount"], 1, "{what} {body}");
        let found = theirs.post(what, &body).await.ok();
        assert_eq!(found["totalCount"], 0, "{what} {body}");
        assert_eq!(found["items"], json!([]), "{what} {body}");
        assert!(found["counts"].as_object().is_none_or(|c| c.values().all(|n| n == 0)), "{found}");
    }
    for path in [
        "/api/messages?isDraft=true",
        "/api/messages?isDraft=false",
        "/api/messages?isDraft=false&filter=xylophone",
    ] {
        assert_eq!(mine.get(path).await.ok()["totalCount"], 1, "{path}");
        assert_eq!(theirs.get(path).await.ok()["totalCount"], 0, "{path}");
    }
    for path in
        ["/api/directaddresscache", "/api/documentsources/release", "/api/users/assignable", "/api/contacts"]
    {
        let secrets = [&world.owner.address, &world.partner.address, &world.owner.user.id.to_string()];
        let text = theirs.get(path).await.ok().to_string();
        assert!(secrets.iter().all(|secret| !text.contains(*secret)), "{path}: {text}");
    }
}

async fn a_stranger_learns_nothing_from_hubs(db: Db) {
    let world = World::new(db).await;
    let mut owner = world.owner.client.hub("messagepresence").await;
    owner.send(json!({ "type": "open", "messageId": world.intake })).await;
    owner.expect("present").await;

    let own = world.stranger.client.draft(json!({})).await;
    let mut presence = world.stranger.client.hub("messagepresence").await;
    presence.send(json!({ "type": "open", "messageId": world.intake })).await;
    // The answer to the second frame comes first, because there is none to the first.
    presence.send(json!({ "type": "open", "messageId": own })).await;
    assert_eq!(presence.expect("present").await["messageId"], json!(own));

    let file = world.stranger.client.upload(&own, "Letter.pdf", letter(), json!({})).await;
    let mut previews = world.stranger.client.hub("documentprocessing").await;
    let path = format!("/api/messages/{}/attachments/{}/generatePreview", world.intake, world.intake_file);
    world.owner.client.put(&path, &json!({})).await.ok();
    previews.send(json!({ "type": "waitFor", "attachmentId": world.intake_file })).await;
    previews.send(json!({ "type": "waitFor", "attachmentId": file })).await;
    assert_eq!(previews.expect("completed").await["attachmentId"], json!(file));

    let mut lists = world.stranger.client.hub("events").await;
    world.partner.client.send_document(&world.partner.address, &[&world.owner.address], SUBJECT).await;
    world.partner.client.send_document(&world.partner.address, &[&world.stranger.address], SUBJECT).await;
    world.app.drain().await;
    let news = lists.expect("intake").await;
    let found = world.stranger.client.post("/api/intake", &json!({})).await.ok();
    assert_eq!(news["messageId"], found["items"][0]["id"]);
}

/// A PDF needs no conversion, so its preview is there at once.
fn letter() -> Vec<u8> {
    use documents::samples;
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day)
}
