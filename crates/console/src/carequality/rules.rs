//! What may stand in a directory entry, without a database.

use super::http::{DirectoryEntryForm, ResponderType};
use platform::{
    Result,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
};

pub const OID_TAKEN: &str = "The organization has an entry with this ID already.";
pub const OWN_PARENT: &str = "An entry does not stand below itself.";

const TEXT_MAX: usize = 255;
const ZIP_MAX: usize = 10;
const NAMES_MAX: usize = 20;

/// Other names without white space, empty and repeated ones; the country in capitals.
pub fn tidy(mut form: DirectoryEntryForm) -> DirectoryEntryForm {
    let mut names: Vec<String> = Vec::new();
    for name in form.other_names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if !names.iter().any(|n| n == name) {
            names.push(name.to_owned());
        }
    }
    form.other_names = names;
    form.country = form.country.to_uppercase();
    form
}

/// Everything that is wrong with the form itself.
pub fn check(form: &DirectoryEntryForm) -> Result<()> {
    let mut errors = FieldErrors::default();
    errors.require(form.responder_type.is_some(), "responderType", DEFAULT_FIELD_ERROR);
    for (field, value) in [
        ("displayName", &form.display_name),
        ("address", &form.address),
        ("city", &form.city),
        ("state", &form.state),
    ] {
        errors.require(is_text(value, 1, TEXT_MAX), field, DEFAULT_FIELD_ERROR);
    }
    errors.require(is_text(&form.legal_name, 0, TEXT_MAX), "legalName", DEFAULT_FIELD_ERROR);
    errors.require(is_text(&form.zip_code, 1, ZIP_MAX), "zipCode", DEFAULT_FIELD_ERROR);
    let is_country = form.country.len() == 2 && form.country.bytes().all(|b| b.is_ascii_uppercase());
    errors.require(is_country, "country", DEFAULT_FIELD_ERROR);
    let are_names = form.other_names.iter().all(|name| is_text(name, 1, TEXT_MAX));
    errors.require(are_names && form.other_names.len() <= NAMES_MAX, "otherNames", DEFAULT_FIELD_ERROR);
    check_oids(form, &mut errors);
    errors.check()
}

fn check_oids(form: &DirectoryEntryForm, errors: &mut FieldErrors) {
    errors.require(is_oid(&form.organization_id), "organizationId", DEFAULT_FIELD_ERROR);
    for (field, oid) in [("homeCommunityId", &form.home_community_id), ("parentOrgId", &form.parent_org_id)] {
        errors.require(oid.is_empty() || is_oid(oid), field, DEFAULT_FIELD_ERROR);
    }
    let is_own = !form.parent_org_id.is_empty() && form.parent_org_id == form.organization_id;
    errors.require(!is_own, "parentOrgId", OWN_PARENT);
}

/// Numbers between dots, two at least; a URN before them is left as it is written.
fn is_oid(text: &str) -> bool {
    let arcs: Vec<&str> = text.strip_prefix("urn:oid:").unwrap_or(text).split('.').collect();
    let is_arc = |arc: &&str| {
        !arc.is_empty() && arc.bytes().all(|b| b.is_ascii_digit()) && (*arc == "0" || !arc.starts_with('0'))
    };
    text.len() <= TEXT_MAX && arcs.len() >= 2 && matches!(arcs[0], "0" | "1" | "2") && arcs.iter().all(is_arc)
}

/// Control characters belong into no field, and PostgreSQL stores no NUL.
fn is_text(text: &str, min: usize, max: usize) -> bool {
    (min..=max).contains(&text.chars().count()) && !text.contains(char::is_control)
}

impl ResponderType {
    const ALL: [Self; 6] = [
        Self::DirectResponder,
        Self::ChildLocation,
        Self::GatewayResponder,
        Self::GatewayMember,
        Self::InitiatorOnly,
        Self::Passthrough,
    ];

    /// As the database holds it.
    pub fn code(self) -> &'static str {
        match self {
            Self::DirectResponder => "directresponder",
            Self::ChildLocation => "childlocation",
            Self::GatewayResponder => "gatewayresponder",
            Self::GatewayMember => "gatewaymember",
            Self::InitiatorOnly => "initiatoronly",
            Self::Passthrough => "passthrough",
        }
    }

    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> DirectoryEntryForm {
        DirectoryEntryForm {
            responder_type: Some(ResponderType::DirectResponder),
            organization_id: "2.16.840.1.113883.3.9999".into(),
            display_name: "Larkfield".into(),
            address: "418 Orchard Lane".into(),
            city: "Portland".into(),
            state: "OR".into(),
            zip_code: "97201".into(),
            country: "us".into(),
            ..Default::default()
        }
    }

    fn wrong(change: impl FnOnce(&mut DirectoryEntryForm)) -> Vec<String> {
        let mut form = good();
        change(&mut form);
        match check(&tidy(form)) {
            Err(platform::Error::Invalid(errors)) => errors.0.into_keys().collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn an_entry_with_what_is_required_is_good() {
        assert!(wrong(|_| ()).is_empty());
        assert!(wrong(|f| f.organization_id = "urn:oid:2.16.840.1".into()).is_empty());
    }

    #[test]
    fn what_is_required_is_named_under_its_json_name() {
        let missing = wrong(|f| *f = DirectoryEntryForm::default());
        let required = [
            "address",
            "city",
            "country",
            "displayName",
            "organizationId",
            "responderType",
            "state",
            "zipCode",
        ];
        assert_eq!(missing, required);
    }

    #[test]
    fn an_id_of_the_network_is_an_object_identifier() {
        for bad in ["larkfield", "2", "3.1", "2..1", "2.01", "2.16.", "urn:uuid:2.16"] {
            assert_eq!(wrong(|f| f.organization_id = bad.into()), ["organizationId"], "{bad}");
            assert_eq!(wrong(|f| f.home_community_id = bad.into()), ["homeCommunityId"], "{bad}");
        }
        assert_eq!(wrong(|f| f.parent_org_id = f.organization_id.clone()), ["parentOrgId"]);
    }

    #[test]
    fn other_names_are_trimmed_and_stand_once() {
        let names = ["  Lark ", "", "Lark", "Orchard"].map(str::to_owned).to_vec();
        assert_eq!(
            tidy(DirectoryEntryForm { other_names: names, ..good() }).other_names,
            ["Lark", "Orchard"]
        );
    }
}
