//! Annotations and form fields of copied pages. A field is copied with its inherited values, but without the
//! form hierarchy around it, which also contains fields of other pages.

use hayro::hayro_syntax::object::{Array, Dict, Name};
use pdf_writer::{Name as Key, Ref};

use super::copy::Copier;

/// Maximum number of copied annotations of a page.
const MAX: usize = 10_000;
/// Maximum depth of the tree of fields; ends loops in the file.
const MAX_DEPTH: usize = 16;
/// Inheritable keys of fields (ISO 32000-1 tables 220, 222, 229 and 231).
const INHERITED: [&[u8]; 10] = [b"FT", b"Ff", b"V", b"DV", b"DA", b"Q", b"MaxLen", b"Opt", b"T", b"TU"];
/// Keys that lead to other pages or annotations, or trigger actions.
const LEFT_OUT: [&[u8]; 8] = [b"P", b"Parent", b"Popup", b"IRT", b"AA", b"Dest", b"A", b"Kids"];

/// The annotations of a page that should be copied.
pub(super) fn of<'a>(page: &Dict<'a>) -> Vec<Dict<'a>> {
    let all = page.get::<Array<'_>>("Annots");
    let all = all.iter().flat_map(|annotations| annotations.iter::<Dict<'_>>().collect::<Vec<_>>());
    all.take(MAX).filter(|annotation| kind(annotation).is_some_and(|kind| kind.as_str() != "Popup")).collect()
}

fn kind<'a>(annotation: &Dict<'a>) -> Option<Name<'a>> {
    annotation.get::<Name<'_>>("Subtype")
}

/// Writes an annotation of a page. Returns whether it is a form field.
pub(super) fn write<'a>(
    copier: &mut Copier<'a>,
    mut out: pdf_writer::Dict<'_>,
    annotation: &Dict<'a>,
    page: Ref,
) -> bool {
    let is_field = kind(annotation).is_some_and(|kind| kind.as_str() == "Widget");
    let ancestors = if is_field { ancestors(annotation) } else { Vec::new() };
    let is_signature = [annotation]
        .into_iter()
        .chain(&ancestors)
        .any(|field| field.get::<Name<'_>>("FT").is_some_and(|kind| kind.as_str() == "Sig"));
    out.pair(Key(b"P"), page);
    if let Some(action) = annotation.get::<Dict<'_>>("A").filter(opens_a_page_of_the_web) {
        copier.dict(out.insert(Key(b"A")).dict(), &action, &[b"Next"], 0);
    }
    for key in INHERITED.iter().filter(|key| !annotation.contains_key(key)) {
        // A signature covers the whole file and is invalid for a part of it.
        if is_signature && *key == b"V" {
            continue;
        }
        let given = ancestors.iter().find_map(|field| field.get_raw(key));
        if let Some(value) = given {
            copier.value(out.insert(Key(key)), &value, 0);
        }
    }
    let mut skip = LEFT_OUT.to_vec();
    if is_signature {
        skip.push(b"V");
    }
    copier.dict(out, annotation, &skip, 0);
    is_field
}

/// The parent fields of a widget, nearest first.
fn ancestors<'a>(widget: &Dict<'a>) -> Vec<Dict<'a>> {
    let mut found = Vec::new();
    let mut above = widget.get::<Dict<'_>>("Parent");
    while let Some(field) = above.filter(|_| found.len() < MAX_DEPTH) {
        above = field.get::<Dict<'_>>("Parent");
        found.push(field);
    }
    found
}

fn opens_a_page_of_the_web(action: &Dict<'_>) -> bool {
    action.get::<Name<'_>>("S").is_some_and(|kind| kind.as_str() == "URI")
}
