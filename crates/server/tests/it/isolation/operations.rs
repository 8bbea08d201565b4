//! The tested operations, the places of their ids, and exemptions.

use platform::Role;
use serde_json::Value;
use server::openapi::{self, Entry};
use std::collections::BTreeSet;

/// Operations that neither show nor take data of a tenant.
pub const EXEMPT: &[(&str, &str)] = &[
    ("apiCaptureConfig", "a switch of the installation"),
    ("attachmentExtensions", "the file types of the product"),
    ("acknowledgeAllFailedMessages", "answers a number: whose they are is tested in `failures.rs`"),
    (
        "acceptTerms",
        "answers the terms of the installation and whether the caller's organization accepted them",
    ),
    ("auditTypes", "the kinds of acts of the product"),
    ("brandSettings", "the look of a brand is shown to everybody"),
    ("bulkJobs", "numbers: whose they are is tested in `bulk_jobs.rs`"),
    ("classifications", "a reference list of the installation"),
    ("countIntake", "numbers without an id: whose they are is tested in `intake.rs`"),
    ("clearTasks", "answers nothing: whose they are is tested in `tasks.rs`"),
    ("currentTerms", "the terms of the installation, and whether the caller's organization accepted them"),
    ("currentTermsPdf", "the terms of the installation as a document"),
    ("documentSourceExists", "says of a number only whether anybody has it"),
    ("dashboard", "numbers without an id: whose they are is tested in `dashboard.rs`"),
    ("findUserName", "says of a user name only whether anybody has it"),
    ("dismissActivationNotice", "answers nothing; what it keeps away is the caller's own"),
    ("hubTicket", "a new ticket for the caller's own session"),
    ("availableIntegrationTypes", "the kinds of systems, and whether operators allow them"),
    ("clearIntegrationCache", "answers nothing: whose lists they are is tested in `integrations`"),
    ("integrationCapabilities", "switches without an id: whose they are is tested in `integrations`"),
    ("integrationPatientKeys", "the kinds of numbers of the product"),
    ("integrationTypes", "the kinds of systems, and whether operators allow them"),
    ("ipAddress", "the caller's own address"),
    ("lookAddressesUp", "says who can be reached, by certificates and a directory that are everybody's"),
    ("patientDisclosures", "a file without an id: whose they are is tested in `disclosures.rs`"),
    ("proofingDecision", "says how far the caller's own organization is, without a name"),
    ("ownSupportTickets", "the caller's own alone: whose they are is tested in `support.rs`"),
    ("purposesOfUse", "a reference list of the installation"),
    ("requestPlanUpgrade", "answers a sentence; the request is the caller's organization's own"),
    ("searchDirectory", "who can receive is shown to everybody"),
    ("separatorSheet", "a sheet with the caller's own words"),
    ("sendInvitation", "answers a sentence; a foreign address is refused like one that never was"),
    ("startBulkJob", "numbers: whose messages they are about is tested in `bulk_jobs.rs`"),
    ("submitIdentity", "says how far the caller's own organization is, without a name"),
    ("supportTicketChoices", "what a ticket can be about"),
    ("uploadIdentityDocument", "says how far the caller's own organization is, without a name"),
    ("userJobs", "a reference list of the installation"),
    ("validateAddresses", "judges the form of a text"),
    ("validateTypedAddresses", "judges the form of a text"),
    ("webhookAuthenticationTypes", "what the product can do"),
    ("webhookEvents", "the events of the product"),
];

/// Ids for which even the owner has no valid value.
pub const NOBODYS: &[(&str, &str, &str)] =
    &[("createDraft", "body.attachments[].id", "a draft that is only being made has no files yet")];

/// Ids of data of the installation.
pub const SHARED: [&str; 1] = ["body.jobFunctionId"];

/// A patient or connection of another organization is treated as unknown: tested in `patients.rs` of `messaging`, and in
/// `charts.rs` and `filing_rules.rs` of `integrations`.
const TAKEN_FOR_NONE: [&str; 3] =
    ["knownPatientId", "integrationMeta.integrationId", "fileToChart.integrationId"];

/// These organizations have no sign-in provider that could be removed: tested in `users.rs`.
pub const OF_NO_APPLICATION: &str = "removeUserApplication";

/// Operations on the caller's own account only: they take no ids, and most of them only work in a certain
/// order. Tested in `passwords.rs`, `second_factor.rs` and `security.rs`.
pub const OF_ONESELF: [&str; 22] = [
    "addPasskey",
    "beginTokenAuthentication",
    "changePassword",
    "confirmAuthenticator",
    "enableEmailCodes",
    "enableTokenAuthentication",
    "endSessions",
    "ownProfile",
    "ownSessions",
    "preferences",
    "removeAuthenticator",
    "renewRecoveryCodes",
    "requestConfirmationCode",
    "saveOwnProfile",
    "savePreferences",
    "saveScreenPreference",
    "secondFactor",
    "sendConfirmationCode",
    "setEmailCodes",
    "startAuthenticator",
    "startPasskey",
    "verifyConfirmationCode",
];

/// Operations on the sign-in provider of the caller's own organization: they take no ids, and require a
/// provider that answers. Tested with two organizations in `single_sign_on.rs`.
pub const OF_ITS_PROVIDER: [&str; 3] = ["removeSsoSettings", "saveSsoSettings", "ssoSettings"];

/// Operations that require an EHR that answers. Tested with two organizations in `integrations`.
pub const OF_ITS_EHR: [&str; 31] = [
    "acknowledgeChartFiling",
    "addChartPatient",
    "chartMatches",
    "checkLoginState",
    "externalLogin",
    "failedChartFilings",
    "fileToChart",
    "filedByRule",
    "filedByRuleCounts",
    "integrationConnectivity",
    "integrationIdentities",
    "integrationMappings",
    "leftByRules",
    "lookupDocumentTypes",
    "lookupFacilities",
    "lookupOrders",
    "lookupPatient",
    "lookupPatients",
    "lookupReviewerGroups",
    "lookupReviewers",
    "lookupVisits",
    "retryChartFiling",
    "revokeIntegrationOauthToken",
    "revokeIntegrationToken",
    "saveIntegrationMappings",
    "testIntegration",
    "tryFilingRules",
    "undoChartFiling",
    "connectedIntegrationTypes",
    "integrationTemplates",
    "chartFilings",
];

/// Operations that require a signed PDF, which a worker makes. Tested with two organizations in `signatures.rs` of
/// `messaging`.
pub const OF_SIGNED_FILES: [&str; 2] = ["signedPdf", "retrySignedPdf"];

/// Ends the sessions of the given user, who is the caller in the role `user`: tested in `second_factor.rs`.
pub const ENDS_ITS_CALLER: &str = "resetAuthenticators";

/// Operations that report a refusal with status 200.
pub const SAID_WITH_200: &[(&str, &str)] = &[
    ("bulkMessages", "`refused` names what there is not"),
    ("changeOrganization", "`data` says whether it worked"),
];

/// Tested by [`a_stranger_learns_nothing_from_hubs`].
pub const HUBS: [&str; 3] = ["documentProcessingHub", "eventsHub", "messagePresenceHub"];

/// Roles of people who work for a tenant, and of the system of its network.
pub const TENANT_ROLES: [Role; 4] = [Role::User, Role::Admin, Role::NetAdmin, Role::Service];

/// Operations that require a message of the Intake; others get a draft.
pub const OF_THE_INTAKE: [&str; 13] = [
    "createTask",
    "addMessageNote",
    "messageDuplicates",
    "messageProposals",
    "removeMessageNote",
    "takeOverMessage",
    "getMessage",
    "markMessageRead",
    "processMessage",
    "assignMessage",
    "copyMessage",
    "bulkMessages",
    "findEvents",
];

/// Operations that a system of an organization may call, but not one of a network.
pub const OF_A_SYSTEM: [&str; 3] = ["listIntake", "getMessage", "getAttachment"];

/// An operation for a role of a tenant, with the places of its ids.
pub struct Operation {
    pub entry: Entry,
    pub places: BTreeSet<String>,
}

impl Operation {
    pub fn id(&self) -> &str {
        &self.entry.id
    }

    pub fn roles(&self) -> impl Iterator<Item = Role> {
        TENANT_ROLES.into_iter().filter(|role| self.entry.roles.iter().any(|r| r == role.name()))
    }

    pub fn is_exempt(&self) -> bool {
        EXEMPT.iter().any(|(id, _)| *id == self.id())
    }
}

/// Whether another file tests the operation by name.
pub fn is_elsewhere(id: &str) -> bool {
    OF_ONESELF.contains(&id)
        || OF_ITS_PROVIDER.contains(&id)
        || OF_ITS_EHR.contains(&id)
        || OF_SIGNED_FILES.contains(&id)
}

pub fn operations() -> Vec<Operation> {
    let description: Value = serde_json::from_str(&openapi::json()).expect("JSON");
    openapi::operations()
        .into_iter()
        .map(|entry| Operation { places: places(&description, &entry), entry })
        .filter(|operation| operation.roles().next().is_some())
        .filter(|operation| ![ENDS_ITS_CALLER, OF_NO_APPLICATION].contains(&operation.id()))
        .filter(|operation| !is_elsewhere(operation.id()))
        .collect()
}

/// Places of an operation's ids: `id` and `query.id` for parameters, `body.a.b[].id` for members of the body.
pub fn places(description: &Value, entry: &Entry) -> BTreeSet<String> {
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
    let is_taken_for_none = |place: &str| TAKEN_FOR_NONE.iter().any(|name| place.ends_with(name));
    found.retain(|place| !SHARED.contains(&place.as_str()) && !is_taken_for_none(place));
    found
}

pub fn is_id(schema: &Value) -> bool {
    schema["format"] == "uuid"
}

pub fn members(
    schemas: &Value,
    schema: &Value,
    at: &str,
    above: &mut Vec<String>,
    found: &mut BTreeSet<String>,
) {
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
