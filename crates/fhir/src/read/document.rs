//! DocumentReference, as far as a filed document is compared.

use super::parts::{id, resource_type};
use crate::json::{inner, list, owned, text};
use serde_json::Value;
use uuid::Uuid;

/// Namespace of identifiers that are URIs.
pub(crate) const URI: &str = "urn:ietf:rfc:3986";

/// What is compared of a filed document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadDocument {
    /// Logical id.
    pub id: String,
    /// Version.
    pub version: Option<String>,
    /// Status, such as `current` or `entered-in-error`.
    pub status: String,
    /// Identifiers that are UUIDs, as ours are.
    pub identifiers: Vec<Uuid>,
}

/// The document; `None` if this is none, or has no id.
pub fn document(resource: &Value) -> Option<ReadDocument> {
    if resource_type(resource) != Some("DocumentReference") {
        return None;
    }
    let identifiers = list(resource, "identifier").chain(list(resource, "masterIdentifier"));
    Some(ReadDocument {
        id: id(resource)?,
        version: owned(inner(resource, "meta"), "versionId"),
        status: owned(resource, "status").unwrap_or_default(),
        identifiers: identifiers.filter_map(uuid).collect(),
    })
}

fn uuid(identifier: &Value) -> Option<Uuid> {
    let value = text(identifier, "value")?.strip_prefix("urn:uuid:")?;
    (text(identifier, "system") == Some(URI)).then(|| value.parse().ok()).flatten()
}
