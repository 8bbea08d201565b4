//! Operations with secrets, detected by the format `password` within the types of their bodies.

use serde::Serialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use utoipa::openapi::{
    OpenApi, RefOr, Schema,
    path::{Operation, PathItem},
};

/// How the API description marks a text as a secret.
const FORMAT: &str = "password";

/// The ids of all operations with a secret in their request or answer.
pub fn operations(document: &OpenApi) -> Vec<String> {
    let schemas = document.components.iter().flat_map(|components| &components.schemas);
    let named = named(schemas.map(|(name, schema)| (name.clone(), schema)));
    let items = document.paths.paths.values().flat_map(by_method);
    let with_secrets = items.filter(|(_, operation)| has_secrets(operation, &named));
    with_secrets.filter_map(|(_, operation)| operation.operation_id.clone()).collect()
}

/// The methods of a path whose bodies contain secrets.
pub(super) fn methods(item: &PathItem, schemas: &[(String, RefOr<Schema>)]) -> Vec<&'static str> {
    let named = named(schemas.iter().map(|(name, schema)| (name.clone(), schema)));
    by_method(item)
        .filter(|(_, operation)| has_secrets(operation, &named))
        .map(|(method, _)| method)
        .collect()
}

fn by_method(item: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
    let all = [
        ("GET", &item.get),
        ("PUT", &item.put),
        ("POST", &item.post),
        ("DELETE", &item.delete),
        ("PATCH", &item.patch),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

type Named = HashMap<String, Value>;

fn named<'s>(schemas: impl Iterator<Item = (String, &'s RefOr<Schema>)>) -> Named {
    schemas.map(|(name, schema)| (name, json(schema))).collect()
}

fn json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("a description is JSON")
}

fn has_secrets(operation: &Operation, named: &Named) -> bool {
    let mut seen = HashSet::new();
    holds(&json(&operation.request_body), named, &mut seen)
        || holds(&json(&operation.responses), named, &mut seen)
}

fn holds(part: &Value, named: &Named, seen: &mut HashSet<String>) -> bool {
    match part {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
            let is_new = |name: &&str| seen.insert((*name).to_owned());
            let meant = name.filter(is_new).and_then(|name| named.get(name));
            members.get("format").is_some_and(|format| format == FORMAT)
                || meant.is_some_and(|schema| holds(schema, named, seen))
                || members.values().any(|member| holds(member, named, seen))
        }
        Value::Array(items) => items.iter().any(|item| holds(item, named, seen)),
        _ => false,
    }
}
