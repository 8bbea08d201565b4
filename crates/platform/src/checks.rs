//! Checks a request body against its schema, all fields at once: a form that is wrong in three places says so in one
//! answer. Texts, choices and what must be there are checked; types and structure are left to serde. Only bodies that have
//! texts with rules ([`crate::text!`]) are checked.

use crate::{
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    text::TextCheck,
};
use serde_json::{Map, Value};
use std::{
    any::TypeId,
    collections::HashMap,
    sync::{Arc, LazyLock, RwLock},
};
use utoipa::{
    ToSchema,
    openapi::{RefOr, Schema},
};

/// Schemas that refer to themselves are checked this deep.
const DEPTH_MAX: usize = 12;

/// What is to be checked in a value.
type Plan = Option<Check>;

enum Check {
    Text(TextCheck),
    /// One of these values.
    Choice(Vec<Value>),
    /// Null, or what is within.
    Optional(Box<Check>),
    Fields(Vec<Field>),
    Items(Box<Check>),
    Values(Box<Check>),
    All(Vec<Check>),
}

struct Field {
    name: String,
    is_required: bool,
    check: Option<Check>,
}

/// Trims the texts of a body of type `T`, and tells what is wrong with them under their paths.
pub fn check<T: ToSchema + 'static>(body: &mut Value) -> FieldErrors {
    let mut errors = FieldErrors::default();
    if let Some(plan) = &*plan_of::<T>() {
        plan.apply(body, "", &mut errors);
    }
    errors
}

/// Whether bodies of this type have something to check.
pub fn has_checks<T: ToSchema + 'static>() -> bool {
    plan_of::<T>().is_some()
}

fn plan_of<T: ToSchema + 'static>() -> Arc<Plan> {
    static PLANS: LazyLock<RwLock<HashMap<TypeId, Arc<Plan>>>> = LazyLock::new(RwLock::default);
    let id = TypeId::of::<T>();
    if let Some(plan) = PLANS.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(&id) {
        return plan.clone();
    }
    let plan = Arc::new(plan::<T>());
    PLANS.write().unwrap_or_else(std::sync::PoisonError::into_inner).insert(id, plan.clone());
    plan
}

fn plan<T: ToSchema>() -> Plan {
    let mut named = Vec::new();
    T::schemas(&mut named);
    let named: Vec<(String, RefOr<Schema>)> = named;
    let named = named.into_iter().map(|(name, schema)| (name, json(&schema))).collect();
    compile(&json(&T::schema()), &named, DEPTH_MAX).filter(Check::has_texts)
}

fn json(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).expect("a schema is JSON")
}

fn compile(schema: &Value, named: &HashMap<String, Value>, depth: usize) -> Plan {
    let depth = depth.checked_sub(1)?;
    if let Some(name) = schema["$ref"].as_str() {
        return compile(named.get(name.rsplit('/').next()?)?, named, depth);
    }
    for variants in ["oneOf", "anyOf"] {
        if let Some(variants) = schema[variants].as_array() {
            return compile_variants(variants, named, depth);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let all: Vec<Check> = parts.iter().filter_map(|part| compile(part, named, depth)).collect();
        return (!all.is_empty()).then_some(Check::All(all));
    }
    if let Some(text) = TextCheck::of_schema(schema) {
        return Some(Check::Text(text));
    }
    if schema["items"].is_object() {
        return Some(Check::Items(Box::new(compile(&schema["items"], named, depth)?)));
    }
    if schema["additionalProperties"].is_object() {
        return Some(Check::Values(Box::new(compile(&schema["additionalProperties"], named, depth)?)));
    }
    if let Some(choices) = schema["enum"].as_array() {
        return Some(Check::Choice(choices.clone()));
    }
    let required = |name: &String| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n.as_str() == Some(name)))
    };
    let fields = schema["properties"].as_object()?.iter().map(|(name, property)| Field {
        is_required: required(name),
        check: compile(property, named, depth),
        name: name.clone(),
    });
    Some(Check::Fields(fields.collect()))
}

/// One of several schemas. Only "null or this" is checked: which one of several is meant, serde finds out.
fn compile_variants(variants: &[Value], named: &HashMap<String, Value>, depth: usize) -> Plan {
    let is_null = |schema: &&Value| schema["type"] == "null";
    let mut others = variants.iter().filter(|schema| !is_null(schema));
    match (others.next(), others.next()) {
        (Some(only), None) => {
            let check = compile(only, named, depth)?;
            Some(if variants.len() > 1 { Check::Optional(Box::new(check)) } else { check })
        }
        _ => None,
    }
}

impl Check {
    fn has_texts(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Choice(_) => false,
            Self::Optional(within) | Self::Items(within) | Self::Values(within) => within.has_texts(),
            Self::Fields(fields) => {
                fields.iter().filter_map(|field| field.check.as_ref()).any(Self::has_texts)
            }
            Self::All(parts) => parts.iter().any(Self::has_texts),
        }
    }

    fn apply(&self, value: &mut Value, path: &str, errors: &mut FieldErrors) {
        match self {
            Self::Text(text) => apply_to_text(text, value, path, errors),
            Self::Choice(choices) => {
                if !choices.contains(value) {
                    errors.add(path, DEFAULT_FIELD_ERROR);
                }
            }
            Self::Optional(within) => {
                let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
                if is_blank && matches!(**within, Self::Text(_)) {
                    *value = Value::Null;
                }
                if !value.is_null() {
                    within.apply(value, path, errors);
                }
            }
            Self::Fields(fields) => {
                if let Some(object) = value.as_object_mut() {
                    fields.iter().for_each(|field| field.apply(object, path, errors));
                }
            }
            Self::Items(within) => {
                let is_text = matches!(**within, Self::Text(_));
                for (at, item) in value.as_array_mut().into_iter().flatten().enumerate() {
                    // A list of texts is one field on the screen.
                    let path = if is_text { path.to_owned() } else { format!("{path}[{at}]") };
                    within.apply(item, &path, errors);
                }
            }
            Self::Values(within) => {
                for (name, item) in value.as_object_mut().into_iter().flatten() {
                    within.apply(item, &join(path, name), errors);
                }
            }
            Self::All(parts) => parts.iter().for_each(|part| part.apply(value, path, errors)),
        }
    }
}

impl Field {
    fn apply(&self, object: &mut Map<String, Value>, path: &str, errors: &mut FieldErrors) {
        let path = join(path, &self.name);
        match (object.get_mut(&self.name), &self.check) {
            (Some(Value::Null), None | Some(Check::Choice(_))) if self.is_required => {
                errors.add(path, DEFAULT_FIELD_ERROR);
            }
            (Some(value), Some(check)) => check.apply(value, &path, errors),
            // A text that is left out is as good as an empty one.
            (None, Some(Check::Text(text))) if text.is_required() => errors.extend(&path, text.problem("")),
            (None, _) if self.is_required => errors.add(path, DEFAULT_FIELD_ERROR),
            _ => {}
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn apply_to_text(check: &TextCheck, value: &mut Value, path: &str, errors: &mut FieldErrors) {
    let trimmed = match value {
        Value::Null => "",
        Value::String(text) => text.trim(),
        // Serde says what is wrong.
        _ => return,
    };
    errors.extend(path, check.problem(trimmed));
    *value = trimmed.to_owned().into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Line, RequiredLine};
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, utoipa::ToSchema)]
    #[allow(dead_code)]
    struct Person {
        name: RequiredLine,
        #[serde(default)]
        title: Line,
        #[serde(default)]
        nickname: Option<RequiredLine>,
        #[serde(default)]
        aliases: Vec<RequiredLine>,
        #[serde(default)]
        children: Vec<Child>,
        size: Option<Size>,
        floor: i32,
    }

    #[derive(Deserialize, utoipa::ToSchema)]
    #[allow(dead_code)]
    struct Child {
        name: RequiredLine,
    }

    #[derive(Deserialize, utoipa::ToSchema)]
    enum Size {
        Small,
        Large,
    }

    fn wrong(mut body: Value) -> Vec<String> {
        check::<Person>(&mut body).0.into_keys().collect()
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let long = "x".repeat(256);
        let wrong_form = json!({ "title": long, "aliases": ["a", ""], "size": "Vast" });
        assert_eq!(wrong(wrong_form), ["aliases", "floor", "name", "size", "title"]);
        let child = json!({ "name": " " });
        assert_eq!(wrong(json!({ "name": "A", "floor": 1, "children": [child] })), ["children[0].name"]);
        assert_eq!(wrong(json!({ "name": null, "floor": 1 })), ["name"]);
    }

    #[test]
    fn texts_are_trimmed_and_a_blank_optional_one_is_none() {
        let mut body = json!({ "name": " Dana ", "nickname": "  ", "title": null, "floor": 1 });
        assert!(check::<Person>(&mut body).is_empty());
        assert_eq!(body, json!({ "name": "Dana", "nickname": null, "title": "", "floor": 1 }));
    }
}
