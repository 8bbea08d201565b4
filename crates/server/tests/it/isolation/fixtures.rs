//! Fixtures: a real id for every place of an operation, and a body for its call. A new operation needs them
//! unless it is exempt.

use super::{
    fax::{account_at_a_service, form_of_a_number, new_number},
    operations::{OF_THE_INTAKE, Operation},
    side::{Ids, OWNERS_IDLE_MINUTES, SUBJECT, Side, identity, text},
};
use messaging::model::DeliveryState;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use store::entities::{app_user, organization};
use testkit::PASSWORD;
use uuid::Uuid;

impl Side {
    /// A real id of this organization for each place; the error names a place without one.
    pub async fn ids(&self, operation: &Operation, role: Role) -> Result<Ids, String> {
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
            "auditEntry" => Some(self.audit_entry().await),
            _ => None,
        };
        if operation.entry.path.starts_with("/api/integrations") {
            return Ok(self.ids_of_a_connection(operation).await);
        }
        if operation.entry.path.starts_with("/api/webhooks") {
            return Ok(self.ids_of_a_webhook(operation).await);
        }
        if operation.entry.path.starts_with("/api/triage/{id}") {
            return Ok(self.ids_of_a_batch(operation).await);
        }
        if operation.entry.path.starts_with("/api/tasks/{id}") {
            return Ok(self.ids_of_a_task(operation, role).await);
        }
        if operation.entry.path.starts_with("/api/patients") {
            return Ok(self.ids_of_patients(operation).await);
        }
        if operation.id() == "messageOriginal" {
            return Ok(Ids::from([("id".into(), self.triaged.clone())]));
        }
        if operation.id() == "removeUser" {
            let form = self.form_of_a_user(&format!("{}@carepost.example", Uuid::now_v7().simple()));
            let user = self.browser(Role::Admin).post("/api/users", &form).await.json();
            return Ok(Ids::from([("id".into(), text(&user["id"]))]));
        }
        if operation.entry.path.starts_with("/api/intake/filters") {
            return Ok(self.ids_of_a_saved_filter(operation, role).await);
        }
        if operation.id() == "removeMessageNote" {
            return Ok(self.ids_of_a_note(role).await);
        }
        if operation.entry.path.starts_with("/api/messages/{id}/signers") {
            return Ok(self.ids_of_a_signature(operation, role).await);
        }
        if operation.id() == "listSignatures" {
            self.signature(role, &self.referral_draft(role).await).await;
            return Ok(Ids::new());
        }
        if operation.entry.path.starts_with("/api/messages/bulk/jobs/{id}") {
            return Ok(Ids::from([("id".into(), self.bulk_job(role).await)]));
        }
        if operation.entry.path.starts_with("/api/settings/intakerules") {
            return Ok(self.ids_of_an_intake_rule(operation).await);
        }
        if operation.entry.path.starts_with("/api/settings/directaddresses") {
            return Ok(self.ids_of_a_direct_address(operation).await);
        }
        if operation.entry.path.starts_with("/api/conversations") {
            return Ok(self.ids_of_a_referral(operation, role).await);
        }
        if operation.id() == "saveUserIntakeRules" {
            let mut ids = self.ids_of_a_user(operation, role);
            ids.insert("body[].intakeRuleId".into(), self.only_intake_rule().await);
            return Ok(ids);
        }
        if operation.entry.path.starts_with("/api/settings/documenttypes") {
            let form = self.form_of_a_release_type();
            let made = self.browser(Role::Admin).post("/api/settings/documenttypes", &form).await.json();
            return Ok(operation.places.iter().map(|place| (place.clone(), text(&made["id"]))).collect());
        }
        if operation.entry.path.starts_with("/api/settings/releasetypes") {
            return Ok(self.ids_of_a_release_type(operation).await);
        }
        if operation.entry.path.starts_with("/api/organizations/{id}/serviceaccount") {
            return Ok(self.ids_of_a_service_account(operation).await);
        }
        if operation.entry.path.starts_with("/api/users/{id}") {
            return Ok(self.ids_of_a_user(operation, role));
        }
        if let Some(id) = of_account {
            return Ok(operation.places.iter().map(|place| (place.clone(), id.clone())).collect());
        }
        if operation.entry.path.starts_with("/api/admin/documentsources/") {
            return Ok(self.ids_of_a_number(operation).await);
        }
        if operation.id() == "faxPages" {
            return Ok(Ids::from([("id".into(), self.draft_of_a_fax(role).await)]));
        }
        if operation.id() == "sendFaxAgain" {
            return Ok(self.ids_of_a_failed_fax(role).await);
        }
        if operation.id() == "cancelFax" {
            return Ok(self.ids_of_a_fax(role, DeliveryState::Queued).await);
        }
        if operation.entry.path.starts_with("/api/failedmessages/{id}") {
            let ids = self.ids_of_a_failed_fax(role).await;
            return Ok(Ids::from([("id".into(), ids["deliveryId"].clone())]));
        }
        if operation.id() == "failedMessages" {
            self.ids_of_a_failed_fax(role).await;
        }
        if ["deliverySummary", "sendDeliverySummaryToIntake"].contains(&operation.id()) {
            self.offer_delivery_summaries().await;
            let ids = self.ids_of_a_failed_fax(role).await;
            return Ok(ids.into_iter().filter(|(place, _)| place == "id").collect());
        }
        if operation.places.contains("cacheId") {
            return Ok(Ids::from([("cacheId".into(), self.cached_mail().await)]));
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
                "id" | "body.ids[]" | "query.messageId" => message.clone(),
                "attachmentId" | "body.attachments[].id" => file.clone(),
                "query.userId" => self.user(role).id.to_string(),
                "body.userId" | "body.mentioned[]" => self.practice.user.id.to_string(),
                "body.orgId" => self.practice.organization.id.to_string(),
                "body.originalObjectId" => self.intake.clone(),
                "body.releaseTypeId" => self.release_type.to_string(),
                _ => return None,
            })
        };
        let named = |place: &String| id(place).map(|id| (place.clone(), id)).ok_or_else(|| place.clone());
        operation.places.iter().map(named).collect()
    }

    /// A mail extracted from another mail, with a file in it.
    async fn cached_mail(&self) -> String {
        let draft = self.draft().await;
        let file = self.file(&draft, "openAttachmentPart").await;
        let path = format!("/api/messages/{draft}/attachments/{file}/parts/1");
        text(&self.practice.client.post(&path, &json!({})).await.ok()["cacheId"])
    }

    /// The batch, or a new one for operations that change it.
    async fn ids_of_a_batch(&self, operation: &Operation) -> Ids {
        let changes = ["saveTriageBatch", "discardTriageBatch", "addTriageFile"].contains(&operation.id());
        let batch = if changes {
            text(&self.practice.client.post("/api/triage", &json!({})).await.ok()["id"])
        } else {
            self.batch.clone()
        };
        let id = |place: &str| match place {
            "fileId" => self.batch_file.clone(),
            "body.parts[].assignedTo" => self.practice.user.id.to_string(),
            _ => batch.clone(),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    /// The caller's finished export, or a new one for operations that change it.
    async fn ids_of_a_task(&self, operation: &Operation, role: Role) -> Ids {
        let (client, ready) = (self.browser(role), &self.exports[&role]);
        if !["cancelTask", "retryTask", "discardTask"].contains(&operation.id()) {
            return Ids::from([("id".into(), ready.clone())]);
        }
        // The number of exports is limited.
        for task in client.get("/api/tasks").await.ok()["items"].as_array().into_iter().flatten() {
            let id = text(&task["id"]);
            if id != *ready {
                client.delete(&format!("/api/tasks/{id}")).await;
            }
        }
        let wanted = json!({ "ids": [self.intake], "form": "NativeExport" });
        let id = text(&client.post("/api/tasks", &wanted).await.ok()["id"]);
        if operation.id() == "retryTask" {
            client.put(&format!("/api/tasks/{id}/cancel"), &json!({})).await.ok();
        }
        Ids::from([("id".into(), id)])
    }

    /// An audit entry of this organization.
    async fn audit_entry(&self) -> String {
        let entries = self.browser(Role::Admin).get("/api/audit/entries/message").await.ok();
        text(&entries["items"][0]["id"])
    }

    /// A connection to an EHR that is not called here.
    async fn ids_of_a_connection(&self, operation: &Operation) -> Ids {
        let saved =
            self.browser(Role::Admin).put("/api/integrations", &self.form_of_a_connection()).await.ok();
        operation.places.iter().map(|place| (place.clone(), text(&saved["id"]))).collect()
    }

    fn form_of_a_connection(&self) -> Value {
        json!({
            "integrationType": "Fhir", "name": format!("{} {}", self.marks[0], Uuid::now_v7().simple()),
            "isActive": true, "baseUrl": "http://127.0.0.1:9/r4", "authentication": "Open",
        })
    }

    /// A webhook for an event that does not occur here, and a test delivery.
    async fn ids_of_a_webhook(&self, operation: &Operation) -> Ids {
        let admin = self.browser(Role::Admin);
        let there = admin.get("/api/webhooks").await.ok()["items"][0]["id"].as_str().map(str::to_owned);
        let id = match there {
            Some(id) => id,
            None => text(&admin.post("/api/webhooks", &self.form_of_a_webhook()).await.ok()["id"]),
        };
        let mut ids = Ids::from([("id".to_owned(), id.clone())]);
        if operation.places.contains("deliveryId") {
            let test = admin.post(&format!("/api/webhooks/{id}/test"), &json!({})).await.ok();
            ids.insert("deliveryId".into(), text(&test["id"]));
        }
        ids.retain(|place, _| operation.places.contains(place));
        ids
    }

    /// A new service account, and a limit that allows more.
    async fn ids_of_a_service_account(&self, operation: &Operation) -> Ids {
        let id = self.practice.organization.id;
        let found = organization::Entity::find_by_id(id).one(&self.db).await.expect("organizations");
        let mut settings = found.expect("an organization").settings;
        settings["serviceAccounts"] = json!({ "count": 100, "version": 1 });
        let roomy = organization::ActiveModel { id: Set(id), settings: Set(settings), ..Default::default() };
        roomy.update(&self.db).await.expect("an organization");
        let mut ids = Ids::from([("id".to_owned(), id.to_string())]);
        if operation.places.contains("accountId") {
            let form = json!({ "name": Uuid::now_v7().simple().to_string() });
            let accounts = format!("/api/organizations/{id}/serviceaccounts");
            let issued = self.browser(Role::Admin).post(&accounts, &form).await.ok();
            ids.insert("accountId".into(), text(&issued["account"]["id"]));
        }
        ids
    }

    fn form_of_a_webhook(&self) -> Value {
        json!({
            "name": format!("{} {}", self.marks[0], Uuid::now_v7().simple()), "url": "http://127.0.0.1:9/",
            "events": ["message.uncertain"],
        })
    }

    /// A new release type that no message uses.
    async fn ids_of_a_release_type(&self, operation: &Operation) -> Ids {
        let form = self.form_of_a_release_type();
        let made = self.browser(Role::Admin).post("/api/settings/releasetypes", &form).await.json();
        let id = |place: &str| if place == "id" { text(&made["id"]) } else { self.source.to_string() };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    /// Two patients of sent documents who may be the same person.
    async fn ids_of_patients(&self, operation: &Operation) -> Ids {
        let client = &self.practice.client;
        // New patients each time, because a decision about two patients is final.
        let end =
            Uuid::now_v7().as_bytes().map(|byte| char::from(b'a' + byte % 26)).iter().collect::<String>();
        let firsts = ["Marisol", "Marisa"].map(|first| format!("{first}{end}"));
        for first in &firsts {
            self.document_of_a_namesake(first).await;
        }
        let mut found = Vec::new();
        for first in &firsts {
            let search = json!({ "text": format!("{first} {}", self.marks[0]) });
            let answer = client.post("/api/patients/_search", &search).await.ok();
            found.push(text(&answer["items"][0]["id"]));
        }
        let [one, other] = [found[0].clone(), found[1].clone()];
        let event = if operation.places.contains("eventId") {
            let told = json!({ "otherId": other });
            text(&client.post(&format!("/api/patients/{one}/distinct"), &told).await.ok()["eventId"])
        } else {
            String::new()
        };
        let id = |place: &str| match place {
            "eventId" => event.clone(),
            "body.otherId" => other.clone(),
            _ => one.clone(),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    /// Sends a document, so that its patient becomes known.
    async fn document_of_a_namesake(&self, first: &str) {
        let mut fields = testkit::document(&self.practice.address, &[&self.partner], "A namesake");
        fields["patient"]["firstName"] = first.into();
        fields["patient"]["lastName"] = self.marks[0].clone().into();
        let draft = self.practice.client.draft(fields).await;
        let meta = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
        self.practice.client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), meta).await;
        self.practice.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    }

    /// The caller's own filter. The list also contains one that an administrator shares with everybody.
    async fn ids_of_a_saved_filter(&self, operation: &Operation, role: Role) -> Ids {
        if operation.places.is_empty() {
            let mut shared = self.form_of_a_saved_filter();
            shared["isShared"] = true.into();
            self.browser(Role::Admin).post("/api/intake/filters", &shared).await.ok();
        }
        let made =
            self.browser(role).post("/api/intake/filters", &self.form_of_a_saved_filter()).await.json();
        operation.places.iter().map(|place| (place.clone(), text(&made["id"]))).collect()
    }

    fn form_of_a_saved_filter(&self) -> Value {
        json!({ "name": format!("{} {}", self.marks[0], Uuid::now_v7().as_u128() as u32), "filter": {}, "version": 1 })
    }

    /// A note that the caller wrote.
    async fn ids_of_a_note(&self, role: Role) -> Ids {
        let note = json!({ "text": self.marks[0] });
        let path = format!("/api/messages/{}/notes", self.intake);
        let notes = self.browser(role).post(&path, &note).await.ok()["notes"].clone();
        let own = notes.as_array().and_then(|notes| notes.last()).expect("a note");
        Ids::from([("id".to_owned(), self.intake.clone()), ("noteId".to_owned(), text(&own["id"]))])
    }

    /// A draft with a file, for which signatures of everybody with access to messages are or can be
    /// requested.
    async fn ids_of_a_signature(&self, operation: &Operation, role: Role) -> Ids {
        let draft = self.draft_with_pdf(role).await;
        let is_asked = !operation.places.contains("body.signers[]");
        let signature = if is_asked { self.signature(role, &draft).await } else { String::new() };
        let id = |place: &str| match place {
            "signatureId" => signature.clone(),
            "body.signers[]" => self.practice.user.id.to_string(),
            _ => draft.clone(),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    /// A draft with a PDF, which can be signed without a preview.
    async fn draft_with_pdf(&self, role: Role) -> String {
        let client = self.browser(role);
        let fields = testkit::document(&self.practice.address, &[&self.partner], &self.marks[0]);
        let draft = client.draft(fields).await;
        let note = documents::samples::visit_note_pdf(
            &documents::samples::patients()[0],
            &documents::samples::practices()[0],
            chrono::NaiveDate::from_ymd_opt(2026, 11, 19).expect("a day"),
        );
        client.upload(&draft, "Note.pdf", note, json!({})).await;
        draft
    }

    /// Requests signatures for a message from everybody with access to messages. Returns the first request.
    async fn signature(&self, role: Role, message: &str) -> String {
        let signers = [self.user(Role::User).id, self.user(Role::Admin).id];
        let path = format!("/api/messages/{message}/signers");
        let asked = self.browser(role).post(&path, &json!({ "signers": signers })).await.ok();
        text(&asked["items"][0]["id"])
    }

    /// A bulk job of the role on all messages of the Intake.
    async fn bulk_job(&self, role: Role) -> String {
        let path = "/api/messages/bulk/jobs";
        let own = self.browser(role).get(path).await.ok();
        if own["items"][0].is_object() {
            return text(&own["items"][0]["id"]);
        }
        let job = self.browser(role).post(path, &json!({ "act": "read", "intake": {} })).await.ok();
        text(&job["id"])
    }

    /// A new referral request, and a draft that can become another.
    async fn ids_of_a_referral(&self, operation: &Operation, role: Role) -> Ids {
        let client = self.browser(role);
        let request = json!({ "messageId": self.referral_draft(role).await, "reason": self.marks[0] });
        let made = client.post("/api/conversations", &request).await.json();
        let draft = self.referral_draft(role).await;
        let id = |place: &str| match place {
            "id" => text(&made["id"]),
            "body.responseToMessageId" => text(&made["messageId"]),
            _ => draft.clone(),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    async fn referral_draft(&self, role: Role) -> String {
        let client = self.browser(role);
        let fields = testkit::document(&self.practice.address, &[&self.partner], &self.marks[0]);
        let draft = client.draft(fields).await;
        let note = documents::samples::ccd_xml(
            &documents::samples::patients()[0],
            &documents::samples::practices()[0],
            chrono::NaiveDate::from_ymd_opt(2026, 11, 19).expect("a day"),
        );
        client.upload(&draft, "Referral.xml", note.into_bytes(), json!({})).await;
        draft
    }

    /// A new intake rule; removes all others.
    async fn only_intake_rule(&self) -> String {
        let admin = self.browser(Role::Admin);
        let list = admin.get("/api/settings/intakerules?pageSize=100").await.ok();
        for rule in list["items"].as_array().into_iter().flatten() {
            admin.delete(&format!("/api/settings/intakerules/{}", text(&rule["id"]))).await;
        }
        text(&admin.post("/api/settings/intakerules", &self.form_of_an_intake_rule()).await.json()["id"])
    }

    async fn ids_of_an_intake_rule(&self, operation: &Operation) -> Ids {
        let rule = self.only_intake_rule().await;
        let id = |place: &str| {
            if place.ends_with("people[]") { self.practice.user.id.to_string() } else { rule.clone() }
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    /// Form of a rule that matches no incoming message.
    fn form_of_an_intake_rule(&self) -> Value {
        json!({
            "name": format!("{} {}", self.marks[0], Uuid::now_v7().simple()), "subjects": ["nothing like it"],
            "stops": true,
        })
    }

    /// A Direct address that is requested but not created.
    async fn ids_of_a_direct_address(&self, operation: &Operation) -> Ids {
        let form = self.form_of_a_direct_address();
        let made = self.browser(Role::Admin).post("/api/settings/directaddresses", &form).await.json();
        let id = |place: &str| match place {
            "id" => text(&made["id"]),
            "query.organizationId" => self.practice.organization.id.to_string(),
            _ => self.practice.user.id.to_string(),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    fn form_of_a_direct_address(&self) -> Value {
        json!({ "localPart": format!("a{}", Uuid::now_v7().simple()), "displayName": self.marks[0] })
    }

    fn form_of_a_release_type(&self) -> Value {
        json!({ "name": format!("{} {}", self.marks[0], Uuid::now_v7().simple()) })
    }

    /// An administrator queries others, everybody else themselves.
    pub fn ids_of_a_user(&self, operation: &Operation, role: Role) -> Ids {
        let user = if role == Role::Admin { self.practice.user.id } else { self.user(role).id };
        let id = |place: &str| match place {
            "body[].organizationId" => self.practice.organization.id,
            "body[].documentSourceId" => self.source,
            _ => user,
        };
        operation.places.iter().map(|place| (place.clone(), id(place).to_string())).collect()
    }

    /// The version on which a change is based; null for things that do not belong to the side.
    pub async fn version(&self, operation: &Operation, ids: &Ids) -> Value {
        let admin = self.browser(Role::Admin);
        let id = |place: &str| ids.get(place).map_or("", String::as_str);
        let (path, member) = match operation.id() {
            "updateUser" => return self.version_of(id("id")).await.into(),
            "saveFaxAccount" => return self.account_version("embedded").await,
            "saveEfaxAccount" => return self.account_version("efax").await,
            "saveWestfaxAccount" => return self.account_version("westfax").await,
            "saveSecuritySettings" => ("/api/account/settings/security".into(), "/version"),
            "saveFaxSettings" => ("/api/fax/settings".into(), "/version"),
            "saveInteroperabilitySettings" => ("/api/settings/interoperability".into(), "/version"),
            "putSavedAddresses" => ("/api/directaddresscache".into(), "/version"),
            "updateOwnDocumentType" => (format!("/api/settings/documenttypes/{}", id("id")), "/version"),
            "updateOwnReleaseType" => (format!("/api/settings/releasetypes/{}", id("id")), "/version"),
            "updateWebhook" => (format!("/api/webhooks/{}", id("id")), "/version"),
            "saveIntegration" => (format!("/api/integrations/{}", id("body.id")), "/version"),
            "updateIntakeRule" => (format!("/api/settings/intakerules/{}", id("id")), "/version"),
            "saveDirectAddress" => (format!("/api/settings/directaddresses/{}", id("id")), "/version"),
            "updateDocumentSource" => (format!("/api/admin/documentsources/{}", id("id")), "/version"),
            "saveTriageBatch" | "fileTriageBatch" => (format!("/api/triage/{}", id("id")), "/version"),
            "correctPatient" => (format!("/api/patients/{}", id("id")), "/version"),
            "putMessagePatient" => (format!("/api/messages/{}", id("id")), "/patientVersion"),
            "putAttachment" | "putFilePatient" => {
                let file = format!("/api/messages/{}/attachments/{}/metadata", id("id"), id("attachmentId"));
                (file, "/attachmentMeta/version")
            }
            _ => return Value::Null,
        };
        let client = if path.starts_with("/api/messages") { &self.practice.client } else { admin };
        let answer = client.get(&path).await;
        if !answer.status.is_success() {
            return Value::Null;
        }
        answer.ok().pointer(member).cloned().unwrap_or_default()
    }

    async fn version_of(&self, user: &str) -> i32 {
        let id = user.parse::<Uuid>().expect("an id");
        let row = app_user::Entity::find_by_id(id).one(&self.db).await.expect("users");
        row.map_or(1, |user| user.version)
    }

    /// The body of a call, without its ids; `None` if the operation has no fixture here.
    pub fn body(&self, operation: &Operation) -> Option<Value> {
        let plain_file = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19" });
        Some(match operation.id() {
            "createOrganizationServiceAccount" => json!({ "name": Uuid::now_v7().simple().to_string() }),
            "saveOrganizationServiceAccount" => json!({
                "name": Uuid::now_v7().simple().to_string(), "serviceAccountEnabled": false,
                "clientIpAddresses": ["192.0.2.7"], "version": 1,
            }),
            "renewOrganizationServiceAccount" => json!({}),
            "saveIntegration" => self.form_of_a_connection(),
            "integrationCertificate" | "clearIntegrationCache" => json!({}),
            "createWebhook" | "updateWebhook" => self.form_of_a_webhook(),
            "renewWebhookSecret" | "testWebhook" | "resumeWebhook" | "resendWebhookDelivery" => json!({}),
            "resendWebhookDeliveries" => json!({ "since": "2026-11-01T00:00:00Z" }),
            "createSupportTicket" => json!({
                "area": "Other", "severity": 4, "subject": self.marks[0], "details": "How is this done?",
            }),
            "createOwnDocumentType"
            | "updateOwnDocumentType"
            | "createOwnReleaseType"
            | "updateOwnReleaseType" => self.form_of_a_release_type(),
            "createSavedFilter" | "updateSavedFilter" => self.form_of_a_saved_filter(),
            "addMessageNote" => json!({ "text": self.marks[0] }),
            "takeOverMessage" => json!({}),
            "createIntakeRule" | "updateIntakeRule" => self.form_of_an_intake_rule(),
            "requestReferral" => json!({ "reason": self.marks[0] }),
            "trackedConversations" => json!({}),
            "respondToConversation" => json!({ "responseAction": "Cancel" }),
            "tryIntakeRules" => {
                json!({ "rule": { "name": "All of them", "stops": true }, "pageSize": 100 })
            }
            "orderIntakeRules" | "activateDirectAddress" | "retireDirectAddress" => json!({}),
            "requestDirectAddress" | "saveDirectAddress" => self.form_of_a_direct_address(),
            "createDraft" | "updateDraft" => json!({ "subject": self.marks[0] }),
            "sendMessage" | "forwardMessage" | "sendDeliverySummaryToIntake" => json!({}),
            "replyMessage" => json!({ "fromAddress": self.practice.address, "toAddress": self.partner }),
            "searchKnownPatients" => json!({ "name": self.marks[0] }),
            "draftForAnotherRecipient" | "takeMessageBack" => json!({}),
            "mergePatients" | "tellPatientsApart" | "undoPatientEvent" => json!({}),
            "correctPatient" => json!({ "telephone": "5550100142" }),
            "matchPatients" => {
                json!({ "firstName": "Marisol", "lastName": self.marks[0], "birthDate": "1961-03-14" })
            }
            "patientDisclosures" => {
                json!({ "firstName": "Marisol", "lastName": "Tenney", "birthDate": "1961-03-14" })
            }
            "transformAttachment" => json!({ "transforms": ["Pdf"] }),
            "putMessagePatient" | "putFilePatient" => json!({ "firstName": "Aiyana" }),
            "processMessage" => json!({ "isProcessed": true, "acceptsGaps": true }),
            "putAttachment" => json!({ "attachmentMeta": plain_file }),
            "lookAddressesUp" | "validateTypedAddresses" => json!({ "addresses": [self.partner] }),
            "searchRelease" | "searchContacts" | "searchFaxLog" | "searchedFaxLogCsv" => json!({}),
            "searchDirectory" => json!({ "state": "OH" }),
            "sendInvitation" => {
                json!({ "fullName": "Rowan Aldane", "emailAddress": "rowan@trivalley.example" })
            }
            "endSession" => json!({ "password": PASSWORD }),
            "renamePasskey" | "removePasskey" => json!({ "password": PASSWORD, "name": "Key" }),
            "resetPassword" | "enableUser" | "findUserName" => json!({}),
            "createDocumentSource" | "updateDocumentSource" => form_of_a_number(),
            "saveFaxAccount" | "saveFaxSettings" | "testFaxAccount" | "activateDocumentSource" => json!({}),
            "saveEfaxAccount" | "saveWestfaxAccount" => account_at_a_service(),
            "addWestfaxNumber" => json!({ "number": new_number() }),
            "syncWestfaxAccount" => json!({}),
            "sendFaxAgain" | "cancelFax" => json!({}),
            "acknowledgeFailedMessage" | "acknowledgeAllFailedMessages" | "sendFailedMessageNow" => json!({}),
            "bulkMessages" => json!({ "act": "assign" }),
            "createTask" => json!({ "form": "NativeExport" }),
            "cancelTask" | "retryTask" => json!({}),
            "startBulkJob" => json!({ "act": "read", "intake": {} }),
            "stopBulkJob" => json!({}),
            "requestSignatures" => json!({ "note": self.marks[0] }),
            "signMessage" => json!({
                "documents": "", "password": PASSWORD, "consents": true,
                "signature": { "kind": "typed", "text": "Ola Ng" },
            }),
            "declineSignature" => json!({ "reason": self.marks[0] }),
            "saveUserDocumentSources" | "saveUserIntakeRules" => json!([]),
            "createUser" => self.form_of_a_user(&format!("{}@carepost.example", Uuid::now_v7().simple())),
            "updateUser" => self.form_of_a_user(&self.practice.user.user_name),
            "resendInvitation" => json!({ "userName": self.invited.user_name }),
            "saveInteroperabilitySettings" => json!({
                "exportMode": if self.marks[0] == SUBJECT { "print" } else { "save_as" },
                "exportOption": "standard", "exportDirectoryType": "single_directory",
                "exportVisitDirectory": false, "nonPatientExport": true, "suppressDefaultFaxCoverSheet": false,
                "suppressFaxMetadataPages": false, "deliverySummaryEnableDownload": true,
            }),
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
            | "createTriageBatch" | "saveTriageBatch" | "addTriageFile" | "fileTriageBatch"
            | "separatorSheet" | "requestExtraction" | "putAttachments" | "convertAttachment"
            | "restoreAttachment" | "openAttachmentPart" | "openDocumentPart" | "uploadAttachment"
            | "hubTicket" | "requestPlanUpgrade" => json!({}),
            _ => return None,
        })
    }

    pub fn form_of_a_user(&self, user_name: &str) -> Value {
        json!({
            "userName": user_name, "firstName": "Priya", "lastName": "Nandakumar", "roleName": "User",
            "jobFunctionId": self.job,
        })
    }
}
