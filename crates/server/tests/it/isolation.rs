//! What belongs to another organization is not there. The API description names every id that an operation takes, in
//! its path, its query or its body. For each of them, and for every role of an organization, the owner is answered
//! on a real id, and a stranger of the same role is told 404 for that same id, before and after; an id within a
//! body is answered like one that never was. What operations without ids show is compared in the same way: the
//! owner sees what is theirs, the stranger sees nothing of it.
//!
//! A new operation needs a fixture (a value for each of its ids in [`Side::ids`], a body in [`Side::body`]), or an
//! exemption. Operations for roles of the platform only are outside: the guard keeps everybody else away from them,
//! which `access.rs` tests.

use chrono::{DateTime, TimeDelta};
use messaging::model::DeliveryState;
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
use server::openapi::{self, Entry};
use std::collections::{BTreeMap, BTreeSet};
use store::entities::{
    app_user, audit_entry, brand, delivery, document_source, document_type, fax_job, fax_number, message,
    organization, passkey, plan, proofing_document, reference_item, reseller, service_account, session,
    user_document_source,
};
use testkit::{Answer, Client, Db, Options, PASSWORD, Practice, Source, TestApp, User, document};
use uuid::Uuid;

testkit::on_both_databases! {
    a_stranger_does_not_find_by_id_what_the_owner_has,
    a_stranger_is_shown_nothing_of_the_owner,
    what_is_exempt_still_needs_to_be,
    a_stranger_finds_nothing_by_words_addresses_and_cursors,
    a_stranger_reads_nothing_in_the_audit_trail_of_any_kind_of_object,
    a_stranger_learns_nothing_from_hubs,
}

/// Operations that show or take nothing of a tenant.
const EXEMPT: &[(&str, &str)] = &[
    ("apiCaptureConfig", "a switch of the installation"),
    ("attachmentExtensions", "the file types of the product"),
    (
        "acceptTerms",
        "answers the terms of the installation and whether the caller's organization accepted them",
    ),
    ("auditTypes", "the kinds of acts of the product"),
    ("brandSettings", "the look of a brand is shown to everybody"),
    ("classifications", "a reference list of the installation"),
    ("countIntake", "numbers without an id: whose they are is tested in `intake.rs`"),
    ("currentTerms", "the terms of the installation, and whether the caller's organization accepted them"),
    ("documentSourceExists", "says of a number only whether anybody has it"),
    ("dashboard", "numbers without an id: whose they are is tested in `dashboard.rs`"),
    ("findUserName", "says of a user name only whether anybody has it"),
    ("dismissActivationNotice", "answers nothing; what it keeps away is the caller's own"),
    ("hubTicket", "a new ticket for the caller's own session"),
    ("integrationCapabilities", "nothing can be connected yet, for nobody"),
    ("ipAddress", "the caller's own address"),
    ("lookAddressesUp", "says who can be reached, by certificates and a directory that are everybody's"),
    ("proofingDecision", "says how far the caller's own organization is, without a name"),
    ("requestPlanUpgrade", "answers a sentence; the request is the caller's organization's own"),
    ("searchDirectory", "who can receive is shown to everybody"),
    ("sendInvitation", "answers a sentence; a foreign address is refused like one that never was"),
    ("submitIdentity", "says how far the caller's own organization is, without a name"),
    ("uploadIdentityDocument", "says how far the caller's own organization is, without a name"),
    ("userJobs", "a reference list of the installation"),
    ("validateAddresses", "judges the form of a text"),
];

/// Ids of which even the owner has none that could be meant.
const NOBODYS: &[(&str, &str, &str)] = &[
    ("createDraft", "body.attachments[].id", "a draft that is only being made has no files yet"),
    ("saveUserIntakeRules", "body[].organizationId", "stands beside the rule"),
    ("saveUserIntakeRules", "body[].intakeRuleId", "no organization can make intake rules yet"),
];

/// Ids of what belongs to the installation.
const SHARED: [&str; 1] = ["body.jobFunctionId"];

/// Nobody can give an application access yet, so that there is none to take away: tested in `users.rs`.
const OF_NO_APPLICATION: &str = "removeUserApplication";

/// Operations about nothing but the caller's own account: they take no ids, and most of them work in one order only.
/// Tested in `passwords.rs`, `second_factor.rs` and `security.rs`.
const OF_ONESELF: [&str; 15] = [
    "addPasskey",
    "changePassword",
    "confirmAuthenticator",
    "endSessions",
    "ownProfile",
    "ownSessions",
    "preferences",
    "removeAuthenticator",
    "renewRecoveryCodes",
    "saveOwnProfile",
    "savePreferences",
    "secondFactor",
    "setEmailCodes",
    "startAuthenticator",
    "startPasskey",
];

/// About the sign-in provider of the caller's own organization: they take no ids, and want a provider that answers.
/// Tested between neighbours in `single_sign_on.rs`.
const OF_ITS_PROVIDER: [&str; 3] = ["removeSsoSettings", "saveSsoSettings", "ssoSettings"];

/// Ends the sessions of the user in question, who for the role `user` is the caller: tested in `second_factor.rs`.
const ENDS_ITS_CALLER: &str = "resetAuthenticators";

/// What is said in a kind way, with 200.
const SAID_WITH_200: &[(&str, &str)] = &[("changeOrganization", "`data` says whether it worked")];

/// Tested by [`a_stranger_learns_nothing_from_hubs`].
const HUBS: [&str; 3] = ["documentProcessingHub", "eventsHub", "messagePresenceHub"];

/// Roles of people who work for a tenant, and of the system of its network.
const TENANT_ROLES: [Role; 4] = [Role::User, Role::Admin, Role::NetAdmin, Role::Service];

/// Operations that want a message of the Intake; others are given a draft.
const OF_THE_INTAKE: [&str; 5] =
    ["getMessage", "markMessageRead", "processMessage", "assignMessage", "copyMessage"];

/// How long sessions of the owner's organization may be idle; the stranger's may be so for another time.
const OWNERS_IDLE_MINUTES: u32 = 23;

const SUBJECT: &str = "Quinquennial xylophone survey";

/// An operation that somebody of a tenant may call, with the places of its ids.
struct Operation {
    entry: Entry,
    places: BTreeSet<String>,
}

impl Operation {
    fn id(&self) -> &str {
        &self.entry.id
    }

    fn roles(&self) -> impl Iterator<Item = Role> {
        TENANT_ROLES.into_iter().filter(|role| self.entry.roles.iter().any(|r| r == role.name()))
    }

    fn is_exempt(&self) -> bool {
        EXEMPT.iter().any(|(id, _)| *id == self.id())
    }
}

/// Tested by name in another file.
fn is_elsewhere(id: &str) -> bool {
    OF_ONESELF.contains(&id) || OF_ITS_PROVIDER.contains(&id)
}

fn operations() -> Vec<Operation> {
    let description: Value = serde_json::from_str(&openapi::json()).expect("JSON");
    openapi::operations()
        .into_iter()
        .map(|entry| Operation { places: places(&description, &entry), entry })
        .filter(|operation| operation.roles().next().is_some())
        .filter(|operation| ![ENDS_ITS_CALLER, OF_NO_APPLICATION].contains(&operation.id()))
        .filter(|operation| !(is_elsewhere(operation.id()) && operation.places.is_empty()))
        .collect()
}

/// Where an operation takes ids: `id` and `query.id` for parameters, `body.a.b[].id` for members of the body.
fn places(description: &Value, entry: &Entry) -> BTreeSet<String> {
    let operation = &description["paths"][&entry.path][entry.method.to_lowercase()];
    let mut found = BTreeSet::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        if is_id(&parameter["schema"]) {
            let name = parameter["name"].as_str().expect("a name");
            let prefix = if parameter["in"] == "query" { "query." } else { "" };
            found.insert(format!("{prefix}{name}"));
        }
    }
    let schemas = &description["components"]["schemas"];
    for content in operation["requestBody"]["content"].as_object().into_iter().flat_map(|c| c.values()) {
        members(schemas, &content["schema"], "body", &mut Vec::new(), &mut found);
    }
    found.retain(|place| !SHARED.contains(&place.as_str()));
    found
}

fn is_id(schema: &Value) -> bool {
    schema["format"] == "uuid"
}

fn members(schemas: &Value, schema: &Value, at: &str, above: &mut Vec<String>, found: &mut BTreeSet<String>) {
    if is_id(schema) {
        found.insert(at.to_owned());
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|r| r.rsplit('/').next())
        && !above.iter().any(|a| a == name)
    {
        above.push(name.to_owned());
        members(schemas, &schemas[name], at, above, found);
        above.pop();
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        for schema in schema[choice].as_array().into_iter().flatten() {
            members(schemas, schema, at, above, found);
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        members(schemas, schema, &format!("{at}.{name}"), above, found);
    }
    if schema["items"].is_object() {
        members(schemas, &schema["items"], &format!("{at}[]"), above, found);
    }
}

type Ids = BTreeMap<String, String>;

/// An organization with people of each role, and something of everything that an organization can have.
struct Side {
    practice: Practice,
    people: Vec<(Role, User, Client)>,
    partner: String,
    intake: String,
    intake_file: String,
    release_type: Uuid,
    /// A plan that nobody else is offered, and the subscription to it.
    plan: Uuid,
    subscription: String,
    /// What the network administrator administers.
    network: Uuid,
    /// Somebody who has not accepted the invitation yet.
    invited: User,
    source: Uuid,
    job: Uuid,
    db: store::Database,
    /// Stands in what the owner is shown, and in nothing that others are.
    marks: Vec<String>,
}

struct World {
    app: TestApp,
    owner: Side,
    stranger: Side,
    partner: Practice,
}

impl World {
    async fn new(db: Db) -> Self {
        let configure = |config: &mut Config| config.proofing.attempts_per_day = 1000;
        let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
        let app = TestApp::start_with(db, options).await;
        let partner = app.practice("summit").await;
        let owner = Side::new(&app, "larkfield", &partner, SUBJECT).await;
        let stranger = Side::new(&app, "bayline", &partner, "Nothing of interest").await;
        furnish(&app, &owner).await;
        Self { app, owner, stranger, partner }
    }
}

/// What only the owner's organization has, beside its messages.
async fn furnish(app: &TestApp, owner: &Side) {
    let db = app.store.db();
    let id = owner.practice.organization.id;
    app.enable(&owner.practice.organization, "OptimizedIntake").await;
    let kind = document_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(id)),
        name: Set("Larkfield intake form".into()),
        source: Set("organization".into()),
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
    async fn new(app: &TestApp, sub_domain: &str, partner: &Practice, subject: &str) -> Self {
        let practice = app.practice(sub_domain).await;
        let people = people(app, &practice).await;
        partner.client.send_document(&partner.address, &[&practice.address], subject).await;
        app.drain().await;
        let list = practice.client.post("/api/intake", &json!({})).await.ok();
        let intake = text(&list["items"][0]["id"]);
        let message = practice.client.get(&format!("/api/messages/{intake}")).await.ok();
        let intake_file = text(&message["attachments"][0]["id"]);
        let saved = format!("archive@{sub_domain}.example");
        practice.client.put("/api/directaddresscache", &json!({ "addresses": [saved] })).await.ok();
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
        ];
        marks.extend(people.iter().map(|(_, user, _)| user.id.to_string()));
        let network = network_of(app, practice.organization.id, &people).await;
        marks.push(network.to_string());
        let (plan, subscription) = subscribe(app, &practice, &people).await;
        marks.push(subscription.clone());
        let (invited, db) = (invited(app, &practice).await, app.store.db().clone());
        let (source, job) = (source_of(app, &practice).await.id, job(app).await);
        let partner = partner.address.clone();
        Self {
            partner,
            practice,
            people,
            intake,
            intake_file,
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

    /// A passkey of somebody, which nobody can use.
    async fn passkey(&self, role: Role) -> String {
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

    /// The service account as it was in the beginning: operations end it, and change its token.
    async fn restore_service_account(&self) {
        let token = self.browser(Role::Service).token();
        let row = service_account::ActiveModel {
            id: Set(Uuid::now_v7()),
            network_id: Set(self.network),
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

    /// Another session of somebody.
    async fn session(&self, role: Role) -> String {
        let of_user = session::Column::UserId.eq(self.user(role).id);
        let row = session::Entity::find().filter(of_user).one(&self.db).await.expect("sessions");
        let id = Uuid::now_v7();
        let mut row = row.expect("a session").into_active_model().reset_all();
        row.id = Set(id);
        session::Entity::insert(row).exec_without_returning(&self.db).await.expect("a session");
        id.to_string()
    }

    /// Lets the organization be proven anew, or be proven.
    async fn begin_proofing(&self, operation: &Operation) {
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

    /// A quiz that waits for an answer.
    async fn quiz(&self, role: Role) -> String {
        text(&self.browser(role).post("/api/identityproofing", &identity()).await.ok()["quizId"])
    }

    fn user(&self, role: Role) -> &User {
        &self.people.iter().find(|(r, _, _)| *r == role).expect("somebody of each role").1
    }

    fn browser(&self, role: Role) -> &Client {
        &self.people.iter().find(|(r, _, _)| *r == role).expect("somebody of each role").2
    }

    async fn draft(&self) -> String {
        let fields = document(&self.practice.address, &[&self.partner], &self.marks[0]);
        self.practice.client.draft(fields).await
    }

    async fn file(&self, draft: &str, operation: &str) -> String {
        let (name, content) = match operation {
            "getOutline" => ("Summary of care.xml", summary_of_care()),
            _ => ("Note.txt", b"A note.\n".to_vec()),
        };
        self.practice.client.upload(draft, name, content, json!({})).await
    }

    /// A real id of this organization for each place; the error names a place that has none.
    async fn ids(&self, operation: &Operation, role: Role) -> Result<Ids, String> {
        self.begin_proofing(operation).await;
        let of_the_intake = OF_THE_INTAKE.contains(&operation.id());
        let of_network = operation.entry.path.starts_with("/api/networks/{id}")
            || operation.entry.path.starts_with("/api/admin/networks/{id}");
        let of_account = match operation.id() {
            _ if of_network => Some(self.network.to_string()),
            "renamePasskey" | "removePasskey" => Some(self.passkey(role).await),
            "endSession" => Some(self.session(role).await),
            "resetPassword" => Some(self.practice.user.id.to_string()),
            "resendInvitation" => Some(self.invited.id.to_string()),
            _ => None,
        };
        if operation.entry.path.starts_with("/api/users/{id}") {
            return Ok(self.ids_of_a_user(operation, role));
        }
        if let Some(id) = of_account {
            return Ok(operation.places.iter().map(|place| (place.clone(), id.clone())).collect());
        }
        if operation.entry.path.starts_with("/api/admin/documentsources/") {
            return Ok(self.ids_of_a_number(operation).await);
        }
        if operation.id() == "sendFaxAgain" {
            return Ok(self.ids_of_a_failed_fax(role).await);
        }
        if operation.id() == "cancelFax" {
            return Ok(self.ids_of_a_fax(role, DeliveryState::Queued).await);
        }
        if ["deliverySummary", "sendDeliverySummaryToIntake"].contains(&operation.id()) {
            self.offer_delivery_summaries().await;
            let ids = self.ids_of_a_failed_fax(role).await;
            return Ok(ids.into_iter().filter(|(place, _)| place == "id").collect());
        }
        let wants = |name: &str| operation.places.iter().any(|p| p == name || p.ends_with(name));
        let message = match (of_the_intake, wants("id")) {
            (true, _) => self.intake.clone(),
            (false, true) => self.draft().await,
            (false, false) => String::new(),
        };
        let file = if !of_the_intake && (wants("attachmentId") || wants("attachments[].id")) {
            self.file(&message, operation.id()).await
        } else {
            self.intake_file.clone()
        };
        let quiz = if wants("quizId") { self.quiz(role).await } else { String::new() };
        let id = |place: &str| {
            Some(match place {
                "id" if operation.id() == "billedSubscription" => self.subscription.clone(),
                "quizId" => quiz.clone(),
                "query.organizationId" | "body.organizationId" => self.practice.organization.id.to_string(),
                "body.planId" => self.plan.to_string(),
                "id" => message.clone(),
                "attachmentId" | "body.attachments[].id" => file.clone(),
                "query.userId" => self.user(role).id.to_string(),
                "body.userId" => self.practice.user.id.to_string(),
                "body.orgId" => self.practice.organization.id.to_string(),
                "body.originalObjectId" => self.intake.clone(),
                "body.releaseTypeId" => self.release_type.to_string(),
                _ => return None,
            })
        };
        let named = |place: &String| id(place).map(|id| (place.clone(), id)).ok_or_else(|| place.clone());
        operation.places.iter().map(named).collect()
    }

    /// A new fax number.
    async fn number(&self) -> Value {
        let admin = self.browser(Role::Admin);
        admin.put("/api/fax/accounts/embedded", &json!({})).await.ok();
        admin.post("/api/admin/documentsources", &form_of_a_number()).await.ok()
    }

    async fn ids_of_a_number(&self, operation: &Operation) -> Ids {
        let number = self.number().await;
        let id = |place: &str| match place {
            "query.organizationId" | "body.organizationId" => self.practice.organization.id.to_string(),
            _ => text(&number["id"]),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    async fn offer_delivery_summaries(&self) {
        let found = organization::Entity::find_by_id(self.practice.organization.id).one(&self.db).await;
        let row = found.expect("organizations").expect("the practice");
        let mut settings = row.settings;
        settings["interoperability"]["deliverySummaryEnableDownload"] = json!(true);
        let row =
            organization::ActiveModel { id: Set(row.id), settings: Set(settings), ..Default::default() };
        row.update(&self.db).await.expect("an organization");
    }

    /// A message whose fax failed, from a number on whose behalf somebody may send.
    async fn ids_of_a_failed_fax(&self, role: Role) -> Ids {
        self.ids_of_a_fax(role, DeliveryState::Failed).await
    }

    /// A sent message with a fax in that state.
    async fn ids_of_a_fax(&self, role: Role, state: DeliveryState) -> Ids {
        let (db, organization_id) = (&self.db, self.practice.organization.id);
        let source: Uuid = text(&self.number().await["id"]).parse().expect("an id");
        let number = document_source::ActiveModel {
            id: Set(source),
            status: Set(messaging::model::SourceStatus::Activated.code()),
            ..Default::default()
        };
        number.update(db).await.expect("an active number");
        let link = user_document_source::ActiveModel {
            user_id: Set(self.user(role).id),
            document_source_id: Set(source),
            organization_id: Set(organization_id),
        };
        user_document_source::Entity::insert(link).exec_without_returning(db).await.expect("a link");
        let message_id: Uuid = self.draft().await.parse().expect("an id");
        let sent = message::ActiveModel { id: Set(message_id), is_draft: Set(false), ..Default::default() };
        sent.update(db).await.expect("a message that was sent");
        let delivery_id = Uuid::now_v7();
        let failed = delivery::ActiveModel {
            id: Set(delivery_id),
            message_id: Set(message_id),
            organization_id: Set(organization_id),
            transmission_id: Set(None),
            position: Set(0),
            address: Set("+17405550120".into()),
            address_key: Set("+17405550120".into()),
            name: Set(String::new()),
            kind: Set(messaging::model::DeliveryKind::Fax.code()),
            role: Set(0),
            state: Set(state.code()),
            reason: Set(None),
            attempt: Set(4),
            wants_dispatched: Set(false),
            accepted_at: Set(DateTime::UNIX_EPOCH),
            ..Default::default()
        };
        delivery::Entity::insert(failed).exec_without_returning(db).await.expect("a delivery");
        let job = fax_job::ActiveModel {
            delivery_id: Set(delivery_id),
            organization_id: Set(organization_id),
            message_id: Set(message_id),
            document_source_id: Set(source),
            workflow_id: Set(Uuid::now_v7()),
            blob_id: Set(None),
            pages: Set(0),
            confirmed_pages: Set(0),
            dials: Set(4),
            waiting_since: Set(None),
            next_at: Set(None),
            waits_for: Set(None),
            cancel_at: Set(None),
            cancel_problem: Set(None),
        };
        fax_job::Entity::insert(job).exec_without_returning(db).await.expect("a fax");
        Ids::from([("id".into(), message_id.to_string()), ("deliveryId".into(), delivery_id.to_string())])
    }

    /// The accounts of the organization, without the numbers that keep them from being deleted.
    async fn restore_fax_accounts(&self) {
        let id = self.practice.organization.id;
        fax_number::Entity::delete_many()
            .filter(fax_number::Column::OrganizationId.eq(id))
            .exec(&self.db)
            .await
            .expect("fax numbers");
        let admin = self.browser(Role::Admin);
        admin.put("/api/fax/accounts/embedded", &json!({})).await.ok();
        admin.put("/api/efax/account", &account_at_a_service()).await.ok();
        admin.put("/api/westfax/account", &account_at_a_service()).await.ok();
    }

    /// A new number of the account at WestFax.
    async fn westfax_number(&self) -> String {
        let admin = self.browser(Role::Admin);
        admin.put("/api/westfax/account", &account_at_a_service()).await.ok();
        let number = json!({ "number": new_number() });
        text(&admin.post("/api/westfax/account/numbers", &number).await.ok()["fullAddress"])
    }

    /// An administrator asks about others, everybody else about themselves.
    fn ids_of_a_user(&self, operation: &Operation, role: Role) -> Ids {
        let user = if role == Role::Admin { self.practice.user.id } else { self.user(role).id };
        let id = |place: &str| match place {
            "body[].organizationId" => self.practice.organization.id,
            "body[].documentSourceId" => self.source,
            // There is none.
            "body[].intakeRuleId" => Uuid::nil(),
            _ => user,
        };
        operation.places.iter().map(|place| (place.clone(), id(place).to_string())).collect()
    }

    /// What the form of a user must say it was read as.
    async fn version_of(&self, user: &str) -> i32 {
        let id = user.parse::<Uuid>().expect("an id");
        let row = app_user::Entity::find_by_id(id).one(&self.db).await.expect("users");
        row.map_or(1, |user| user.version)
    }

    /// The body of a call, without its ids; `None` when the operation has no fixture here.
    fn body(&self, operation: &Operation) -> Option<Value> {
        let plain_file = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19" });
        Some(match operation.id() {
            "createDraft" | "updateDraft" => json!({ "subject": self.marks[0] }),
            "sendMessage" | "forwardMessage" | "sendDeliverySummaryToIntake" => json!({}),
            "replyMessage" => json!({ "fromAddress": self.practice.address, "toAddress": self.partner }),
            "putMessagePatient" => json!({ "firstName": "Aiyana" }),
            "processMessage" => json!({ "isProcessed": true }),
            "putAttachment" => json!({ "attachmentMeta": plain_file }),
            "lookAddressesUp" => json!({ "addresses": [self.partner] }),
            "searchDirectory" => json!({ "state": "OH" }),
            "sendInvitation" => {
                json!({ "fullName": "Rowan Aldane", "emailAddress": "rowan@trivalley.example" })
            }
            "renamePasskey" | "removePasskey" => json!({ "password": PASSWORD, "name": "Key" }),
            "resetPassword" | "enableUser" | "findUserName" => json!({}),
            "createDocumentSource" | "updateDocumentSource" => form_of_a_number(),
            "saveFaxAccount" | "saveFaxSettings" | "testFaxAccount" | "activateDocumentSource" => json!({}),
            "saveEfaxAccount" | "saveWestfaxAccount" => account_at_a_service(),
            "addWestfaxNumber" => json!({ "number": new_number() }),
            "syncWestfaxAccount" => json!({}),
            "sendFaxAgain" | "cancelFax" => json!({}),
            "saveUserDocumentSources" | "saveUserIntakeRules" => json!([]),
            "createUser" => self.form_of_a_user(&format!("{}@carepost.example", Uuid::now_v7().simple())),
            "updateUser" => self.form_of_a_user(&self.practice.user.user_name),
            "resendInvitation" => json!({ "userName": self.invited.user_name }),
            "saveSecuritySettings" => {
                let is_owner = self.marks[0] == SUBJECT;
                let minutes = if is_owner { OWNERS_IDLE_MINUTES } else { OWNERS_IDLE_MINUTES - 1 };
                json!({ "idleMinutes": minutes, "requireSecondFactor": false, "requireWhitelistedIp": false })
            }
            "updateNetwork" => json!({ "name": format!("Network {}", self.network), "version": 1 }),
            "saveServiceAccountAddresses" => json!(["127.0.0.0/8", "::1"]),
            "renewServiceAccount" | "enableServiceAccount" | "disableServiceAccount" => json!({}),
            "acceptTerms" => json!({ "type": "standard", "version": "1.0" }),
            "submitIdentity" => identity(),
            "answerQuiz" => json!({ "questions": [] }),
            "cancelSubscription" => json!({ "cancelReason": "We merge with another practice." }),
            "changeSubscription" | "reactivateSubscription" | "uploadIdentityDocument" => json!({}),
            "putSavedAddresses" => json!({ "addresses": [self.marks[5]] }),
            "countIntake" | "listIntake" | "listMessages" | "assignMessage" | "changeOrganization"
            | "copyMessage" | "markMessageRead" | "readAttachment" | "generatePreview"
            | "requestExtraction" | "uploadAttachment" | "hubTicket" | "requestPlanUpgrade" => json!({}),
            _ => return None,
        })
    }

    fn form_of_a_user(&self, user_name: &str) -> Value {
        json!({
            "userName": user_name, "firstName": "Priya", "lastName": "Nandakumar", "roleName": "User",
            "jobFunctionId": self.job,
        })
    }

    /// Makes the call of an operation with the given ids.
    async fn call(&self, operation: &Operation, role: Role, ids: &Ids) -> Answer {
        self.begin_proofing(operation).await;
        self.restore_service_account().await;
        let client = self.browser(role);
        let (mut path, mut query) = (operation.entry.path.clone(), String::new());
        let mut body = self.body(operation).unwrap_or_default();
        if operation.id() == "updateUser" {
            body["version"] = json!(self.version_of(&ids["id"]).await);
        }
        match operation.id() {
            "enableUser" => query = "enable=true".into(),
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
            "removeWestfaxNumber" => path = path.replace("{number}", &self.westfax_number().await),
            _ => {}
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
        let path = format!("{}?{query}", path.replace("{type}", "message").replace("{provider}", "embedded"));
        if operation.id() == "uploadAttachment" {
            return client.try_upload(&ids["id"], "Note.txt", b"A note.\n".to_vec(), json!({})).await;
        }
        if operation.id() == "uploadIdentityDocument" {
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

/// Puts an id into the one member of a list.
fn insert_into_first(body: &mut Value, member: &str, id: &str) {
    let list = body.as_array_mut().expect("a list");
    if list.is_empty() {
        list.push(json!({}));
    }
    list[0][member] = json!(id);
}

/// Puts an id where `a.b[].id` says.
fn insert(body: &mut Value, members: &str, id: &str) {
    match members.split_once('.') {
        None => body[members] = json!(id),
        Some((list, rest)) if list.ends_with("[]") => {
            let meta = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19" });
            let mut item = json!({ "attachmentMeta": meta });
            insert(&mut item, rest, id);
            body[list.trim_end_matches("[]")] = json!([item]);
        }
        Some((member, rest)) => insert(&mut body[member], rest, id),
    }
}

/// A plan of a reseller that only this practice has, and its subscription.
async fn subscribe(app: &TestApp, practice: &Practice, people: &[(Role, User, Client)]) -> (Uuid, String) {
    let (db, reseller_id, plan_id) = (app.store.db(), Uuid::now_v7(), Uuid::now_v7());
    let name = practice.organization.sub_domain.clone();
    let seller = reseller::ActiveModel {
        id: Set(reseller_id),
        name: Set(format!("Partner of {name}")),
        kind: Set("Licensing".into()),
        bypass_tos: Set(false),
    };
    reseller::Entity::insert(seller).exec_without_returning(db).await.expect("a reseller");
    let offered = plan::ActiveModel {
        id: Set(plan_id),
        name: Set(format!("Plan of {name}")),
        tier_code: Set("P".into()),
        allowed_users: Set(-1),
        restricted: Set(json!([])),
        reseller_id: Set(Some(reseller_id)),
        is_free: Set(false),
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

/// A fax number that nobody has yet.
fn new_number() -> String {
    format!("+49301{:07}", Uuid::now_v7().as_u128() % 10_000_000)
}

fn form_of_a_number() -> Value {
    json!({ "directAddressType": "fax", "fullAddress": new_number(), "provider": "embedded" })
}

fn account_at_a_service() -> Value {
    json!({ "userName": "clinic", "password": "a password", "appId": "an app", "productId": "a line" })
}

fn identity() -> Value {
    json!({
        "firstName": "Fern", "lastName": "Hadley", "dateOfBirth": "03/14/1975",
        "currentAddress": { "addressLine": "12 Birch Lane", "city": "Larkfield", "state": "OH", "zip": "43999" },
    })
}

async fn source_of(app: &TestApp, practice: &Practice) -> Source {
    let organization_id = practice.organization.id;
    let source = document_source::Entity::find()
        .filter(document_source::Column::OrganizationId.eq(organization_id))
        .one(app.store.db())
        .await
        .expect("sources")
        .expect("a source");
    Source { id: source.id, address: source.address, organization_id }
}

async fn job(app: &TestApp) -> Uuid {
    let jobs = reference_item::Entity::find().filter(reference_item::Column::Kind.eq("job_function"));
    jobs.one(app.store.db()).await.expect("jobs").expect("a job").id
}

/// Somebody of each role, each of whom may send from the practice's address.
async fn people(app: &TestApp, practice: &Practice) -> Vec<(Role, User, Client)> {
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
    // Nobody signs in as a system, so its person is somebody without meaning.
    let nobody = app.user(Role::User, &practice.organization).await;
    people.push((Role::Service, nobody, app.service(network).await));
    people
}

/// What the network administrator administers.
async fn administered(app: &TestApp, people: &[(Role, User, Client)]) -> Uuid {
    let (_, user, _) = people.iter().find(|(role, _, _)| *role == Role::NetAdmin).expect("an administrator");
    let row = app_user::Entity::find_by_id(user.id).one(app.store.db()).await.expect("users");
    row.expect("a user").network_admin_of.expect("a network")
}

async fn invited(app: &TestApp, practice: &Practice) -> User {
    let user = app.user(Role::User, &practice.organization).await;
    app_user::Entity::update_many()
        .col_expr(app_user::Column::PasswordHash, Expr::value(""))
        .filter(app_user::Column::Id.eq(user.id))
        .exec(app.store.db())
        .await
        .expect("a user without a password");
    user
}

/// The network that the organization's network administrator has, and that the organization joins.
async fn network_of(app: &TestApp, organization_id: Uuid, people: &[(Role, User, Client)]) -> Uuid {
    let network = administered(app, people).await;
    organization::Entity::update_many()
        .col_expr(organization::Column::NetworkId, Expr::value(network))
        .filter(organization::Column::Id.eq(organization_id))
        .exec(app.store.db())
        .await
        .expect("the organization joins");
    network
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn summary_of_care() -> Vec<u8> {
    use documents::samples;
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::ccd_xml(&samples::patients()[0], &samples::practices()[0], day).into_bytes()
}

/// What an answer says, with the id in question left out.
fn said(answer: &Answer, id: &str) -> (u16, String) {
    (answer.status.as_u16(), answer.text().replace(id, "…"))
}

#[test]
fn every_operation_has_a_fixture_or_an_exemption() {
    let all = operations();
    let known = |id: &str| all.iter().any(|o| o.id() == id);
    for (id, reason) in EXEMPT.iter().chain(SAID_WITH_200) {
        assert!(known(id) && !reason.is_empty(), "{id} is gone: remove its exemption");
    }
    for (id, place, reason) in NOBODYS {
        let stands = all.iter().any(|o| o.id() == *id && o.places.contains(*place));
        assert!(stands && !reason.is_empty(), "{id} takes no {place}: remove its exemption");
    }
    for id in OF_THE_INTAKE {
        assert!(known(id), "{id} is gone");
    }
    let hubs: Vec<&str> = all.iter().filter(|o| o.entry.is_hub).map(Operation::id).collect();
    assert_eq!(hubs, HUBS, "hubs are tested by name");
}

/// Operations with a fixture in both worlds; the others are named in one go.
async fn with_fixtures(side: &Side) -> Vec<Operation> {
    let mut missing = Vec::new();
    let mut found = Vec::new();
    for operation in operations() {
        let takes_body = ["PUT", "POST"].contains(&operation.entry.method);
        if operation.entry.is_hub {
            continue;
        }
        if takes_body && side.body(&operation).is_none() {
            missing.push(format!("{}: a body", operation.id()));
        } else if !operation.is_exempt()
            && let Some(role) = operation.roles().next()
            && let Err(place) = side.ids(&operation, role).await
        {
            missing.push(format!("{}: an id for {place}", operation.id()));
        } else {
            found.push(operation);
        }
    }
    assert!(missing.is_empty(), "these fixtures are missing in isolation.rs: {missing:?}");
    found
}

async fn a_stranger_does_not_find_by_id_what_the_owner_has(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    for operation in with_fixtures(&owner).await {
        if operation.places.is_empty() || operation.is_exempt() {
            continue;
        }
        for role in operation.roles() {
            let ids = owner.ids(&operation, role).await.expect("a fixture");
            let own = stranger.ids(&operation, role).await.expect("a fixture");
            not_found(&operation, role, &stranger, &own, &ids).await;
            let allowed = without_nobodys(&operation, &ids);
            let answer = owner.call(&operation, role, &allowed).await;
            assert!(answer.status.is_success(), "{}: {} {}", operation.id(), answer.status, answer.text());
            not_found(&operation, role, &stranger, &own, &ids).await;
        }
    }
    ended(&app).await;
    app.finish().await;
}

/// Ends when the calls of faxes are over.
async fn ended(app: &TestApp) {
    app.node.runner.drain_until(app.clock.now() + TimeDelta::hours(1)).await.expect("steps run");
    app.drain().await;
}

fn without_nobodys(operation: &Operation, ids: &Ids) -> Ids {
    let is_nobodys = |place: &str| NOBODYS.iter().any(|(id, p, _)| *id == operation.id() && *p == place);
    ids.iter().filter(|(place, _)| !is_nobodys(place)).map(|(p, id)| (p.clone(), id.clone())).collect()
}

/// The stranger has everything too; each id of the owner, put in place of their own, is not there.
async fn not_found(operation: &Operation, role: Role, stranger: &Side, own: &Ids, ids: &Ids) {
    for (place, id) in ids {
        let mut mixed = without_nobodys(operation, own);
        mixed.insert(place.clone(), id.clone());
        let answer = stranger.call(operation, role, &mixed).await;
        let what = format!("{} {} {place}: {} {}", operation.id(), role.name(), answer.status, answer.text());
        if !place.starts_with("body") {
            assert_eq!(answer.status, 404, "{what}");
        }
        let kind = SAID_WITH_200.iter().any(|(id, _)| *id == operation.id());
        assert_eq!(answer.status.is_success(), kind, "{what}");
        let invented = Uuid::now_v7().to_string();
        mixed.insert(place.clone(), invented.clone());
        let nothing = stranger.call(operation, role, &mixed).await;
        assert_eq!(said(&answer, id), said(&nothing, &invented), "{what} is unlike an id that never was");
    }
    let path_only = ids.keys().filter(|place| !place.starts_with("body")).count();
    if path_only > 0 {
        let all = without_nobodys(operation, ids);
        stranger.call(operation, role, &all).await.problem(404);
    }
}

async fn a_stranger_is_shown_nothing_of_the_owner(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    for operation in with_fixtures(&owner).await.iter().filter(|o| !o.is_exempt()) {
        for role in operation.roles() {
            if operation.places.is_empty() {
                let shown = owner.call(operation, role, &Ids::new()).await;
                assert!(shows(&shown, &owner), "{} shows nothing: {}", operation.id(), shown.text());
            }
            let own = stranger.ids(operation, role).await.expect("a fixture");
            let answer = stranger.call(operation, role, &without_nobodys(operation, &own)).await;
            assert!(answer.status.is_success(), "{}: {} {}", operation.id(), answer.status, answer.text());
            assert!(!shows(&answer, &owner), "{} {}: {}", operation.id(), role.name(), answer.text());
        }
    }
    ended(&app).await;
    app.finish().await;
}

/// Whether an answer holds anything that is this organization's alone.
fn shows(answer: &Answer, side: &Side) -> bool {
    let text = answer.text();
    let idle = format!("\"idleMinutes\":{OWNERS_IDLE_MINUTES},");
    let settings = [idle.as_str(), "\"isEnabled\":true", "\"exportMode\":\"print\"", "Larkfield intake form"];
    side.marks.iter().any(|mark| text.contains(mark)) || settings.iter().any(|s| text.contains(s))
}

async fn what_is_exempt_still_needs_to_be(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    let brand = brand::Entity::find().one(app.store.db()).await.expect("brands");
    let brand = Ids::from([("brandId".to_owned(), brand.expect("a brand").id.to_string())]);
    for operation in operations().iter().filter(|o| o.is_exempt()) {
        for role in operation.roles() {
            let mine = owner.call(operation, role, &brand).await;
            assert!(mine.status.is_success(), "{}: {}", operation.id(), mine.text());
            assert!(!shows(&mine, &owner), "{} shows what is a tenant's: it needs a fixture", operation.id());
            let theirs = stranger.call(operation, role, &brand).await;
            assert!(theirs.status.is_success(), "{} keeps strangers out: it needs a fixture", operation.id());
        }
    }
    for (id, place, _) in NOBODYS {
        let operation = operations().into_iter().find(|o| o.id() == *id).expect("an operation");
        let role = operation.roles().next().expect("a role");
        let ids = owner.ids(&operation, role).await.expect("a fixture");
        assert!(!owner.call(&operation, role, &ids).await.status.is_success(), "{id} takes {place} by now");
    }
    app.finish().await;
}

async fn a_stranger_finds_nothing_by_words_addresses_and_cursors(db: Db) {
    let World { app, owner, stranger, partner } = World::new(db).await;
    owner.draft().await;
    owner.practice.client.send_document(&owner.practice.address, &[&owner.partner], SUBJECT).await;
    partner.client.send_document(&partner.address, &[&owner.practice.address], SUBJECT).await;
    app.drain().await;
    let page = owner.practice.client.post("/api/intake", &json!({ "pageSize": 1 })).await.ok();
    let bodies = [
        json!({}),
        json!({ "filter": "xylophone" }),
        json!({ "sources": [owner.practice.address] }),
        json!({ "cursor": text(&page["nextCursor"]) }),
        json!({ "cursor": text(&page["nextCursor"]), "filter": "xylophone" }),
    ];
    let paths = [
        "/api/messages?isDraft=true",
        "/api/messages?isDraft=false",
        "/api/messages?isDraft=true&filter=xylophone",
        "/api/messages?isDraft=false&filter=xylophone",
        "/api/contacts?search=larkfield",
    ];
    for role in [Role::User, Role::Admin] {
        let (mine, theirs) = (owner.browser(role), stranger.browser(role));
        for (path, body) in
            ["/api/intake", "/api/messages"].iter().flat_map(|p| bodies.iter().map(move |b| (p, b)))
        {
            assert!(shows(&mine.post(path, body).await, &owner), "{path} {body}");
            let found = theirs.post(path, body).await;
            assert!(found.status.is_success() && !shows(&found, &owner), "{path} {body}: {}", found.text());
        }
        for path in paths {
            assert!(shows(&mine.get(path).await, &owner), "{path}");
            let found = theirs.get(path).await;
            assert!(found.status.is_success() && !shows(&found, &owner), "{path}: {}", found.text());
        }
    }
    app.finish().await;
}

async fn a_stranger_reads_nothing_in_the_audit_trail_of_any_kind_of_object(db: Db) {
    let World { app, owner, stranger, .. } = World::new(db).await;
    let draft = owner.draft().await;
    owner.file(&draft, "").await;
    owner.practice.client.post("/api/subscriptionplans/upgraderequest", &json!({})).await.ok();
    let rows = audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(owner.practice.organization.id))
        .all(app.store.db())
        .await
        .expect("the trail");
    // Lists have no id.
    let objects: BTreeSet<_> = rows
        .iter()
        .filter(|r| r.object_id.parse::<Uuid>().is_ok())
        .map(|r| (r.object_type.clone(), r.object_id.clone()))
        .collect();
    let kinds: BTreeSet<_> = objects.iter().map(|(kind, _)| kind.as_str()).collect();
    let expected = ["attachment", "message", "organization", "savedaddresses", "user"];
    assert_eq!(kinds, expected.into(), "what the product audits");
    for (kind, id) in &objects {
        let path = format!("/api/audit/{kind}/{id}");
        let found = owner.browser(Role::Admin).get(&path).await.ok();
        assert_ne!(found["totalCount"], 0, "{path}");
        stranger.browser(Role::Admin).get(&path).await.problem(404);
        let elsewhere = format!("/api/audit/message/{id}?eventType=Nothing&start=1999-01-01");
        stranger.browser(Role::Admin).get(&elsewhere).await.problem(404);
    }
    app.finish().await;
}

async fn a_stranger_learns_nothing_from_hubs(db: Db) {
    let World { app, owner, stranger, partner } = World::new(db).await;
    for role in [Role::User, Role::Admin] {
        let (mine, theirs) = (owner.browser(role), stranger.browser(role));
        let mut present = mine.hub("messagepresence").await;
        present.send(json!({ "type": "open", "messageId": owner.intake })).await;
        present.expect("present").await;

        let own = stranger.draft().await;
        let mut presence = theirs.hub("messagepresence").await;
        presence.send(json!({ "type": "open", "messageId": owner.intake })).await;
        // The answer to the second frame comes first, because there is none to the first.
        presence.send(json!({ "type": "open", "messageId": own })).await;
        assert_eq!(presence.expect("present").await["messageId"], json!(own));

        let file = theirs.upload(&own, "Letter.pdf", letter(), json!({})).await;
        let mut previews = theirs.hub("documentprocessing").await;
        let path =
            format!("/api/messages/{}/attachments/{}/generatePreview", owner.intake, owner.intake_file);
        mine.put(&path, &json!({})).await.ok();
        previews.send(json!({ "type": "waitFor", "attachmentId": owner.intake_file })).await;
        previews.send(json!({ "type": "waitFor", "attachmentId": file })).await;
        assert_eq!(previews.expect("completed").await["attachmentId"], json!(file));

        let mut lists = theirs.hub("events").await;
        partner.client.send_document(&partner.address, &[&owner.practice.address], SUBJECT).await;
        partner.client.send_document(&partner.address, &[&stranger.practice.address], "For you").await;
        app.drain().await;
        let news = lists.expect("intake").await;
        let found = theirs.post("/api/intake", &json!({})).await.ok();
        assert_eq!(news["messageId"], found["items"][0]["id"]);
    }
    app.finish().await;
}

/// A PDF needs no conversion, so its preview is there at once.
fn letter() -> Vec<u8> {
    use documents::samples;
    let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 18).expect("a day");
    samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day)
}
