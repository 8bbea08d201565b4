//! Two organizations with data of every kind.

use super::operations::{OF_A_SYSTEM, Operation, TENANT_ROLES};
use chrono::DateTime;
use platform::{Config, Role, secret::token_hash};
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::Expr,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::entities::reseller::ResellerKind;
use store::entities::string_list::StringList;
use store::entities::{
    app_user, attachment, attachment_original, document_source, document_type, organization, passkey, plan,
    proofing_document, reference_item, reseller, service_account, session,
};
use testkit::{Answer, Client, Db, Options, Practice, Source, TestApp, User, document};
use uuid::Uuid;

/// Idle time of sessions in the owner's organization, in minutes. The stranger's differs.
pub const OWNERS_IDLE_MINUTES: u32 = 23;

pub const SUBJECT: &str = "Quinquennial xylophone survey";

pub type Ids = BTreeMap<String, String>;

/// An organization with people of each role, and data of every kind.
pub struct Side {
    pub practice: Practice,
    pub people: Vec<(Role, User, Client)>,
    /// A system of the practice.
    pub system: Client,
    pub partner: String,
    pub intake: String,
    pub intake_file: String,
    /// A batch that can be filed, and its only file.
    pub batch: String,
    pub batch_file: String,
    /// A message from another batch.
    pub triaged: String,
    /// Finished exports of its people.
    pub exports: BTreeMap<Role, String>,
    pub release_type: Uuid,
    /// A plan offered to this organization only, and its subscription.
    pub plan: Uuid,
    pub subscription: String,
    /// The network of the network administrator.
    pub network: Uuid,
    /// A person who has not accepted the invitation.
    pub invited: User,
    pub source: Uuid,
    pub job: Uuid,
    pub db: store::Database,
    /// Texts that are shown to the owner only.
    pub marks: Vec<String>,
}

pub struct World {
    pub app: TestApp,
    pub owner: Side,
    pub stranger: Side,
    pub partner: Practice,
    pub visitor: Client,
}

impl World {
    pub async fn new(db: Db) -> Self {
        Self::configured(db, |_| {}).await
    }

    pub async fn configured(db: Db, configure: impl Fn(&mut Config) + Send + 'static) -> Self {
        let configure = move |config: &mut Config| {
            config.proofing.attempts_per_day = 1000;
            configure(config);
        };
        let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
        let app = TestApp::start_with(db, options).await;
        let partner = app.practice("summit").await;
        let owner = Side::new(&app, "larkfield", &partner, SUBJECT).await;
        let stranger = Side::new(&app, "bayline", &partner, "Nothing of interest").await;
        furnish(&app, &owner).await;
        let visitor = app.client();
        Self { app, owner, stranger, partner, visitor }
    }
}

/// Adds data that only the owner's organization has, besides its messages.
pub async fn furnish(app: &TestApp, owner: &Side) {
    let db = app.store.db();
    let id = owner.practice.organization.id;
    app.enable(&owner.practice.organization, "OptimizedIntake").await;
    let kind = document_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(id)),
        name: Set("Larkfield intake form".into()),
        name_key: Set("larkfield intake form".into()),
        source: Set("organization".into()),
        code: Set(String::new()),
        version: Set(1),
    };
    document_type::Entity::insert(kind).exec_without_returning(db).await.expect("a document type");
    organization::Entity::update_many()
        .col_expr(
            organization::Column::Settings,
            Expr::value(json!({
                "interoperability": { "exportMode": "print" }, "security": { "idleMinutes": OWNERS_IDLE_MINUTES },
            })),
        )
        .filter(organization::Column::Id.eq(id))
        .exec(db)
        .await
        .expect("settings");
}

impl Side {
    pub async fn new(app: &TestApp, sub_domain: &str, partner: &Practice, subject: &str) -> Self {
        let practice = app.practice(sub_domain).await;
        app.enable(&practice.organization, "WestFaxInterface").await;
        let people = people(app, &practice).await;
        partner.client.send_document(&partner.address, &[&practice.address], subject).await;
        app.drain().await;
        let list = practice.client.post("/api/intake", &json!({})).await.ok();
        let intake = text(&list["items"][0]["id"]);
        let message = practice.client.get(&format!("/api/messages/{intake}")).await.ok();
        let intake_file = text(&message["attachments"][0]["id"]);
        let (filed, _) = batch(app, &practice.client).await;
        let file = format!("/api/triage/{filed}/file");
        let filing = practice.client.post(&file, &json!({ "version": 2 })).await.ok();
        app.drain().await;
        let triaged = text(&filing["documents"][0]["messageId"]);
        let (batch, batch_file) = batch(app, &practice.client).await;
        let exports = exports(app, &people, &intake).await;
        let saved = format!("archive@{sub_domain}.example");
        let before = practice.client.get("/api/directaddresscache").await.ok();
        let addresses = json!({ "addresses": [saved], "version": before["version"] });
        practice.client.put("/api/directaddresscache", &addresses).await.ok();
        let name = format!("Referral of {}", practice.organization.sub_domain);
        let release_type = app.release_type(&practice.organization, &name).await;
        let mut marks = vec![
            subject.to_owned(),
            practice.address.clone(),
            practice.user.id.to_string(),
            practice.organization.id.to_string(),
            format!("{sub_domain} practice"),
            saved,
            release_type.to_string(),
            intake.clone(),
            intake_file.clone(),
            batch.clone(),
        ];
        marks.extend(exports.values().cloned());
        marks.extend(people.iter().map(|(_, user, _)| user.id.to_string()));
        let network = network_of(app, practice.organization.id, &people).await;
        marks.push(network.to_string());
        let (plan, subscription) = subscribe(app, &practice, &people).await;
        marks.push(subscription.clone());
        let (invited, db) = (invited(app, &practice).await, app.store.db().clone());
        let system = app.system_of(&practice.organization).await;
        let (source, job) = (source_of(app, &practice).await.id, job(app).await);
        let partner = partner.address.clone();
        Self {
            partner,
            practice,
            people,
            system,
            intake,
            intake_file,
            batch,
            batch_file,
            triaged,
            exports,
            release_type,
            plan,
            subscription,
            network,
            invited,
            source,
            job,
            db,
            marks,
        }
    }

    /// An unusable passkey of a person.
    pub async fn passkey(&self, role: Role) -> String {
        let id = Uuid::now_v7();
        let row = passkey::ActiveModel {
            id: Set(id),
            user_id: Set(self.user(role).id),
            name: Set("Key".into()),
            credential_id: Set(id.as_bytes().to_vec()),
            credential: Set("{}".into()),
            created_at: Set(chrono::DateTime::UNIX_EPOCH),
            last_used_at: Set(None),
        };
        passkey::Entity::insert(row).exec_without_returning(&self.db).await.expect("a passkey");
        id.to_string()
    }

    /// Restores the service account, which operations close or give a new token.
    pub async fn restore_service_account(&self) {
        let token = self.browser(Role::Service).token();
        let row = service_account::ActiveModel {
            id: Set(Uuid::now_v7()),
            network_id: Set(Some(self.network)),
            organization_id: Set(None),
            name: Set(String::new()),
            allowed_address_count: Set(200),
            client_id: Set(format!("system-of-{}", self.network)),
            token_hash: Set(token_hash(&token)),
            is_enabled: Set(true),
            allowed_addresses: Set(json!(["127.0.0.0/8", "::1"])),
            version: Set(1),
            created_at: Set(DateTime::UNIX_EPOCH),
            token_issued_at: Set(DateTime::UNIX_EPOCH),
            last_used_at: Set(None),
            last_used_from: Set(None),
            last_refused_at: Set(None),
            last_refused_from: Set(None),
        };
        service_account::Entity::delete_many()
            .filter(service_account::Column::NetworkId.eq(self.network))
            .exec(&self.db)
            .await
            .expect("service accounts");
        service_account::Entity::insert(row)
            .exec_without_returning(&self.db)
            .await
            .expect("a service account");
    }

    /// Another session of a person.
    pub async fn session(&self, role: Role) -> String {
        let of_user = session::Column::UserId.eq(self.user(role).id);
        let row = session::Entity::find().filter(of_user).one(&self.db).await.expect("sessions");
        let id = Uuid::now_v7();
        let mut row = row.expect("a session").into_active_model().reset_all();
        row.id = Set(id);
        session::Entity::insert(row).exec_without_returning(&self.db).await.expect("a session");
        id.to_string()
    }

    /// Marks the identity of the organization as unproven for operations of identity proofing, else as
    /// proven.
    pub async fn begin_proofing(&self, operation: &Operation) {
        let db = &self.db;
        let proving = operation.entry.path.starts_with("/api/identityproofing");
        let id = self.practice.organization.id;
        let proofed_at = (!proving).then(|| DateTime::from_timestamp(1_790_000_000, 0).expect("a time"));
        organization::Entity::update_many()
            .col_expr(organization::Column::IdProofedAt, Expr::value(proofed_at))
            .filter(organization::Column::Id.eq(id))
            .exec(db)
            .await
            .expect("an organization");
        proofing_document::Entity::delete_many()
            .filter(proofing_document::Column::OrganizationId.eq(id))
            .exec(db)
            .await
            .expect("documents");
    }

    /// An unanswered quiz.
    pub async fn quiz(&self, role: Role) -> String {
        text(&self.browser(role).post("/api/identityproofing", &identity()).await.ok()["quizId"])
    }

    pub fn user(&self, role: Role) -> &User {
        &self.people.iter().find(|(r, _, _)| *r == role).expect("somebody of each role").1
    }

    pub fn browser(&self, role: Role) -> &Client {
        &self.people.iter().find(|(r, _, _)| *r == role).expect("somebody of each role").2
    }

    /// The client for an operation: the practice's system for operations on messages, that of its network for
    /// others.
    fn caller(&self, operation: &Operation, role: Role) -> &Client {
        let deals_with_messages = OF_A_SYSTEM.contains(&operation.id());
        if role == Role::Service && deals_with_messages { &self.system } else { self.browser(role) }
    }

    pub async fn draft(&self) -> String {
        let fields = document(&self.practice.address, &[&self.partner], &self.marks[0]);
        self.practice.client.draft(fields).await
    }

    pub async fn file(&self, draft: &str, operation: &str) -> String {
        let (name, content) = match operation {
            "getOutline" => ("Summary of care.xml", summary_of_care()),
            "listAttachmentParts" | "openAttachmentPart" => ("Letter.eml", letter_with_mail()),
            _ => ("Note.txt", b"A note.\n".to_vec()),
        };
        let client = &self.practice.client;
        let file = client.upload(draft, name, content, json!({})).await;
        match operation {
            "getExtraction" => {
                let path = format!("/api/messages/{draft}/attachments/{file}/patient/extract");
                client.put(&path, &json!({})).await.ok();
            }
            "restoreAttachment" => self.mark_as_converted(&file).await,
            _ => {}
        }
        file
    }

    /// Marks a file as converted to its present content.
    async fn mark_as_converted(&self, file: &str) {
        let id: Uuid = file.parse().expect("an id");
        let row = attachment::Entity::find_by_id(id).one(&self.db).await.expect("files").expect("the file");
        let original = attachment_original::ActiveModel {
            attachment_id: Set(id),
            sealed_name: Set(row.sealed_name.clone()),
            kind: Set(row.kind.clone()),
            mime_type: Set(row.mime_type.clone()),
            size_bytes: Set(row.size_bytes),
            blob_id: Set(row.blob_id),
            pdf_blob_id: Set(row.pdf_blob_id),
            preview_state: Set(row.preview_state),
            preview_error: Set(None),
            page_count: Set(None),
        };
        attachment_original::Entity::insert(original).exec_without_returning(&self.db).await.expect("a row");
        let converted =
            attachment::ActiveModel { id: Set(id), is_converted: Set(true), ..Default::default() };
        converted.update(&self.db).await.expect("the file");
    }

    pub async fn offer_delivery_summaries(&self) {
        let found = organization::Entity::find_by_id(self.practice.organization.id).one(&self.db).await;
        let row = found.expect("organizations").expect("the practice");
        let mut settings = row.settings;
        settings["interoperability"]["deliverySummaryEnableDownload"] = json!(true);
        let row =
            organization::ActiveModel { id: Set(row.id), settings: Set(settings), ..Default::default() };
        row.update(&self.db).await.expect("an organization");
    }

    /// Calls an operation with these ids.
    pub async fn call(&self, operation: &Operation, role: Role, ids: &Ids) -> Answer {
        self.begin_proofing(operation).await;
        self.restore_service_account().await;
        let client = self.caller(operation, role);
        let (mut path, mut query) = (operation.entry.path.clone(), String::new());
        let mut body = self.body(operation).unwrap_or_default();
        match operation.id() {
            "enableUser" => query = "enable=true".into(),
            "resetAuthenticators" => query = "identityProof=InPerson".into(),
            "convertAttachment" => query = "type=Pdf".into(),
            "messageEventsReport" => query = "start=2020-01-01T00:00:00Z&end=2035-12-31T00:00:00Z".into(),
            "documentSourceExists" => query = "val=740-555-0110".into(),
            "saveFaxAccount"
            | "testFaxAccount"
            | "removeFaxAccount"
            | "createDocumentSource"
            | "saveEfaxAccount"
            | "removeEfaxAccount"
            | "saveWestfaxAccount"
            | "removeWestfaxAccount"
            | "syncWestfaxAccount"
            | "addWestfaxNumber" => self.restore_fax_accounts().await,
            // The state of the documents that was read before signing.
            "signMessage" => {
                let signers = client.get(&format!("/api/messages/{}/signers", ids["id"])).await.json();
                body["documents"] = json!(signers["documents"].as_str().unwrap_or_default());
            }
            "removeWestfaxNumber" => path = path.replace("{number}", &self.westfax_number().await),
            _ => {}
        }
        let version = self.version(operation, ids).await;
        if !version.is_null() {
            body["version"] = version;
        }
        for (place, id) in ids {
            if let Some(members) = place.strip_prefix("body.") {
                insert(&mut body, members, id);
            } else if let Some(member) = place.strip_prefix("body[].") {
                insert_into_first(&mut body, member, id);
            } else if let Some(name) = place.strip_prefix("query.") {
                query = format!("{query}&{name}={id}");
            } else {
                path = path.replace(&format!("{{{place}}}"), id);
            }
        }
        if operation.id() == "putAttachments" {
            // Sends the order only, because changed file details would require a version.
            body["attachments"] = json!([{ "id": ids["body.attachments[].id"] }]);
        }
        for (name, value) in [
            ("{type}", "message"),
            ("{provider}", "embedded"),
            ("{sheet}", "0"),
            ("{page}", "1"),
            ("{position}", "0"),
            ("{part}", "1"),
        ] {
            path = path.replace(name, value);
        }
        let path = format!("{path}?{query}");
        if operation.id() == "uploadAttachment" {
            return client.try_upload(&ids["id"], "Note.txt", b"A note.\n".to_vec(), json!({})).await;
        }
        if ["uploadIdentityDocument", "addTriageFile"].contains(&operation.id()) {
            let file = Part::bytes(letter()).file_name("id.pdf");
            let form = Form::new().part("file", file);
            return client.send(client.request(Method::POST, &path).multipart(form)).await;
        }
        let method = Method::from_bytes(operation.entry.method.as_bytes()).expect("a method");
        let has_body = method == Method::PUT || method == Method::POST;
        let request = client.request(method, &path);
        client.send(if has_body { request.json(&body) } else { request }).await
    }
}

/// Puts an id into the first element of a list.
pub fn insert_into_first(body: &mut Value, member: &str, id: &str) {
    let list = body.as_array_mut().expect("a list");
    if list.is_empty() {
        list.push(json!({}));
    }
    list[0][member] = json!(id);
}

/// Puts an id at a place such as `a.b[].id` or `ids[]`.
pub fn insert(body: &mut Value, members: &str, id: &str) {
    match members.split_once('.') {
        None => match members.strip_suffix("[]") {
            Some(list) => body[list] = json!([id]),
            None => body[members] = json!(id),
        },
        Some((list, rest)) if list.ends_with("[]") => {
            let meta = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19" });
            let mut item = json!({ "attachmentMeta": meta });
            insert(&mut item, rest, id);
            body[list.trim_end_matches("[]")] = json!([item]);
        }
        Some((member, rest)) => insert(&mut body[member], rest, id),
    }
}

/// Exports of a message, one for each of the staff.
async fn exports(app: &TestApp, people: &[(Role, User, Client)], message: &str) -> BTreeMap<Role, String> {
    let mut exports = BTreeMap::new();
    for (role, _, client) in people.iter().filter(|(role, ..)| [Role::User, Role::Admin].contains(role)) {
        let wanted = json!({ "ids": [message], "form": "NativeExport" });
        exports.insert(*role, text(&client.post("/api/tasks", &wanted).await.ok()["id"]));
    }
    app.drain().await;
    exports
}

/// A batch whose file was read, and the file.
async fn batch(app: &TestApp, client: &Client) -> (String, String) {
    let id = text(&client.post("/api/triage", &json!({})).await.ok()["id"]);
    let form = Form::new().part("file", Part::bytes(letter()).file_name("Letter.pdf"));
    let path = format!("/api/triage/{id}/files");
    let view = client.send(client.request(Method::POST, &path).multipart(form)).await.ok();
    app.drain().await;
    (id, text(&view["files"][0]["id"]))
}

/// A reseller's plan that only this practice has, and its subscription.
pub async fn subscribe(
    app: &TestApp,
    practice: &Practice,
    people: &[(Role, User, Client)],
) -> (Uuid, String) {
    let (db, reseller_id, plan_id) = (app.store.db(), Uuid::now_v7(), Uuid::now_v7());
    let name = practice.organization.sub_domain.clone();
    let seller = reseller::ActiveModel {
        id: Set(reseller_id),
        name: Set(format!("Partner of {name}")),
        name_key: Set(format!("partner of {name}")),
        kind: Set(ResellerKind::Licensing),
        bypass_tos: Set(false),
        version: Set(1),
    };
    reseller::Entity::insert(seller).exec_without_returning(db).await.expect("a reseller");
    let offered = plan::ActiveModel {
        id: Set(plan_id),
        name: Set(format!("Plan of {name}")),
        name_key: Set(format!("plan of {name}")),
        tier_code: Set("P".into()),
        allowed_users: Set(-1),
        restricted: Set(StringList::default()),
        reseller_id: Set(Some(reseller_id)),
        is_free: Set(false),
        is_retired: Set(false),
        version: Set(1),
    };
    plan::Entity::insert(offered).exec_without_returning(db).await.expect("a plan");
    let id = practice.organization.id;
    organization::Entity::update_many()
        .col_expr(organization::Column::ResellerId, Expr::value(reseller_id))
        .filter(organization::Column::Id.eq(id))
        .exec(db)
        .await
        .expect("an organization");
    let (_, _, admin) = people.iter().find(|(role, _, _)| *role == Role::Admin).expect("an administrator");
    let choice = json!({ "organizationId": id, "planId": plan_id });
    let chosen = admin.post("/api/subscriptionplans/subscriptions", &choice).await.ok();
    (plan_id, text(&chosen["subscriptionReference"]))
}

pub fn identity() -> Value {
    json!({
        "firstName": "Fern", "lastName": "Hadley", "dateOfBirth": "03/14/1975",
        "currentAddress": { "addressLine": "12 Birch Lane", "city": "Larkfield", "state": "OH", "zip": "43999" },
    })
}

pub async fn source_of(app: &TestApp, practice: &Practice) -> Source {
    let organization_id = practice.organization.id;
    let source = document_source::Entity::find()
        .filter(document_source::Column::OrganizationId.eq(organization_id))
        .one(app.store.db())
        .await
        .expect("sources")
        .expect("a source");
    Source { id: source.id, address: source.address, organization_id }
}

pub async fn job(app: &TestApp) -> Uuid {
    let jobs = reference_item::Entity::find().filter(reference_item::Column::Kind.eq("job_function"));
    jobs.one(app.store.db()).await.expect("jobs").expect("a job").id
}

/// A person of each role. All of them may send from the practice's address.
pub async fn people(app: &TestApp, practice: &Practice) -> Vec<(Role, User, Client)> {
    let mut people = Vec::new();
    let source = source_of(app, practice).await;
    for role in TENANT_ROLES.into_iter().filter(|role| *role != Role::Service) {
        let user = app.user(role, &practice.organization).await;
        if role == Role::NetAdmin {
            app.join(user.id, &practice.organization, platform::session::ROLE_USER).await;
        }
        app.link(&user, &source).await;
        let client = app.browser_of(&user).await;
        people.push((role, user, client));
    }
    let network = administered(app, &people).await;
    // Nobody signs in as a system, so its person is a placeholder.
    let nobody = app.user(Role::User, &practice.organization).await;
    people.push((Role::Service, nobody, app.service(network).await));
    people
}

/// The network of the network administrator.
pub async fn administered(app: &TestApp, people: &[(Role, User, Client)]) -> Uuid {
    let (_, user, _) = people.iter().find(|(role, _, _)| *role == Role::NetAdmin).expect("an administrator");
    let row = app_user::Entity::find_by_id(user.id).one(app.store.db()).await.expect("users");
    row.expect("a user").network_admin_of.expect("a network")
}

pub async fn invited(app: &TestApp, practice: &Practice) -> User {
    let user = app.user(Role::User, &practice.organization).await;
    app_user::Entity::update_many()
        .col_expr(app_user::Column::PasswordHash, Expr::value(""))
        .filter(app_user::Column::Id.eq(user.id))
        .exec(app.store.db())
        .await
        .expect("a user without a password");
    user
}

/// Creates the network of the organization's network administrator, and adds the organization to it.
pub async fn network_of(app: &TestApp, organization_id: Uuid, people: &[(Role, User, Client)]) -> Uuid {
    let network = administered(app, people).await;
    organization::Entity::update_many()
        .col_expr(organization::Column::NetworkId, Expr::value(network))
        .filter(organization::Column::Id.eq(organization_id))
        .exec(app.store.db())
        .await
        .expect("the organization joins");
    network
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

pub fn summary_of_care() -> Vec<u8> {
    use documents::samples;
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::ccd_xml(&samples::patients()[0], &samples::practices()[0], day).into_bytes()
}

/// A mail that contains a mail with a file.
fn letter_with_mail() -> Vec<u8> {
    let inner = "From: b@cedar.example\nSubject: Inner\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=i\n\n\
        --i\nContent-Type: text/plain\n\nInner text\n--i\nContent-Type: text/plain; name=note.txt\n\
        Content-Disposition: attachment; filename=note.txt\n\nStable\n--i--\n";
    format!(
        "From: a@larkfield.example\nSubject: Outer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=o\n\n\
         --o\nContent-Type: text/plain\n\nOuter text\n--o\nContent-Type: message/rfc822\n\n{inner}\n--o--\n"
    )
    .into_bytes()
}

/// A PDF, which needs no conversion, so its preview is immediately available.
pub fn letter() -> Vec<u8> {
    use documents::samples;
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day)
}
