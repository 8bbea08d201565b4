//! What the practice says that it offers.

use serde_json::{Value, json};

/// Types, and what can be done with them.
pub(super) const OFFERED: [(&str, &[&str]); 11] = [
    ("Binary", &["create", "read"]),
    ("CareTeam", READ),
    ("DocumentReference", &["create", "read", "search-type", "update"]),
    ("Encounter", READ),
    ("Group", READ),
    ("Location", READ),
    ("Organization", READ),
    ("Patient", &["create", "read", "search-type"]),
    ("Practitioner", READ),
    ("ServiceRequest", READ),
    ("ValueSet", READ),
];

const READ: &[&str] = &["read", "search-type"];

pub(super) fn offers(kind: &str, interaction: &str) -> bool {
    OFFERED.iter().any(|(offered, interactions)| *offered == kind && interactions.contains(&interaction))
}

/// The capability statement.
pub(super) fn statement(base_url: &str) -> Value {
    let resources: Vec<Value> =
        OFFERED.iter().map(|(kind, interactions)| resource(kind, interactions)).collect();
    json!({
        "resourceType": "CapabilityStatement",
        "status": "active",
        "date": "2026-01-01",
        "kind": "instance",
        "software": {"name": "Sample practice", "version": "1"},
        "implementation": {"description": "An invented practice", "url": base_url},
        "fhirVersion": "4.0.1",
        "format": ["json"],
        "rest": [{"mode": "server", "resource": resources}],
    })
}

fn resource(kind: &str, interactions: &[&str]) -> Value {
    let interactions: Vec<Value> = interactions.iter().map(|code| json!({"code": code})).collect();
    let mut resource = json!({"type": kind, "interaction": interactions, "versioning": "versioned-update"});
    if matches!(kind, "DocumentReference" | "Patient") {
        resource["conditionalCreate"] = true.into();
    }
    if kind == "ValueSet" {
        let definition = "http://hl7.org/fhir/OperationDefinition/ValueSet-expand";
        resource["operation"] = json!([{"name": "expand", "definition": definition}]);
    }
    resource
}

/// The configuration of SMART (App Launch 2.0).
pub(super) fn smart_configuration(base_url: &str) -> Value {
    json!({
        "issuer": base_url,
        "authorization_endpoint": format!("{base_url}/authorize"),
        "token_endpoint": format!("{base_url}/token"),
        "revocation_endpoint": format!("{base_url}/revoke"),
        "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": ["ES384"],
        "grant_types_supported": ["authorization_code", "client_credentials"],
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["openid", "fhirUser", "offline_access", "system/*.rs", "system/*.cruds", "user/*.cruds"],
        "capabilities": [
            "launch-standalone", "client-public", "client-confidential-asymmetric", "permission-offline",
            "permission-user", "permission-v1", "permission-v2",
        ],
    })
}
