//! Default limits in the API description: every text of a request body without its own limit gets the default, as
//! [`crate::checks`] applies it.

use super::operations;
use crate::checks::TEXT_MAX;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::{
    KnownFormat, OpenApi, RefOr, Schema,
    schema::{AdditionalProperties, ArrayItems, Object, SchemaFormat, SchemaType, Type},
};

/// Adds the limits of the texts of all request bodies.
pub fn describe(description: &mut OpenApi) {
    let mut wanted = BTreeSet::new();
    for operation in description.paths.paths.values_mut().flat_map(operations) {
        let Some(RefOr::T(body)) = &mut operation.request_body else { continue };
        for content in body.content.values_mut() {
            if let RefOr::T(content) = content
                && let Some(schema) = &mut content.schema
            {
                limit(schema, &mut wanted);
            }
        }
    }
    let Some(components) = &mut description.components else { return };
    limit_named(&mut components.schemas, wanted);
}

fn limit_named(schemas: &mut BTreeMap<String, RefOr<Schema>>, mut wanted: BTreeSet<String>) {
    let mut done = BTreeSet::new();
    while let Some(name) = wanted.pop_first() {
        if let Some(schema) = schemas.get_mut(&name)
            && done.insert(name)
        {
            let mut more = BTreeSet::new();
            limit(schema, &mut more);
            wanted.extend(more.difference(&done).cloned());
        }
    }
}

/// Limits the texts of a schema, and collects the names of referenced schemas.
fn limit(schema: &mut RefOr<Schema>, named: &mut BTreeSet<String>) {
    match schema {
        RefOr::Ref(reference) => named.extend(reference.ref_location.rsplit('/').next().map(str::to_owned)),
        RefOr::T(Schema::Object(object)) => limit_object(object, named),
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                limit(items, named);
            }
        }
        RefOr::T(Schema::OneOf(all)) => all.items.iter_mut().for_each(|item| limit(item, named)),
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(|item| limit(item, named)),
        RefOr::T(Schema::AnyOf(all)) => all.items.iter_mut().for_each(|item| limit(item, named)),
        RefOr::T(_) => {}
    }
}

fn limit_object(object: &mut Object, named: &mut BTreeSet<String>) {
    if is_text(object) && object.max_length.is_none() {
        object.max_length = Some(TEXT_MAX);
    }
    object.properties.values_mut().for_each(|property| limit(property, named));
    if let Some(AdditionalProperties::RefOr(values)) = object.additional_properties.as_deref_mut() {
        limit(values, named);
    }
}

fn is_text(object: &Object) -> bool {
    let is_string = match &object.schema_type {
        SchemaType::Type(kind) => *kind == Type::String,
        SchemaType::Array(kinds) => kinds.contains(&Type::String),
        SchemaType::AnyValue => false,
    };
    let has_form = |format: &SchemaFormat| {
        use KnownFormat::{Binary, Date, DateTime, Uuid};
        matches!(format, SchemaFormat::KnownFormat(Binary | Date | DateTime | Uuid))
    };
    is_string && object.enum_values.is_none() && !object.format.as_ref().is_some_and(has_form)
}
