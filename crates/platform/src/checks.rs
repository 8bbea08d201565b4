//! Checks a request body against its schema, all fields at once, so that one answer has all errors of a form. Every
//! text has a limit and every date a plausible year; types and structure are left to serde. Choices and required
//! fields are checked in bodies with text rules ([`crate::text!`]).

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

/// Maximum depth of recursive schemas.
const DEPTH_MAX: usize = 12;

/// Maximum length of a text without its own limit, in characters.
pub const TEXT_MAX: usize = 1_000;
/// Allowed years of dates of people and documents.
const YEARS: std::ops::RangeInclusive<u32> = 1800..=2200;

/// Check of a value.
type Plan = Option<Check>;

enum Check {
    Text(TextCheck),
    /// A text without a rule, with its maximum length.
    Length(usize),
    /// A date or time as text.
    Date,
    /// One of these values.
    Choice(Vec<Value>),
    /// Null, or the inner check.
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

/// Trims the texts of a body of type `T`, and returns their errors by path.
pub fn check<T: ToSchema + 'static>(body: &mut Value) -> FieldErrors {
    let mut errors = FieldErrors::default();
    if let Some(plan) = &*plan_of::<T>() {
        let mut checking = Checking { is_form: plan.has_rules(), errors: &mut errors };
        plan.apply(body, "", &mut checking);
    }
    errors
}

/// Whether a body of type `T` is an object: serde would otherwise accept an array of its field values.
pub fn is_object<T: ToSchema + 'static>() -> bool {
    matches!(&*plan_of::<T>(), Some(Check::Fields(_)))
}

/// Converts the texts of a form to the types of a body of type `T`: numbers, booleans, and null for a blank. Invalid
/// values stay texts, and are refused as such.
pub fn typed<T: ToSchema>(texts: impl Iterator<Item = (String, String)>) -> Value {
    let schema = json(&T::schema());
    let value = |name: &str, text: String| {
        let kind = &schema["properties"][name];
        let is_optional = is_of_type(kind, "null") || kind["oneOf"].is_array();
        let words = text.trim();
        if words.is_empty() && (is_optional || !is_of_type(kind, "string")) {
            return Value::Null;
        }
        match words {
            "true" | "on" if is_of_type(kind, "boolean") => true.into(),
            "false" if is_of_type(kind, "boolean") => false.into(),
            _ if is_of_type(kind, "integer") => words.parse::<i64>().map_or(text.into(), Value::from),
            _ => text.into(),
        }
    };
    let fields = texts.map(|(name, text)| {
        let value = value(&name, text);
        (name, value)
    });
    // A blank number or checkbox counts as missing.
    Value::Object(fields.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}

struct Checking<'e> {
    /// Whether choices and required fields are also checked.
    is_form: bool,
    errors: &'e mut FieldErrors,
}

impl Checking<'_> {
    fn wrong(&mut self, path: &str) {
        self.errors.add(path, DEFAULT_FIELD_ERROR);
    }
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
    compile(&json(&T::schema()), &named, DEPTH_MAX)
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
    if is_of_type(schema, "string") && !schema["enum"].is_array() {
        return match schema["format"].as_str() {
            Some("date" | "date-time") => Some(Check::Date),
            Some("uuid" | "binary") => None,
            _ => Some(Check::Length(schema["maxLength"].as_u64().map_or(TEXT_MAX, |max| max as usize))),
        };
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

fn is_of_type(schema: &Value, name: &str) -> bool {
    let kind = &schema["type"];
    kind == name || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == name))
}

/// One of several schemas. Only "null or this" is checked; serde chooses among several.
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
    fn has_rules(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Choice(_) | Self::Length(_) | Self::Date => false,
            Self::Optional(within) | Self::Items(within) | Self::Values(within) => within.has_rules(),
            Self::Fields(fields) => {
                fields.iter().filter_map(|field| field.check.as_ref()).any(Self::has_rules)
            }
            Self::All(parts) => parts.iter().any(Self::has_rules),
        }
    }

    fn apply(&self, value: &mut Value, path: &str, errors: &mut Checking) {
        match self {
            Self::Text(text) => apply_to_text(text, value, path, errors.errors),
            Self::Length(max) => {
                // Characters are only counted if the text is short enough.
                let too_long = |text: &str| text.len() > max * 4 || text.chars().nth(*max).is_some();
                if value.as_str().is_some_and(too_long) {
                    errors.wrong(path);
                }
            }
            Self::Date => {
                if value.as_str().is_some_and(|text| !has_sane_year(text)) {
                    errors.wrong(path);
                }
            }
            Self::Choice(choices) => {
                if errors.is_form && !choices.contains(value) {
                    errors.wrong(path);
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
                } else if value.is_array() {
                    errors.wrong(path);
                }
            }
            Self::Items(within) => {
                let is_text = matches!(**within, Self::Text(_) | Self::Length(_));
                for (at, item) in value.as_array_mut().into_iter().flatten().enumerate() {
                    // A list of texts is a single field on the screen.
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
    fn apply(&self, object: &mut Map<String, Value>, path: &str, errors: &mut Checking) {
        let path = join(path, &self.name);
        let is_required = self.is_required && errors.is_form;
        match (object.get_mut(&self.name), &self.check) {
            (Some(Value::Null), None | Some(Check::Choice(_))) if is_required => errors.wrong(&path),
            (Some(value), Some(check)) => check.apply(value, &path, errors),
            // A missing text equals an empty one.
            (None, Some(Check::Text(text))) if text.is_required() => {
                errors.errors.extend(&path, text.problem(""));
            }
            (None, _) if is_required => errors.wrong(&path),
            _ => {}
        }
    }
}

/// Whether a date or a time begins with a plausible four-digit year.
fn has_sane_year(text: &str) -> bool {
    let year = text.trim().split_once('-').map_or("", |(year, _)| year);
    year.is_empty() || (year.len() == 4 && year.parse().is_ok_and(|year| YEARS.contains(&year)))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn apply_to_text(check: &TextCheck, value: &mut Value, path: &str, errors: &mut FieldErrors) {
    let trimmed = match value {
        // The same as missing; a required text may not be null.
        Value::Null if check.is_required() => "",
        Value::Null => return errors.add(path, DEFAULT_FIELD_ERROR),
        Value::String(text) => text.trim(),
        // Left to the errors of serde.
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
    struct Letter {
        #[schema(max_length = 5)]
        body: Option<String>,
        subject: Option<String>,
        born: Option<chrono::NaiveDate>,
        addresses: Vec<String>,
    }

    fn wrong_in_letter(mut body: Value) -> Vec<String> {
        check::<Letter>(&mut body).0.into_keys().collect()
    }

    #[test]
    fn a_text_without_a_rule_has_a_limit_and_a_date_a_sane_year() {
        let long = "é".repeat(TEXT_MAX + 1);
        let wrong = json!({ "body": "123456", "subject": long, "born": "+12345-01-01", "addresses": [long] });
        assert_eq!(wrong_in_letter(wrong), ["addresses", "body", "born", "subject"]);
        assert_eq!(wrong_in_letter(json!({ "born": "0001-01-01" })), ["born"]);
        let fine = json!({ "body": "12345", "subject": "é".repeat(TEXT_MAX), "born": "1931-02-03" });
        assert!(wrong_in_letter(fine).is_empty());
    }

    #[test]
    fn an_array_is_no_object() {
        assert!(is_object::<Letter>() && !is_object::<Vec<String>>());
        let nested = json!({ "name": "A", "floor": 1, "children": [["B"]] });
        assert_eq!(wrong(nested), ["children[0]"]);
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
        let mut body = json!({ "name": " Dana ", "nickname": "  ", "title": " ", "floor": 1 });
        assert!(check::<Person>(&mut body).is_empty());
        assert_eq!(body, json!({ "name": "Dana", "nickname": null, "title": "", "floor": 1 }));
        assert_eq!(wrong(json!({ "name": "Dana", "title": null, "floor": 1 })), ["title"]);
    }
}
