//! Standing of FHIR resources as text: what withdraws, ends or qualifies their statement. The only place with
//! these rules, for DSTU2 to R5.
//!
//! - `status`, `verificationStatus`, `docStatus` entered-in-error: Withdrawn
//! - `status` cancelled, revoked, rejected, …: Cancelled, Stopped, On hold, Replaced, Refused, Did not come
//! - `status` not-done, not-taken; `wasNotTaken`, `notTaken`, `wasNotGiven`, `notGiven`, `notDone`,
//!   `notPerformed`, `qicore-notDone`: Not done, Not given, Not taken
//! - `doNotPerform`, `prohibited`: Not to be done, Not to be given
//! - `verificationStatus` (and `status` of DSTU2) refuted: Not present
//! - the same unconfirmed, provisional, differential, presumed; `status` of an observation preliminary:
//!   Uncertain, Preliminary
//! - `status` corrected, amended: Corrected
//! - `intent` of a request, `status` planned, preparation, proposed: Ordered, Planned, Proposed with "not
//!   done"
//! - unknown `modifierExtension`: Unclear
//! - `dataAbsentReason`: No value, with the reason

use serde_json::Value;

use super::fhir_words::{items, member, text, words};

/// The standing to show before the text of a resource; `None` if it is a plain fact.
pub(super) fn standing(resource: &Value) -> Option<&'static str> {
    withdrawn(resource)
        .or_else(|| negated(resource))
        .or_else(|| verification(resource))
        .or_else(|| ended(resource))
        .or_else(|| not_yet(resource))
        .or_else(|| unclear(resource))
}

/// The text of a resource, preceded by its standing.
pub(super) fn said(resource: &Value, words: &str) -> String {
    match standing(resource) {
        Some(standing) if words.is_empty() => standing.to_owned(),
        Some(standing) => format!("{standing}: {words}"),
        None => words.to_owned(),
    }
}

/// The status or clinical status, with its reason.
pub(super) fn status(resource: &Value) -> String {
    let first = |keys: &[&str]| keys.iter().map(|key| member(resource, key)).find(|words| !words.is_empty());
    const REASONS: [&str; 6] = [
        "statusReason",
        "reasonNotPerformed",
        "reasonNotTaken",
        "reasonNotGiven",
        "notDoneReason",
        "explanation",
    ];
    let said = [first(&["status", "clinicalStatus"]), first(&REASONS)].into_iter().flatten();
    said.collect::<Vec<_>>().join(", ")
}

/// The reason for a missing value.
pub(super) fn no_value(observation: &Value) -> Option<String> {
    let reason = member(observation, "dataAbsentReason");
    (!reason.is_empty()).then(|| format!("No value: {reason}"))
}

/// The codes of an element that is a code in some versions and a concept in others, in lower case.
fn codes(resource: &Value, key: &str) -> Vec<String> {
    let of = |item: &Value| match item {
        Value::String(code) => vec![code.trim().to_lowercase()],
        concept => {
            let codings =
                items(concept.get("coding")).iter().map(|coding| text(coding, "code").to_lowercase());
            codings.chain([text(concept, "text").to_lowercase()]).collect()
        }
    };
    items(resource.get(key)).iter().flat_map(of).filter(|code| !code.is_empty()).collect()
}

fn is_true(resource: &Value, key: &str) -> bool {
    match resource.get(key) {
        Some(Value::Bool(said)) => *said,
        Some(Value::String(said)) => matches!(said.trim(), "true" | "y"),
        _ => false,
    }
}

fn withdrawn(resource: &Value) -> Option<&'static str> {
    let is_withdrawn = |key: &&str| codes(resource, key).iter().any(|code| code == "entered-in-error");
    let keys = ["status", "verificationStatus", "docStatus", "clinicalStatus"];
    keys.iter().any(is_withdrawn).then_some("Withdrawn")
}

fn is_given(resource: &Value) -> bool {
    let kind = text(resource, "resourceType");
    kind.starts_with("Medication") || kind.starts_with("Immunization") || kind.starts_with("Supply")
}

fn negated(resource: &Value) -> Option<&'static str> {
    let has = |keys: &[&str]| keys.iter().any(|key| is_true(resource, key));
    let status = codes(resource, "status");
    let is = |code: &str| status.iter().any(|status| status == code);
    let not_done = items(resource.get("modifierExtension"))
        .iter()
        .chain(items(resource.get("extension")))
        .any(|extension| text(extension, "url").ends_with("notDone") && is_true(extension, "valueBoolean"));
    if has(&["doNotPerform", "prohibited"]) {
        Some(if is_given(resource) { "Not to be given" } else { "Not to be done" })
    } else if has(&["wasNotTaken", "notTaken"]) || is("not-taken") {
        Some("Not taken")
    } else if has(&["wasNotGiven", "notGiven", "notDone", "notPerformed"]) || is("not-done") || not_done {
        Some(if is_given(resource) { "Not given" } else { "Not done" })
    } else {
        None
    }
}

fn verification(resource: &Value) -> Option<&'static str> {
    let kind = text(resource, "resourceType");
    let mut codes = codes(resource, "verificationStatus");
    if kind == "AllergyIntolerance" {
        codes.extend(self::codes(resource, "status"));
    }
    let has = |known: &[&str]| codes.iter().any(|code| known.contains(&code.as_str()));
    if has(&["refuted", "ruled out", "ruled-out"]) {
        Some("Not present")
    } else if has(&["unconfirmed", "provisional", "differential", "presumed", "suspected"]) {
        Some("Uncertain")
    } else {
        None
    }
}

fn ended(resource: &Value) -> Option<&'static str> {
    let status = codes(resource, "status").into_iter().chain(codes(resource, "docStatus"));
    status.into_iter().find_map(|status| {
        Some(match status.as_str() {
            "cancelled" | "canceled" | "revoked" | "abandoned" | "nullified" | "aborted" => "Cancelled",
            "stopped" | "discontinued" => "Stopped",
            "on-hold" | "held" | "suspended" | "onhold" => "On hold",
            "superseded" | "retired" | "deprecated" => "Replaced",
            "rejected" | "declined" | "refused" => "Refused",
            "failed" => "Failed",
            "noshow" => "Did not come",
            "corrected" | "amended" | "appended" => "Corrected",
            "preliminary" | "partial" => "Preliminary",
            "registered" => "No result yet",
            "draft" => "Draft",
            _ => return None,
        })
    })
}

/// Standing of a request or plan that has not happened, or not yet.
fn not_yet(resource: &Value) -> Option<&'static str> {
    let kind = text(resource, "resourceType");
    let status = codes(resource, "status").into_iter().next().unwrap_or_default();
    let is_request = matches!(
        kind,
        "ServiceRequest"
            | "ProcedureRequest"
            | "DiagnosticOrder"
            | "DiagnosticRequest"
            | "ReferralRequest"
            | "DeviceRequest"
            | "DeviceUseRequest"
            | "CommunicationRequest"
            | "NutritionOrder"
            | "SupplyRequest"
            | "RequestGroup"
            | "VisionPrescription"
    );
    let intent = codes(resource, "intent").into_iter().next().unwrap_or_default();
    match (intent.as_str(), status.as_str()) {
        (_, "completed") => None,
        ("proposal", _) if is_request => Some("Proposed, not done"),
        ("plan", _) if is_request => Some("Planned, not done"),
        ("proposal", _) if kind == "MedicationRequest" => Some("Proposed, not given"),
        ("plan", _) if kind == "MedicationRequest" => Some("Planned, not given"),
        _ if is_request => Some("Ordered, not done"),
        (_, "intended") => Some("Planned, not taken"),
        (_, "planned" | "preparation" | "in-preparation" | "not-started") => Some("Planned, not done"),
        (_, "proposed" | "pending" | "waitlist") => Some("Proposed, not confirmed"),
        _ => None,
    }
}

/// Standing of a resource with an unknown modifier extension, which may reverse its meaning.
fn unclear(resource: &Value) -> Option<&'static str> {
    let is_other =
        |extension: &Value| !text(extension, "url").ends_with("notDone") && !words(extension).is_empty();
    items(resource.get("modifierExtension"))
        .iter()
        .any(is_other)
        .then_some("Unclear, with a reserve that cannot be read here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_reverses_or_weakens_a_resource_is_known_in_all_versions() {
        let concept = |code: &str| json!({"coding": [{"system": "urn:x", "code": code}]});
        let cases = [
            (
                json!({"resourceType": "Condition", "verificationStatus": concept("refuted")}),
                Some("Not present"),
            ),
            (
                json!({"resourceType": "Condition", "verificationStatus": "entered-in-error"}),
                Some("Withdrawn"),
            ),
            (
                json!({"resourceType": "Condition", "verificationStatus": concept("provisional")}),
                Some("Uncertain"),
            ),
            (json!({"resourceType": "Condition", "verificationStatus": concept("confirmed")}), None),
            (json!({"resourceType": "AllergyIntolerance", "status": "refuted"}), Some("Not present")),
            (json!({"resourceType": "Observation", "status": "entered-in-error"}), Some("Withdrawn")),
            (json!({"resourceType": "Observation", "status": "cancelled"}), Some("Cancelled")),
            (json!({"resourceType": "Observation", "status": "corrected"}), Some("Corrected")),
            (json!({"resourceType": "Observation", "status": "final"}), None),
            (json!({"resourceType": "Immunization", "status": "not-done"}), Some("Not given")),
            (json!({"resourceType": "Immunization", "wasNotGiven": "true"}), Some("Not given")),
            (json!({"resourceType": "Procedure", "status": "not-done"}), Some("Not done")),
            (json!({"resourceType": "Procedure", "notPerformed": true}), Some("Not done")),
            (json!({"resourceType": "MedicationStatement", "wasNotTaken": true}), Some("Not taken")),
            (json!({"resourceType": "MedicationStatement", "notTaken": "n"}), None),
            (
                json!({"resourceType": "MedicationRequest", "status": "active", "intent": "order", "doNotPerform": true}),
                Some("Not to be given"),
            ),
            (json!({"resourceType": "MedicationRequest", "status": "active", "intent": "order"}), None),
            (
                json!({"resourceType": "MedicationRequest", "status": "stopped", "intent": "order"}),
                Some("Stopped"),
            ),
            (
                json!({"resourceType": "ServiceRequest", "status": "active", "intent": "order"}),
                Some("Ordered, not done"),
            ),
            (
                json!({"resourceType": "ServiceRequest", "status": "revoked", "intent": "order"}),
                Some("Cancelled"),
            ),
            (json!({"resourceType": "Procedure", "status": "preparation"}), Some("Planned, not done")),
            (
                json!({"resourceType": "Procedure", "status": "completed", "modifierExtension": [{"url": "http://x/qicore-notDone", "valueBoolean": true}]}),
                Some("Not done"),
            ),
            (
                json!({"resourceType": "Procedure", "status": "completed", "modifierExtension": [{"url": "urn:x", "valueCode": "a"}]}),
                Some("Unclear, with a reserve that cannot be read here"),
            ),
            (json!({"resourceType": "Appointment", "status": "noshow"}), Some("Did not come")),
        ];
        for (resource, expected) in cases {
            assert_eq!(standing(&resource), expected, "{resource}");
        }
    }
}
