//! Searching, and the pages of what is found.

use super::answers::Refusal;
use super::store::Store;
use crate::json::{inner, list, text, texts};
use crate::matching::plain;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// Searches whose pages can be read.
const SEARCHES_MAX: usize = 200;
/// Entries of a page without `_count`, and at most with it.
const PAGE: usize = 20;
const PAGE_MAX: usize = 100;

pub(super) type Parameters = Vec<(String, String)>;

/// Searches by random names, so that no page's address has what was searched for.
#[derive(Default)]
pub(super) struct Pages(VecDeque<(String, String, Parameters)>);

impl Pages {
    pub(super) fn keep(&mut self, name: &str, kind: &str, parameters: &Parameters) {
        if self.0.len() == SEARCHES_MAX {
            self.0.pop_front();
        }
        self.0.push_back((name.to_owned(), kind.to_owned(), parameters.clone()));
    }

    pub(super) fn of(&self, name: &str, kind: &str) -> Option<Parameters> {
        let found = self.0.iter().find(|(known, of, _)| known == name && of == kind);
        found.map(|(.., parameters)| parameters.clone())
    }
}

/// A page: its entries, the number of all, and where the next one begins.
pub(super) struct Page {
    pub(super) entries: Vec<Arc<Value>>,
    pub(super) total: usize,
    pub(super) next: Option<usize>,
}

pub(super) fn page(
    store: &Store,
    kind: &str,
    parameters: &Parameters,
    offset: usize,
) -> Result<Page, Refusal> {
    let count = parameters.iter().find(|(name, _)| name == "_count");
    let count = count.map_or(Ok(PAGE), |(_, count)| count.parse()).map_err(|_| Refusal::invalid())?;
    let all = matching(store, kind, parameters)?;
    let end = offset.saturating_add(count.clamp(1, PAGE_MAX)).min(all.len());
    let entries = all.get(offset..end).unwrap_or_default().to_vec();
    Ok(Page { entries, total: all.len(), next: (end < all.len()).then_some(end) })
}

/// All resources that match each of the parameters.
pub(super) fn matching(
    store: &Store,
    kind: &str,
    parameters: &Parameters,
) -> Result<Vec<Arc<Value>>, Refusal> {
    let mut found: Vec<Arc<Value>> = store.all(kind).cloned().collect();
    for (name, value) in parameters {
        if matches!(name.as_str(), "_count" | "_sort" | "_format") {
            continue;
        }
        let test = test(kind, name).ok_or_else(Refusal::not_supported)?;
        found.retain(|resource| test(resource, value));
    }
    sort(kind, &mut found);
    Ok(found)
}

/// Newest first.
fn sort(kind: &str, found: &mut [Arc<Value>]) {
    let time = |resource: &Value| match kind {
        "Encounter" => text(inner(resource, "period"), "start").map(str::to_owned),
        "ServiceRequest" => text(resource, "authoredOn").map(str::to_owned),
        _ => None,
    };
    found.sort_by_key(|resource| std::cmp::Reverse(time(resource)));
}

type Test = fn(&Value, &str) -> bool;

fn test(kind: &str, parameter: &str) -> Option<Test> {
    let test: Test = match (kind, parameter) {
        (_, "_id") => |resource, asked| text(resource, "id") == Some(asked),
        (_, "identifier") => has_identifier,
        ("Encounter" | "ServiceRequest" | "DocumentReference", "patient") => {
            |resource, asked| refers(inner(resource, "subject"), "Patient", asked)
        }
        ("ServiceRequest", "encounter") => {
            |resource, asked| refers(inner(resource, "encounter"), "Encounter", asked)
        }
        ("Patient" | "Practitioner", "name") => |resource, asked| {
            list(resource, "name").any(|name| begins(text(name, "family"), asked) || has_given(name, asked))
        },
        ("Patient" | "Practitioner", "family") => {
            |resource, asked| list(resource, "name").any(|name| begins(text(name, "family"), asked))
        }
        ("Patient" | "Practitioner", "given") => {
            |resource, asked| list(resource, "name").any(|name| has_given(name, asked))
        }
        ("Patient", "birthdate") => |resource, asked| text(resource, "birthDate") == Some(asked),
        ("Patient", "gender") => |resource, asked| text(resource, "gender") == Some(asked),
        ("Patient", "organization") => {
            |resource, asked| refers(inner(resource, "managingOrganization"), "Organization", asked)
        }
        ("Group", "type") => |resource, asked| text(resource, "type") == Some(asked),
        ("CareTeam" | "DocumentReference", "status") => {
            |resource, asked| text(resource, "status") == Some(asked)
        }
        ("Location" | "Organization", "name") => |resource, asked| begins(text(resource, "name"), asked),
        ("ValueSet", "url") => |resource, asked| text(resource, "url") == Some(asked),
        _ => return None,
    };
    Some(test)
}

fn begins(found: Option<&str>, asked: &str) -> bool {
    found.is_some_and(|found| plain(found).starts_with(&plain(asked)))
}

fn has_given(name: &Value, asked: &str) -> bool {
    texts(name, "given").any(|given| begins(Some(given), asked))
}

fn refers(reference: &Value, kind: &str, asked: &str) -> bool {
    let asked = asked.strip_prefix(kind).and_then(|rest| rest.strip_prefix('/')).unwrap_or(asked);
    text(reference, "reference") == Some(&format!("{kind}/{asked}"))
}

/// `value`, or `system|value`.
fn has_identifier(resource: &Value, asked: &str) -> bool {
    let (system, value) = match asked.split_once('|') {
        Some((system, value)) => (Some(system), value),
        None => (None, asked),
    };
    list(resource, "identifier").any(|identifier| {
        let same_system =
            system.is_none_or(|system| text(identifier, "system").unwrap_or_default() == system);
        same_system && text(identifier, "value") == Some(value)
    })
}

/// The bundle of a page.
pub(super) fn bundle(base_url: &str, kind: &str, page: &Page, next: Option<String>) -> Value {
    let entries: Vec<Value> = page
        .entries
        .iter()
        .map(|resource| {
            let id = text(resource, "id").unwrap_or_default();
            let url = format!("{base_url}/{kind}/{id}");
            json!({"fullUrl": url, "resource": resource.as_ref(), "search": {"mode": "match"}})
        })
        .collect();
    let mut bundle = json!({"resourceType": "Bundle", "type": "searchset", "total": page.total});
    if !entries.is_empty() {
        bundle["entry"] = entries.into();
    }
    if let Some(next) = next {
        bundle["link"] = json!([{"relation": "next", "url": next}]);
    }
    bundle
}
