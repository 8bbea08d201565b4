//! Transparency groups whose content blends with the page below them.
//!
//! The renderer draws every group separately and composites it with the page, so that a highlighter inside a
//! group covers the words that it should tint. A group that is neither isolated nor a knockout group, drawn
//! in the normal blend mode, looks the same when its content is drawn directly (ISO 32000-1 section 11.4.7).
//! Such groups are dissolved in the bytes of the file: a form is a stream, so its dictionary is neither
//! compressed nor encrypted.

use std::ops::Range;

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object, Stream};

const KEY: &[u8] = b"/Group";
/// A key without a meaning, of the same length as [`KEY`].
const NO_KEY: &[u8] = b"/Xroup";

/// The file with these groups dissolved; `None` if there are none.
pub(super) fn dissolved(pdf: &Pdf) -> Option<Vec<u8>> {
    let content = pdf.data().as_ref();
    if !contains(content, KEY) || !contains(content, b"/Form") {
        return None;
    }
    let places: Vec<_> = pdf
        .objects()
        .into_iter()
        .filter_map(|object| if let Object::Stream(stream) = object { Some(stream) } else { None })
        .filter(blends_with_the_page)
        .filter_map(|form| place(content, form.dict().data()))
        .collect();
    if places.is_empty() {
        return None;
    }
    let mut changed = content.to_vec();
    for place in places {
        changed[place].copy_from_slice(NO_KEY);
    }
    Some(changed)
}

fn contains(content: &[u8], words: &[u8]) -> bool {
    memchr::memmem::find(content, words).is_some()
}

fn blends_with_the_page(form: &Stream<'_>) -> bool {
    let dict = form.dict();
    let is_form = dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_str() == "Form");
    let Some(group) = dict.get::<Dict<'_>>("Group").filter(|_| is_form) else { return false };
    let set = |key| group.get::<bool>(key).unwrap_or(false);
    let states =
        dict.get::<Dict<'_>>("Resources").and_then(|resources| resources.get::<Dict<'_>>("ExtGState"));
    !set("I") && !set("K") && states.is_some_and(|states| states.keys().any(|name| blends(&states, &name)))
}

fn blends(states: &Dict<'_>, name: &Name<'_>) -> bool {
    let Some(state) = states.get::<Dict<'_>>(name) else { return false };
    let plain = |mode: &Name<'_>| matches!(mode.as_str(), "Normal" | "Compatible");
    match state.get::<Object<'_>>("BM") {
        Some(Object::Name(mode)) => !plain(&mode),
        // A viewer uses the first mode that it knows.
        Some(Object::Array(modes)) => first(&modes).is_some_and(|mode| !plain(&mode)),
        _ => false,
    }
}

fn first<'a>(names: &Array<'a>) -> Option<Name<'a>> {
    names.iter::<Name<'_>>().next()
}

/// Position of the key in the file.
fn place(content: &[u8], dict: &[u8]) -> Option<Range<usize>> {
    let start = (dict.as_ptr() as usize).checked_sub(content.as_ptr() as usize)?;
    if content.get(start..start + dict.len())? != dict {
        return None;
    }
    let found = memchr::memmem::find_iter(dict, KEY)
        .find(|&at| dict.get(at + KEY.len()).is_none_or(|next| !next.is_ascii_alphanumeric()))?;
    Some(start + found..start + found + KEY.len())
}
