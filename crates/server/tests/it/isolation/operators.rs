//! Every operation succeeds on PostgreSQL, so that no statement has only been run on SQLite. The other tests
//! in this folder cover operations of an organization's people. This one calls operations for people of the
//! platform and for everybody, using [`flows`] where a call needs the answer to another.
//!
//! A new operation without ids, body and required parameters needs nothing. A list whose records are created,
//! read, changed and deleted needs one line in `form`, other operations one line in `call`.

use super::{
    flows,
    operations::{OF_ITS_EHR, OF_SIGNED_FILES, Operation, operations},
    side::{Ids, World, letter, text},
    with_fixtures,
};
use crate::trust::Publisher;
use chrono::TimeDelta;
use console::lookups::API_CAPTURE_SETTING;
use platform::{Role, nodes, secret::token_hash, session::ROLE_USER};
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use serde_json::{Value, json};
use server::openapi::{self, Entry};
use store::entities::{
    api_capture,
    attachment::{self, ScanState},
    brand, certificate_authority, fax_account,
    fax_reception::{self, ReceptionState},
    held_file::{self, HeldOrigin, HeldState},
    installation, node, organization,
};
use testkit::{Answer, Client, Db, Organization};
use uuid::Uuid;

/// Operations that cannot succeed yet, for any caller.
const OF_NOBODY: &[(&str, &str)] =
    &[("removeUserApplication", "nobody can give an application access, so there is none to take away")];

pub(super) const PLATFORM_ROLES: [Role; 2] = [Role::SysAdmin, Role::Reporting];

/// Value of `{list}` in paths that are the same for several lists.
const LIST: &str = "jobfunctions";

/// A picture of one pixel.
const DOT: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Parameters and body of a call.
#[derive(Default)]
pub(super) struct Call {
    /// Values of the path parameters, in order.
    ids: Vec<String>,
    query: &'static str,
    body: Option<Value>,
}

fn body(body: Value) -> Call {
    Call { body: Some(body), ..Call::default() }
}

fn query(query: &'static str) -> Call {
    Call { query, ..Call::default() }
}

fn ids<const N: usize>(ids: [String; N]) -> Call {
    Call { ids: ids.into(), ..Call::default() }
}

impl Call {
    fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }
}

impl World {
    /// The form of a new record. `POST` to the path of a list creates one, and every `{id}` below that path
    /// is a new one. `PUT` saves the form again, with the version; to the path of the list itself, with the
    /// id too.
    async fn form(&self, list: &str) -> Option<Value> {
        let name = format!("x{}", Uuid::new_v4().simple());
        Some(match list {
            "/api/admin/documenttypes"
            | "/api/admin/features"
            | "/api/admin/lists/jobfunctions"
            | "/api/admin/organizationspecialties"
            | "/api/admin/releasetypes"
            | "/api/networks"
            | "/api/reservedwords" => json!({ "name": name }),
            "/api/admin/emergencies" => {
                json!({ "name": name, "organizations": [self.emergency_organization().await["oid"]] })
            }
            "/api/admin/inboundconnections" => json!({
                "name": name, "kind": "Mllp", "organizationId": self.organization().await.id,
                "networks": ["10.2.0.0/16"],
            }),
            "/api/admin/integrations/whitelist" => json!({
                "name": name, "integrationId": "Webhooks", "organizationId": self.organization().await.id,
            }),
            "/api/admin/plans" => json!({ "name": name, "tierCode": "T9", "allowedUsers": 5 }),
            "/api/admin/resellers" => json!({ "name": name, "type": "Licensing" }),
            "/api/admin/routingrules" => routing_rule(&name),
            "/api/admin/routingrules/endpoints" => json!({
                "routingRuleId": self.new_routing_rule().await, "ipAddress": "hl7.example", "port": "2575",
            }),
            "/api/admin/routingrules/senders" => json!({
                "routingRuleId": self.new_routing_rule().await, "organizationId": self.organization().await.id,
                "organizationOid": "1.2.840.7",
            }),
            "/api/admin/users" => json!({
                "userDetails": {
                    "userName": format!("{name}@carepost.example"), "firstName": "Rowan", "lastName": "Aldane",
                    "roleName": "User", "jobFunctionId": self.owner.job,
                },
                "organizationId": self.owner.practice.organization.id, "emailCreatePassword": true,
            }),
            "/api/admin/trust/anchors" => json!({
                "certificate": self.certificate().await, "organizationId": self.organization().await.id,
            }),
            "/api/admin/trust/bundles" => json!({
                "name": name, "url": self.published_bundle().await, "organizationId": self.organization().await.id,
            }),
            "/api/brands" => json!({
                "name": name, "displayName": "Bluestem Exchange", "color": "#7c3671", "logo": DOT,
                "hosts": [format!("{name}.example")],
            }),
            "/api/organizations" => self.form_of_an_organization(&name).await,
            _ => return None,
        })
    }

    /// Requirements of an operation other than a record of its list.
    async fn call(&self, operation: &str) -> Option<Call> {
        Some(match operation {
            "activateOrganization" => ids([self.organization_with_administrator().await])
                .body(json!({ "activated": true, "sendEmail": true })),
            "reopenAlert" => ids([self.acknowledged_alert().await]),
            "saveServiceAccountAddressLimit" => {
                let (organization, account) = self.service_account().await;
                ids([organization, text(&account["id"])]).body(json!({ "count": 7 }))
            }
            "saveDirectSettings" => {
                ids([self.owner.practice.organization.id.to_string()]).body(json!({ "certificate": "Renew" }))
            }
            "saveServiceAccountLimit" => {
                ids([self.organization().await.id.to_string()]).body(json!({ "count": 3 }))
            }
            "organizationAdmins"
            | "organizationDevices"
            | "organizationIntegrations"
            | "organizationLicenses"
            | "qhin" => ids([self.organization().await.id.to_string()]),
            "saveQhin" => ids([self.organization().await.id.to_string()])
                .body(json!({ "participates": false, "version": 0 })),
            "acknowledgeAlert" => ids([self.silent_node().await]).body(json!({ "note": "Seen" })),
            "addAlternateOid" => ids([self.organization().await.id.to_string()]).body(alternate_oid()),
            "addNetworkAdmin" => ids([self.network().await]).body(json!({ "userName": self.user().await.1 })),
            "addNetworkFeature" => ids([self.network().await]).body(json!({ "name": "Referrals" })),
            "addNetworkOrganization" => {
                ids([self.network().await]).body(json!({ "organizationId": self.organization().await.id }))
            }
            "addUserToOrganization" => {
                let assignment = self.assignment().await;
                ids([text(&assignment["organizationId"])]).body(assignment)
            }
            "alternateOids" => ids([self.organization().await.id.to_string()]),
            "assignFax" => {
                ids([self.fax_of_nobody().await]).body(json!({ "documentSourceId": self.fax_number().await }))
            }
            "assignUserOrganization" => body(self.assignment().await),
            "brandLogo" => ids([text(&self.record("/api/brands").await["id"]), "digest".into()]),
            "captureOrganizationApi" => {
                self.offer_api_capture().await;
                body(json!({ "enable": true }))
            }
            "clearCancellation" => ids([self.organization_that_ends().await]),
            "changeNetworkFeature" => ids([self.network_with_a_feature().await])
                .body(json!({ "name": "Referrals", "isEnabled": true })),
            "createSysAdmin" => body(json!({
                "userName": format!("{}@carepost.example", Uuid::now_v7().simple()), "firstName": "Rhea",
                "lastName": "Port", "role": "SysAdminReporting",
            })),
            "enableAdminUser" => body(json!({ "id": self.user().await.0, "enable": false })),
            "supportTicket" => ids([self.support_ticket().await]),
            "updateTrustAnchor" => {
                let anchor = self.record("/api/admin/trust/anchors").await;
                ids([text(&anchor["id"])])
                    .body(json!({ "direction": "Incoming", "version": anchor["version"] }))
            }
            "updateSupportTicket" => {
                ids([self.support_ticket().await]).body(json!({ "state": "Closed", "version": 1 }))
            }
            "enableOrganization" => body(json!({ "enable": true })),
            "countRetry" => {
                body(json!({ "type": "send", "retryStep": "Deliver", "workflowIds": [Uuid::now_v7()] }))
            }
            "testRoutingRule" => {
                let endpoint = self.record("/api/admin/routingrules/endpoints").await;
                ids([text(&endpoint["routingRuleId"])]).body(json!({ "endpointId": endpoint["id"] }))
            }
            "dryRunRoutingRule" => ids([self.new_routing_rule().await]),
            "decodeMailMessages" => body(json!({ "objectIds": [Uuid::now_v7()] })),
            "decodeObjectIds" => body(json!([Uuid::now_v7()])),
            "decideProofing" => {
                body(json!({ "userId": self.photo_id().await, "passed": true, "sendEmail": true }))
            }
            "deleteAlternateOid" => {
                let (organization, oid) = self.alternate_oid().await;
                ids([organization, text(&oid["id"])])
            }
            "integrationOrganizations" => ids(["Webhooks".into()]),
            "issueLicenses" => body(json!({
                "name": "Dana Reyes", "email": "dana@larkfield.example", "internalproductname": "Connector",
                "quantity": 1, "expiresindays": 30, "company": self.organization().await.id, "licensedPlan": true,
                "reference": Uuid::now_v7(),
            })),
            "revealCapturedCall" => {
                ids([self.captured_call().await]).body(json!({ "reason": "Somebody asked" }))
            }
            "searchAudits" | "downloadAudits" => {
                body(json!({ "startDate": "2026-11-01", "endDate": "2026-11-20", "search": "fax" }))
            }
            "verifyAudits" => body(json!({})),
            "directoryEntries" => ids([self.organization().await.id.to_string()]),
            "deleteQuarantined" => ids([self.quarantined_file().await]),
            "releaseQuarantined" => {
                ids([self.quarantined_file().await]).body(json!({ "reason": "A false alarm" }))
            }
            "discardFax" => ids([self.fax_of_nobody().await]).body(json!({ "reason": "Advertising" })),
            "documentPage" => ids([self.photo_id().await, "1".into()]),
            "emergencyOrganization" | "removeEmergencyOrganization" => {
                ids([text(&self.emergency_organization().await["oid"])])
            }
            "enableSysAdmin" => {
                let operator = self.app.user(Role::Reporting, &self.owner.practice.organization).await;
                ids([operator.id.to_string()]).body(json!({ "enable": false }))
            }
            "endUserSessions" | "userSessions" => ids([self.user_with_a_session().await]),
            "adminUserOrganizations" => ids([self.user().await.0]),
            "eventsReport" => query("start=2026-11-01T00:00:00Z&end=2026-11-20T00:00:00Z&pageNumber=1"),
            "faxCallback" => ids([self.callback_token().await]),
            "findNpi" => query("npiNumber=1234567893"),
            "documentReview" | "identityDocument" | "resetProofing" => ids([self.photo_id().await]),
            "isReservedWord" | "reservedWordExists" => query("name=carepost"),
            "networkOverview" => ids([self.network().await]),
            "removeNetworkAdmin" => {
                let (network, (id, user_name)) = (self.network().await, self.user().await);
                let admins = format!("/api/admin/networks/{network}/admins");
                self.operator().post(&admins, &json!({ "userName": user_name })).await.ok();
                ids([network, id])
            }
            "removeNetworkFeature" => {
                Call { query: "name=Referrals", ..ids([self.network_with_a_feature().await]) }
            }
            "removeNetworkOrganization" => {
                ids([self.owner.network.to_string(), self.owner.practice.organization.id.to_string()])
            }
            "removeUserFromOrganization" => ids(self.member().await),
            "resetAuthenticators" => Call { query: "identityProof=InPerson", ..ids([self.user().await.0]) },
            "saveAlternateOid" => {
                let (organization, oid) = self.alternate_oid().await;
                ids([organization]).body(oid)
            }
            "saveDirectoryEntry" => {
                ids([self.organization().await.id.to_string()]).body(directory_entry(&new_oid()))
            }
            "saveEmergencyOrganization" => {
                let mut organization = self.emergency_organization().await;
                organization["oid"] = json!(self.oid().await);
                body(organization)
            }
            "saveOwnProfile" => body(self.changed("/api/account/profile", "firstName", "Priya").await),
            "savePreferences" => body(json!({ "emailNewMessages": true })),
            "saveScreenPreference" => ids(["pageSize".into()]).body(json!({ "value": 25 })),
            "saveUserOrganization" => {
                ids(self.member().await).body(json!({ "permissions": { "openRestricted": false } }))
            }
            "searchPublicHealth" => body(json!({ "orgId": self.oid().await })),
            "settleUpgradeRequest" => {
                let administrator = self.owner.browser(Role::Admin);
                administrator.post("/api/subscriptionplans/upgraderequest", &json!({})).await.ok();
                ids([self.owner.practice.organization.id.to_string()])
            }
            "syncDirectoryEntries" => ids([self.organization().await.id.to_string()])
                .body(json!({ "oids": ["2.16.840.1.113883.3.9999.10"] })),
            "subDomainExists" | "subDomainIsValid" => query("subdomain=larkfield"),
            "testSetup" => ids(["storage".into()]),
            "unassignUserOrganization" => {
                let [organization, user] = self.member().await;
                body(json!({ "userId": user, "organizationId": organization }))
            }
            "downloadProfilesReport" | "intakeRulesReport" | "unassignedAddressesReport" => {
                body(json!([self.owner.practice.organization.id]))
            }
            "disableTwoFactor" => Call { query: "identityProof=InPerson", ..ids([self.user().await.0]) },
            "devicesReport" => query("startDate=2026-11-01T00:00:00Z&endDate=2026-11-20T00:00:00Z"),
            "generateReport" => body(json!({ "report": "Organizations" })),
            "generatedReport" | "deleteGeneratedReport" => ids([self.generated_report().await]),
            "updateAdminUser" => {
                let id = self.user().await.0;
                let form = self.changed(&format!("/api/admin/users/{id}"), "firstName", "Priya").await;
                ids([id]).body(form)
            }
            "updateFaxCover" => {
                let id = text(&self.record("/api/brands").await["id"]);
                let form = self.changed(&format!("/api/brands/{id}/faxcover"), "notice", "Private.").await;
                ids([id]).body(form)
            }
            "odataConversions" => query("$filter=MailAttachmentId%20eq%201"),
            "odataEvents" => query("$filter=MailMessageId%20eq%201"),
            "searchWorkflowRuns" => body(json!({})),
            "workflowFailures" => query("type=send"),
            _ => return None,
        })
    }

    /// Adds people of the platform to those of the owner's organization.
    pub(super) async fn employ_operators(&mut self) {
        for role in PLATFORM_ROLES {
            let user = self.app.user(role, &self.owner.practice.organization).await;
            let client = self.app.browser_of(&user).await;
            self.owner.people.push((role, user, client));
        }
    }

    fn operator(&self) -> &Client {
        self.owner.browser(Role::SysAdmin)
    }

    /// A new record of a list.
    pub(super) async fn record(&self, list: &str) -> Value {
        let form = self.form(list).await.expect("a form");
        self.operator().post(list, &form).await.ok()
    }

    /// An operator's form as read at a path, with one changed member.
    async fn changed(&self, path: &str, member: &str, value: &str) -> Value {
        let mut form = self.operator().get(path).await.ok();
        form[member] = json!(value);
        form
    }

    /// The certificate of the installation's own authority.
    async fn certificate(&self) -> String {
        let found =
            certificate_authority::Entity::find().one(self.app.store.db()).await.expect("authorities");
        found.expect("an authority").certificate_pem
    }

    /// URL of a published trust bundle.
    async fn published_bundle(&self) -> String {
        let publisher = Publisher::start();
        std::fs::write(publisher.path("own.pem"), self.certificate().await).expect("a certificate");
        publisher.bundle("own.p7b", &["own.pem"]);
        let bytes = std::fs::read(publisher.path("own.p7b")).expect("a bundle");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/own.p7b", listener.local_addr().expect("an address"));
        let router = axum::Router::new()
            .route("/own.p7b", axum::routing::get(move || std::future::ready(bytes.clone())));
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }

    async fn new_routing_rule(&self) -> String {
        let form = routing_rule(&format!("x{}", Uuid::new_v4().simple()));
        text(&self.operator().post("/api/admin/routingrules", &form).await.ok()["id"])
    }

    async fn organization(&self) -> Organization {
        self.app.organization(&format!("x{}", Uuid::new_v4().simple())).await
    }

    async fn organization_with_administrator(&self) -> String {
        let organization = self.organization().await;
        self.app.user(Role::Admin, &organization).await;
        let closed = organization::ActiveModel { is_activated: Set(false), ..Default::default() };
        self.change(&organization, closed).await
    }

    async fn organization_that_ends(&self) -> String {
        let ending = organization::ActiveModel {
            is_pending_cancellation: Set(true),
            grace_until: Set(Some(self.app.clock.now() + TimeDelta::days(1))),
            ..Default::default()
        };
        self.change(&self.organization().await, ending).await
    }

    /// Changes an organization; returns its id.
    async fn change(&self, organization: &Organization, change: organization::ActiveModel) -> String {
        let change = organization::ActiveModel { id: Set(organization.id), ..change };
        change.update(self.app.store.db()).await.expect("an organization");
        organization.id.to_string()
    }

    async fn offer_api_capture(&self) {
        let offered =
            installation::ActiveModel { name: Set(API_CAPTURE_SETTING.into()), value: Set("true".into()) };
        offered.insert(self.app.store.db()).await.expect("a setting");
    }

    /// The alert for a node that does not respond.
    async fn silent_node(&self) -> String {
        let id = Uuid::now_v7();
        nodes::say(&self.app, id, "1.2.3", self.app.clock.now()).await.expect("a heartbeat");
        // Uses the clock of the database: the test's clock is ahead.
        let long_ago = nodes::now(&self.app) - TimeDelta::minutes(5);
        let silent = node::ActiveModel {
            id: Set(id),
            // A name without a newer node, which would replace this one.
            name: Set(format!("elsewhere {id}")),
            started_at: Set(long_ago),
            seen_at: Set(long_ago),
            ..Default::default()
        };
        silent.update(self.app.store.db()).await.expect("a node");
        format!("node.{id}")
    }

    async fn acknowledged_alert(&self) -> String {
        let id = self.silent_node().await;
        let path = format!("/api/diagnostics/messaging/systemalerts/{id}/acknowledgement");
        self.operator().put(&path, &json!({})).await.ok();
        id
    }

    async fn network(&self) -> String {
        self.app.network().await.to_string()
    }

    async fn network_with_a_feature(&self) -> String {
        let network = self.network().await;
        let features = format!("/api/admin/networks/{network}/features");
        self.operator().post(&features, &json!({ "name": "Referrals" })).await.ok();
        network
    }

    /// Ids of an organization and one of its alternate OIDs.
    async fn alternate_oid(&self) -> (String, Value) {
        let organization = self.organization().await.id.to_string();
        let oids = format!("/api/admin/organizations/{organization}/oids");
        let oid = self.operator().post(&oids, &alternate_oid()).await.ok();
        (organization, oid)
    }

    /// Ids of an organization and one of its service accounts.
    async fn service_account(&self) -> (String, Value) {
        let organization = self.organization().await.id.to_string();
        let accounts = format!("/api/organizations/{organization}/serviceaccounts");
        let issued = self.operator().post(&accounts, &json!({ "name": "Interface engine" })).await.ok();
        (organization, issued["account"].clone())
    }

    /// A report generated in the background.
    async fn generated_report(&self) -> String {
        let form = json!({ "report": "Organizations" });
        let report = self.operator().post("/api/admin/generated_reports", &form).await.ok();
        self.app.drain().await;
        text(&report["id"])
    }

    /// An OID known to the public-health service.
    async fn oid(&self) -> String {
        let (organization, oid) = (self.organization().await.id, new_oid());
        let entries = format!("/api/admin/organizations/{organization}/directoryentries");
        self.operator().put(&entries, &directory_entry(&oid)).await.ok();
        oid
    }

    /// An organization for emergencies.
    async fn emergency_organization(&self) -> Value {
        let form = json!({ "oid": self.oid().await });
        self.operator().put("/api/emergencies/organizations", &form).await.ok()
    }

    /// Form for assigning a person to another organization.
    async fn assignment(&self) -> Value {
        json!({
            "userId": self.user().await.0, "organizationId": self.organization().await.id, "role": "User",
            "jobFunctionId": self.owner.job,
        })
    }

    /// Ids of an organization, and of a person who works for it and for the owner.
    async fn member(&self) -> [String; 2] {
        let (user, organization) = (self.user().await.0, self.organization().await);
        self.app.join(user.parse().expect("an id"), &organization, ROLE_USER).await;
        [organization.id.to_string(), user]
    }

    async fn user_with_a_session(&self) -> String {
        let user = self.app.user(Role::User, &self.owner.practice.organization).await;
        self.app.browser_of(&user).await;
        user.id.to_string()
    }

    /// Id and user name of a new person of the owner.
    async fn user(&self) -> (String, String) {
        let user = self.app.user(Role::User, &self.owner.practice.organization).await;
        (user.id.to_string(), user.user_name)
    }

    async fn form_of_an_organization(&self, name: &str) -> Value {
        let brand = brand::Entity::find().one(self.app.store.db()).await.expect("brands").expect("a brand");
        json!({
            "name": name, "subDomain": name, "brandId": brand.id, "activationStatus": "NotActivated",
            "organizationTypeId": self.app.listed("organization_type", "Clinic").await,
            "organizationSpecialtyId": self.app.listed("organization_specialty", "Family Medicine").await,
            "hispProviderId": self.app.listed("hisp_provider", "Carepost Direct").await,
            "street": "418 Orchard Lane", "city": "Portland", "state": "OR", "zip": "97201",
            "primaryPhone": "503-555-0142", "primaryContactFirstName": "Dana",
            "primaryContactLastName": "Whitlock", "primaryContactEmail": "dana@larkfield.example",
        })
    }

    async fn fax_number(&self) -> String {
        text(&self.owner.number().await["id"])
    }

    async fn fax_account(&self) -> fax_account::Model {
        self.owner.restore_fax_accounts().await;
        let of_owner = fax_account::Column::OrganizationId.eq(self.owner.practice.organization.id);
        let found = fax_account::Entity::find().filter(of_owner).one(self.app.store.db()).await;
        found.expect("accounts").expect("an account")
    }

    /// A captured call, as written by a node.
    async fn captured_call(&self) -> String {
        let (id, organization) = (Uuid::now_v7(), self.owner.practice.organization.id);
        let key = self.app.keys.data_key(organization).await.expect("a key");
        let exchange = json!({
            "request": { "url": "/api/features", "headers": {}, "body": null, "omitted": null },
            "response": { "url": "", "headers": {}, "body": "{}", "omitted": null },
        });
        let row = api_capture::ActiveModel {
            id: Set(id),
            organization_id: Set(organization),
            network_id: Set(None),
            user_id: Set(self.owner.practice.user.id),
            user_name: Set(self.owner.practice.user.user_name.clone()),
            is_service: Set(false),
            token_hash: Set(String::new()),
            at: Set(self.app.clock.now()),
            method: Set("GET".into()),
            path: Set("/api/features".into()),
            status: Set(200),
            milliseconds: Set(1),
            sealed_exchange: Set(key
                .seal_json(&format!("api_capture.exchange:{id}"), &exchange)
                .expect("sealed")),
        };
        row.insert(self.app.store.db()).await.expect("a call");
        id.to_string()
    }

    async fn support_ticket(&self) -> String {
        let form =
            json!({ "area": "Fax", "severity": 2, "subject": "Busy", "details": "The line is always busy." });
        text(&self.owner.practice.client.post("/api/supporttickets", &form).await.ok()["id"])
    }

    async fn callback_token(&self) -> String {
        let mut account: fax_account::ActiveModel = self.fax_account().await.into();
        account.callback_hash = Set(token_hash("token"));
        account.update(self.app.store.db()).await.expect("an account");
        "token".into()
    }

    /// An unassigned received fax.
    async fn fax_of_nobody(&self) -> String {
        let (id, account) = (Uuid::now_v7(), self.fax_account().await);
        let fax = fax_reception::ActiveModel {
            id: Set(id),
            account_id: Set(account.id),
            organization_id: Set(account.organization_id),
            remote_id: Set(id.to_string()),
            state: Set(ReceptionState::Unknown),
            received_at: Set(self.app.clock.now()),
            ..Default::default()
        };
        fax_reception::Entity::insert(fax).exec_without_returning(self.app.store.db()).await.expect("a fax");
        id.to_string()
    }

    /// A file with malware.
    async fn quarantined_file(&self) -> String {
        let (client, organization) = (&self.owner.practice.client, self.owner.practice.organization.id);
        let message = client.draft(json!({})).await;
        let file = client.upload(&message, "Notes.txt", b"Stable".to_vec(), json!({})).await;
        let id = file.parse().expect("an id");
        let db = self.app.store.db();
        let row = attachment::Entity::find_by_id(id).one(db).await.expect("rows").expect("the file");
        let held = held_file::ActiveModel {
            id: Set(id),
            organization_id: Set(organization),
            origin: Set(HeldOrigin::Message),
            parent_id: Set(row.message_id),
            blob_id: Set(row.blob_id),
            kind: Set(row.kind.clone()),
            size_bytes: Set(row.size_bytes),
            state: Set(HeldState::Quarantined),
            finding: Set(Some("Eicar-Test-Signature".into())),
            since: Set(self.app.clock.now()),
            ..Default::default()
        };
        held_file::Entity::insert(held).exec_without_returning(db).await.expect("a held file");
        let mut infected = row.into_active_model();
        infected.scan_state = Set(ScanState::Infected);
        infected.update(db).await.expect("the file is held");
        file
    }

    /// Id of a person whose photo ID awaits a decision.
    async fn photo_id(&self) -> String {
        let organization = self.organization().await;
        let unproven = organization::ActiveModel { id_proofed_at: Set(None), ..Default::default() };
        self.change(&organization, unproven).await;
        let user = self.app.user(Role::Admin, &organization).await;
        let client = self.app.browser_of(&user).await;
        let form = Form::new().part("file", Part::bytes(letter()).file_name("id.pdf"));
        let upload = client.request(Method::POST, "/api/identityproofing/document").multipart(form);
        client.send(upload).await.ok();
        user.id.to_string()
    }

    /// Prepares the call of an operation; the error names what is missing.
    pub(super) async fn prepare(&self, operation: &Entry, description: &Value) -> Result<Call, String> {
        let mut call = self.call(&operation.id).await.unwrap_or_default();
        let path = operation.path.replace("{list}", LIST);
        let (list, below) = path.split_once("/{id}").unwrap_or((&path, ""));
        let (is_of_record, saves) = (list.len() < path.len(), operation.method == "PUT");
        if let Some(form) = self.form(list).await {
            if !is_of_record && operation.method == "POST" {
                call.body.get_or_insert(form);
            } else if call.ids.is_empty() && (is_of_record || saves) {
                let answer = self.operator().post(list, &form).await;
                if !answer.status.is_success() {
                    return Err(format!("a right form of its list: {} {}", answer.status, answer.text()));
                }
                let record = answer.json();
                if is_of_record {
                    call.ids.push(text(&record["id"]));
                }
                if below.is_empty() && saves {
                    let mut form = self.form(list).await.expect("a form");
                    form["version"] = record["version"].clone();
                    if !is_of_record {
                        form["id"] = record["id"].clone();
                    }
                    call.body.get_or_insert(form);
                }
            }
        }
        if path != operation.path {
            call.ids.insert(0, LIST.into());
        }
        let described = &description["paths"][&operation.path][operation.method.to_lowercase()];
        let required = |parameter: &&Value| parameter["in"] == "query" && parameter["required"] == true;
        let asks = described["parameters"].as_array().into_iter().flatten().find(required).is_some();
        if call.ids.len() != operation.path.matches('{').count() {
            Err("the ids in its path".into())
        } else if asks && call.query.is_empty() {
            Err("its query".into())
        } else if described["requestBody"].is_object() && call.body.is_none() {
            Err("a body".into())
        } else {
            Ok(call)
        }
    }

    /// A client that may call the operation: an operator or a visitor.
    pub(super) fn caller(&self, operation: &Entry) -> Option<&Client> {
        let may_call = |role: &Role| operation.roles.iter().any(|name| name == role.name());
        let operator = PLATFORM_ROLES.into_iter().find(may_call).map(|role| self.owner.browser(role));
        operator.or_else(|| may_call(&Role::Public).then_some(&self.visitor))
    }
}

fn new_oid() -> String {
    format!("2.25.{}", Uuid::new_v4().as_u128())
}

fn alternate_oid() -> Value {
    json!({ "value": new_oid(), "isDefault": true })
}

fn directory_entry(oid: &str) -> Value {
    json!({
        "responderType": "DirectResponder", "organizationId": oid, "displayName": "Larkfield",
        "address": "418 Orchard Lane", "city": "Portland", "state": "OR", "zipCode": "97201", "country": "US",
    })
}

pub(super) async fn send(client: &Client, operation: &Entry, call: &Call) -> Answer {
    let mut ids = call.ids.iter();
    let part = |part: &str| match part.starts_with('{') {
        true => ids.next().expect("an id").clone(),
        false => part.to_owned(),
    };
    let path = operation.path.split('/').map(part).collect::<Vec<_>>().join("/");
    let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
    let request = client.request(method, &format!("{path}?{}", call.query));
    client.send(if let Some(body) = &call.body { request.json(body) } else { request }).await
}

/// Whether a part of a called path matches the template, literally or as a parameter: `{id}`, `rows({id})`.
fn is_part(own: &str, called: &str) -> bool {
    match own.split_once('{').zip(own.rsplit_once('}')) {
        Some(((before, _), (_, after))) => called.starts_with(before) && called.ends_with(after),
        None => own == called,
    }
}

/// The operation of a call. If several paths match, the one with the fewest parameters.
fn operation_of<'a>(all: &'a [Entry], method: &str, path: &str) -> Option<&'a Entry> {
    let fits = |entry: &&Entry| {
        let (own, called) = (entry.path.split('/'), path.split('/'));
        entry.method == method
            && own.clone().count() == called.clone().count()
            && own.zip(called).all(|(own, called)| is_part(own, called))
    };
    all.iter().filter(fits).min_by_key(|entry| entry.path.matches('{').count())
}

#[tokio::test]
async fn every_operation_is_answered_with_success() {
    let Some(db) = Db::postgres() else { return };
    let mut world = World::new(db).await;
    flows::first_operator(&world.app).await;
    world.employ_operators().await;
    flows::walk(&world).await;
    // Allows further sign-ins.
    world.app.advance(TimeDelta::minutes(1));
    let mut lacking = as_operator(&world).await;
    let (all, description) = (openapi::operations(), serde_json::from_str(&openapi::json()).expect("JSON"));
    let seen = world.app.answered();
    let mut known: Vec<&str> = seen
        .iter()
        .filter_map(|(method, path)| operation_of(&all, method, path))
        .map(|entry| entry.id.as_str())
        .collect();
    let of_tenants = operations();
    known.extend(of_tenants.iter().map(Operation::id));
    known.extend(OF_NOBODY.iter().map(|(id, _)| *id));
    known.extend(OF_ITS_EHR);
    known.extend(OF_SIGNED_FILES);
    for operation in all.iter().filter(|o| !known.contains(&o.id.as_str())) {
        let Some(caller) = world.caller(operation) else {
            lacking.push(format!("{}: a flow in isolation/flows.rs", operation.id));
            continue;
        };
        match world.prepare(operation, &description).await {
            Err(what) => lacking.push(format!("{}: {what}", operation.id)),
            Ok(call) => lacking.extend(refusal(operation, &send(caller, operation, &call).await)),
        }
    }
    assert!(
        lacking.is_empty(),
        "operations lack fixtures in isolation/operators.rs:\n{}",
        lacking.join("\n")
    );
    super::ended(&world.app).await;
    world.app.finish().await;
}

/// Calls, as an operator, the operations shared by operators and people of an organization.
async fn as_operator(world: &World) -> Vec<String> {
    let mut refused = Vec::new();
    let brand = brand::Entity::find().one(world.app.store.db()).await.expect("brands").expect("a brand");
    for operation in with_fixtures(&world.owner).await {
        if operation.entry.roles.iter().any(|role| role == Role::SysAdmin.name()) {
            let ids = match operation.is_exempt() {
                true => Ids::from([("brandId".to_owned(), brand.id.to_string())]),
                false => world.owner.ids(&operation, Role::SysAdmin).await.expect("a fixture"),
            };
            let answer = world.owner.call(&operation, Role::SysAdmin, &ids).await;
            refused.extend(refusal(&operation.entry, &answer));
        }
    }
    refused
}

fn refusal(operation: &Entry, answer: &Answer) -> Option<String> {
    let is_refused = !answer.status.is_success();
    is_refused.then(|| format!("{}: {} {}", operation.id, answer.status, answer.text()))
}

fn routing_rule(name: &str) -> Value {
    json!({
        "address": format!("{name}@northgate.example"), "stepType": "SendAsHL7Step", "securityType": "Certificate",
        "endpoints": [{ "ipAddress": "hl7.northgate.example" }], "senders": [],
    })
}
