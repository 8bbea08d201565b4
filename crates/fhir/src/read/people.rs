//! Practitioner, Group, CareTeam and Location.

use super::parts::{id, is_over, name_parts, reference_id, resource_type};
use crate::json::{flag, inner, list, owned, text};
use crate::model::{Facility, GroupKind, Reviewer, ReviewerGroup};
use chrono::NaiveDate;
use serde_json::Value;

const NPI: &str = "http://hl7.org/fhir/sid/us-npi";

/// The practitioner with the name in force on a day; `None` if this is none, or has no id.
pub fn reviewer(resource: &Value, today: NaiveDate) -> Option<Reviewer> {
    if resource_type(resource) != Some("Practitioner") {
        return None;
    }
    let name = list(resource, "name").find(|name| !is_over(name, today)).or(list(resource, "name").next());
    let (family, given, _) = name.map(name_parts).unwrap_or_default();
    let numbers = || list(resource, "identifier");
    let npi = numbers().find(|number| text(number, "system") == Some(NPI)).and_then(|n| owned(n, "value"));
    Some(Reviewer {
        id: id(resource)?,
        family,
        given,
        user_name: npi.or_else(|| numbers().find_map(|n| owned(n, "value"))).unwrap_or_default(),
        is_active: flag(resource, "active") != Some(false),
    })
}

/// The group of reviewers; `None` if this is none, is out of use, or consists of patients or cares for one patient alone.
pub fn reviewer_group(resource: &Value) -> Option<ReviewerGroup> {
    let kind = match resource_type(resource)? {
        "Group" if matches!(text(resource, "type"), Some("practitioner") | None) => GroupKind::Group,
        "CareTeam" if resource.get("subject").is_none() => GroupKind::CareTeam,
        _ => return None,
    };
    let is_off = flag(resource, "active") == Some(false)
        || matches!(text(resource, "status"), Some("inactive" | "entered-in-error" | "suspended"));
    if is_off {
        return None;
    }
    Some(ReviewerGroup { id: id(resource)?, name: owned(resource, "name")?, kind })
}

/// The facility; `None` if this is none, is closed, or has no id or name.
pub fn facility(resource: &Value) -> Option<Facility> {
    if resource_type(resource) != Some("Location") || text(resource, "status") == Some("inactive") {
        return None;
    }
    let own = id(resource)?;
    let organization = reference_id(inner(resource, "managingOrganization"), "Organization");
    Some(Facility { id: organization.unwrap_or(own), name: owned(resource, "name")? })
}
