//! Organizations in FHIR R4 (<https://hl7.org/fhir/R4/organization.html>), read as directory entries.

use platform::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use store::entities::carequality_entry::ResponderType;

/// Details of an organization in a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownOrganization {
    pub display_name: String,
    pub other_names: Vec<String>,
    pub home_community_id: String,
    pub parent_oid: String,
    pub street: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub country: String,
    pub is_active: bool,
}

impl KnownOrganization {
    /// Role of a new entry in the network. FHIR does not state it, so it is the least one: a location of its parent,
    /// or a direct responder without one.
    pub fn responder_type(&self) -> ResponderType {
        if self.parent_oid.is_empty() { ResponderType::DirectResponder } else { ResponderType::ChildLocation }
    }
}

#[derive(Deserialize)]
struct Bundle {
    #[serde(default)]
    entry: Vec<Entry>,
}

/// The answer of a search may include other resources.
#[derive(Deserialize)]
struct Entry {
    resource: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Organization {
    identifier: Vec<Identifier>,
    active: Option<bool>,
    name: String,
    alias: Vec<Option<String>>,
    address: Vec<Address>,
    part_of: Option<Reference>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Identifier {
    value: String,
    r#type: Option<Concept>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Concept {
    coding: Vec<Coding>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Coding {
    code: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Address {
    line: Vec<String>,
    city: String,
    state: String,
    postal_code: String,
    country: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reference {
    reference: String,
    identifier: Option<Identifier>,
}

/// The OID of a text such as `urn:oid:2.16.840.1`, if it is one.
fn oid_of(text: &str) -> Option<&str> {
    let oid = text.trim();
    let oid = oid.strip_prefix("urn:oid:").unwrap_or(oid);
    let is_oid = oid.contains('.')
        && oid.split('.').all(|arc| !arc.is_empty() && arc.bytes().all(|b| b.is_ascii_digit()));
    is_oid.then_some(oid)
}

impl Identifier {
    fn is(&self, oid: &str) -> bool {
        oid_of(&self.value) == Some(oid)
    }

    /// The home community of an organization.
    fn is_home_community(&self) -> bool {
        self.r#type.iter().flat_map(|concept| &concept.coding).any(|coding| coding.code == "HCID")
    }
}

impl Organization {
    fn read(self) -> KnownOrganization {
        let home = self.identifier.iter().find(|i| i.is_home_community());
        let parent = self.part_of.as_ref().and_then(|of| {
            let named = of.identifier.as_ref().and_then(|i| oid_of(&i.value));
            // Directories of the network use OIDs as resource ids.
            named.or_else(|| oid_of(of.reference.rsplit('/').next().unwrap_or_default()))
        });
        let address = self.address.into_iter().next().unwrap_or_default();
        let names: BTreeSet<String> = self.alias.into_iter().flatten().collect();
        KnownOrganization {
            home_community_id: home.and_then(|i| oid_of(&i.value)).unwrap_or_default().to_owned(),
            parent_oid: parent.unwrap_or_default().to_owned(),
            display_name: self.name,
            other_names: names.into_iter().collect(),
            street: address.line.join(", "),
            city: address.city,
            state: address.state,
            zip: address.postal_code,
            country: if address.country.is_empty() { "US".into() } else { address.country },
            is_active: self.active.unwrap_or(true),
        }
    }
}

/// The organization with an OID in the answer of a search.
pub fn found(bundle: &[u8], oid: &str) -> Result<Option<KnownOrganization>> {
    let unreadable = |e| Error::internal(format!("no FHIR bundle of organizations: {e}"));
    let bundle: Bundle = serde_json::from_slice(bundle).map_err(unreadable)?;
    let resources = bundle.entry.into_iter().filter_map(|entry| entry.resource);
    for resource in resources.filter(|resource| resource["resourceType"] == "Organization") {
        let organization: Organization = serde_json::from_value(resource).map_err(unreadable)?;
        if organization.identifier.iter().any(|identifier| identifier.is(oid)) {
            return Ok(Some(organization.read()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bundle(resources: &[Value]) -> Vec<u8> {
        let entry: Vec<Value> = resources.iter().map(|resource| json!({ "resource": resource })).collect();
        json!({ "resourceType": "Bundle", "type": "searchset", "entry": entry }).to_string().into_bytes()
    }

    fn clinic() -> Value {
        json!({
            "resourceType": "Organization", "id": "2.16.840.1.113883.3.9999.1", "active": true,
            "identifier": [
                { "system": "urn:ietf:rfc:3986", "value": "urn:oid:2.16.840.1.113883.3.9999.1" },
                { "type": { "coding": [{ "code": "HCID" }] }, "value": "urn:oid:2.16.840.1.113883.3.9999" },
            ],
            "name": "Larkfield West", "alias": ["Annex", null, "Annex"],
            "address": [{ "line": ["418 Orchard Lane", "Suite 2"], "city": "Portland", "state": "OR", "postalCode": "97201" }],
            "partOf": { "reference": "Organization/2.16.840.1.113883.3.9999" },
        })
    }

    #[test]
    fn an_organization_is_found_by_its_oid_among_others() {
        let other =
            json!({ "resourceType": "Organization", "identifier": [{ "value": "1.2.3" }], "name": "Other" });
        let oid = "2.16.840.1.113883.3.9999.1";
        let endpoint =
            json!({ "resourceType": "Endpoint", "name": null, "address": "https://directory.example" });
        let found_one =
            found(&bundle(&[endpoint, other, clinic()]), oid).expect("a bundle").expect("an organization");
        assert_eq!(found_one.display_name, "Larkfield West");
        assert_eq!(found_one.other_names, ["Annex"]);
        assert_eq!(found_one.street, "418 Orchard Lane, Suite 2");
        assert_eq!((found_one.country.as_str(), found_one.is_active), ("US", true));
        assert_eq!(found_one.parent_oid, "2.16.840.1.113883.3.9999");
        assert_eq!(found_one.home_community_id, "2.16.840.1.113883.3.9999");
        assert_eq!(found_one.responder_type(), ResponderType::ChildLocation);
    }

    #[test]
    fn what_is_not_there_and_what_is_no_bundle_are_told_apart() {
        assert_eq!(found(&bundle(&[clinic()]), "1.2.3").expect("a bundle"), None);
        assert_eq!(found(br#"{"resourceType":"Bundle"}"#, "1.2.3").expect("a bundle"), None);
        assert!(found(b"<html>", "1.2.3").is_err());
        assert!(found(br#"{"entry":"none"}"#, "1.2.3").is_err());
    }

    #[test]
    fn an_oid_is_read_with_and_without_its_prefix() {
        assert_eq!(oid_of(" urn:oid:1.2.3 "), Some("1.2.3"));
        assert_eq!(oid_of("1.2.3"), Some("1.2.3"));
        for text in ["", "12", "1..2", "1.2.", "urn:uuid:1.2", "Organization/7"] {
            assert_eq!(oid_of(text), None, "{text}");
        }
    }
}
