//! CapabilityStatement.

use super::parts::resource_type;
use crate::json::{flag, inner, list, owned, text};
use crate::model::Offers;
use serde_json::Value;

const OAUTH_URIS: &str = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris";

/// What a server says that it offers; `None` if this is no capability statement.
pub fn offers(statement: &Value) -> Option<Offers> {
    if resource_type(statement) != Some("CapabilityStatement") {
        return None;
    }
    let offered = Offered(rest(statement)?);
    let software = inner(statement, "software");
    let names = [text(software, "name"), text(software, "version")];
    Some(Offers {
        software: names.into_iter().flatten().collect::<Vec<_>>().join(" "),
        fhir_version: owned(statement, "fhirVersion").unwrap_or_default(),
        patient_search: offered.can("Patient", "search-type"),
        patient_match: offered.has_operation("Patient", "match"),
        patient_create: offered.can("Patient", "create"),
        visits: offered.can("Encounter", "search-type"),
        orders: offered.can("ServiceRequest", "search-type"),
        reviewers: offered.can("Practitioner", "search-type"),
        groups: offered.can("Group", "search-type"),
        care_teams: offered.can("CareTeam", "search-type"),
        facilities: offered.can("Location", "search-type"),
        document_types: offered.has_operation("ValueSet", "expand") || offered.can("ValueSet", "search-type"),
        file_documents: offered.can("DocumentReference", "create"),
        file_content: offered.can("Binary", "create"),
        conditional_create: offered.has_flag("DocumentReference", "conditionalCreate"),
        read_documents: offered.can("DocumentReference", "read")
            && offered.can("DocumentReference", "search-type"),
        update_documents: offered.can("DocumentReference", "update"),
    })
}

/// An address of the extension by which servers before SMART 1.0 published theirs: `token`, `authorize`, `revoke`.
pub(crate) fn oauth_uri<'a>(statement: &'a Value, name: &str) -> Option<&'a str> {
    let security = inner(rest(statement)?, "security");
    let uris = list(security, "extension").find(|extension| text(extension, "url") == Some(OAUTH_URIS))?;
    text(list(uris, "extension").find(|uri| text(uri, "url") == Some(name))?, "valueUri")
}

fn rest(statement: &Value) -> Option<&Value> {
    list(statement, "rest").find(|rest| text(rest, "mode") != Some("client"))
}

struct Offered<'a>(&'a Value);

impl Offered<'_> {
    fn resource(&self, kind: &str) -> Option<&Value> {
        list(self.0, "resource").find(|resource| text(resource, "type") == Some(kind))
    }

    fn can(&self, kind: &str, code: &str) -> bool {
        let is_it = |interaction: &Value| text(interaction, "code") == Some(code);
        self.resource(kind).is_some_and(|resource| list(resource, "interaction").any(is_it))
    }

    fn has_operation(&self, kind: &str, name: &str) -> bool {
        let is_it = |operation: &Value| {
            text(operation, "name").map(|found| found.trim_start_matches('$')) == Some(name)
        };
        self.resource(kind).is_some_and(|resource| list(resource, "operation").any(is_it))
    }

    fn has_flag(&self, kind: &str, field: &str) -> bool {
        self.resource(kind).and_then(|resource| flag(resource, field)) == Some(true)
    }
}
