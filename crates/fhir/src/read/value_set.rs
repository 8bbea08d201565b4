//! ValueSet.

use super::parts::resource_type;
use crate::json::{flag, inner, list, owned, text};
use crate::model::DocumentType;
use serde_json::Value;

/// The codes of an expansion, or else those that the value set lists itself.
pub fn document_types(value_set: &Value) -> Vec<DocumentType> {
    if resource_type(value_set) != Some("ValueSet") {
        return Vec::new();
    }
    let expanded: Vec<_> = list(inner(value_set, "expansion"), "contains").filter_map(contained).collect();
    match expanded.is_empty() {
        true => list(inner(value_set, "compose"), "include").flat_map(included).collect(),
        false => expanded,
    }
}

fn contained(entry: &Value) -> Option<DocumentType> {
    let usable = flag(entry, "abstract") != Some(true) && flag(entry, "inactive") != Some(true);
    usable.then(|| kind(owned(entry, "system")?, entry)).flatten()
}

fn included(include: &Value) -> Vec<DocumentType> {
    let Some(system) = text(include, "system") else { return Vec::new() };
    list(include, "concept").filter_map(|concept| kind(system.to_owned(), concept)).collect()
}

fn kind(system: String, entry: &Value) -> Option<DocumentType> {
    let code = owned(entry, "code")?;
    let name = owned(entry, "display").unwrap_or_else(|| code.clone());
    Some(DocumentType { system, code, name })
}
