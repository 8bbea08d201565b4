//! Rules for directory entries, without a database.

use super::types::DirectoryEntryForm;
use platform::{
    Result,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
};

pub const OID_TAKEN: &str = "The organization already has an entry with this ID.";
pub const OWN_PARENT: &str = "An entry cannot be its own parent.";

const NAMES_MAX: usize = 20;

/// Errors of the form that involve several fields.
pub fn check(form: &DirectoryEntryForm) -> Result<()> {
    let mut errors = FieldErrors::default();
    errors.require(form.other_names.len() <= NAMES_MAX, "otherNames", DEFAULT_FIELD_ERROR);
    let is_own = !form.parent_org_id.is_empty() && *form.parent_org_id == *form.organization_id;
    errors.require(!is_own, "parentOrgId", OWN_PARENT);
    errors.check()
}

/// Other names, without empty ones and duplicates.
pub fn other_names(form: &DirectoryEntryForm) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in form.other_names.iter().map(|name| &**name).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn form(changes: Value) -> DirectoryEntryForm {
        let mut form = json!({
            "responderType": "DirectResponder", "organizationId": "2.16.840.1.113883.3.9999",
            "displayName": "Larkfield", "address": "418 Orchard Lane", "city": "Portland", "state": "OR",
            "zipCode": "97201", "country": "us",
        });
        form.as_object_mut().expect("a form").extend(changes.as_object().expect("changes").clone());
        serde_json::from_value(form).expect("a form")
    }

    #[test]
    fn an_entry_does_not_stand_below_itself() {
        assert!(check(&form(json!({ "parentOrgId": "2.16.840.1" }))).is_ok());
        assert!(check(&form(json!({ "parentOrgId": "2.16.840.1.113883.3.9999" }))).is_err());
    }

    #[test]
    fn other_names_stand_once() {
        let form = form(json!({ "otherNames": ["  Lark ", "", "Lark", "Orchard"] }));
        assert_eq!(other_names(&form), ["Lark", "Orchard"]);
    }
}
