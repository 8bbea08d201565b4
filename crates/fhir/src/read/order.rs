//! ServiceRequest.

use super::parts::{concept, day, id, reference_id, resource_type};
use crate::json::{flag, inner, owned, text};
use crate::model::Order;
use serde_json::Value;

/// The order; `None` if this is none, has no id, or was entered in error.
pub fn order(resource: &Value) -> Option<Order> {
    let status = owned(resource, "status").unwrap_or_default();
    if resource_type(resource) != Some("ServiceRequest") || status == "entered-in-error" {
        return None;
    }
    let ordered = concept(inner(resource, "code")).unwrap_or_default();
    let date = text(resource, "authoredOn").or_else(|| text(resource, "occurrenceDateTime"));
    Some(Order {
        id: id(resource)?,
        visit_id: reference_id(inner(resource, "encounter"), "Encounter"),
        date: date.and_then(day),
        description: match flag(resource, "doNotPerform") {
            Some(true) => format!("Not to be performed: {ordered}"),
            _ => ordered,
        },
        is_revoked: status == "revoked",
        status,
    })
}
