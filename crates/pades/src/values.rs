//! Writing objects of PDF files.

use hayro_syntax::object::{Array, Dict, MaybeRef, Object};
use std::fmt::Write;

/// Maximum nesting of written arrays and dictionaries.
const MAX_DEPTH: usize = 64;

/// A value of another file part, with its references as they are. A nested value that is too deep becomes null.
pub fn value(out: &mut Vec<u8>, value: &MaybeRef<Object<'_>>, depth: usize) {
    match value {
        MaybeRef::Ref(to) => reference(out, to.obj_number, to.gen_number),
        MaybeRef::NotRef(object) => direct(out, object, depth),
    }
}

fn direct(out: &mut Vec<u8>, object: &Object<'_>, depth: usize) {
    match object {
        _ if depth > MAX_DEPTH => text(out, "null"),
        Object::Boolean(value) => text(out, if *value { "true" } else { "false" }),
        Object::Number(number) => text(out, &plain(number.as_f64())),
        Object::String(bytes) => string(out, bytes.as_bytes()),
        Object::Name(written) => name(out, written),
        Object::Dict(dict) => dictionary(out, dict, &[], depth),
        Object::Array(items) => array(out, items, depth),
        // A stream is always an indirect object.
        Object::Null(_) | Object::Stream(_) => text(out, "null"),
    }
}

fn array(out: &mut Vec<u8>, items: &Array<'_>, depth: usize) {
    text(out, "[");
    for item in items.raw_iter() {
        value(out, &item, depth + 1);
        text(out, " ");
    }
    text(out, "]");
}

fn dictionary(out: &mut Vec<u8>, dict: &Dict<'_>, skip: &[&str], depth: usize) {
    text(out, "<<");
    entries(out, dict, skip, depth);
    text(out, ">>");
}

/// The entries of a dictionary without its brackets, except some.
pub fn entries(out: &mut Vec<u8>, dict: &Dict<'_>, skip: &[&str], depth: usize) {
    for (key, entry) in dict.entries() {
        if !skip.iter().any(|skipped| skipped.as_bytes() == &key[..]) {
            name(out, &key);
            text(out, " ");
            value(out, &entry, depth + 1);
            text(out, "\n");
        }
    }
}

/// The items of an array without its brackets.
pub fn items(out: &mut Vec<u8>, array: &Array<'_>) {
    for item in array.raw_iter() {
        value(out, &item, 1);
        text(out, " ");
    }
}

fn reference(out: &mut Vec<u8>, number: u32, generation: i32) {
    text(out, &format!("{number} {generation} R"));
}

/// A number without exponent, which PDF does not know.
pub fn plain(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { format!("{number:.5}") }
}

/// Text that is valid PDF already.
pub fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn name(out: &mut Vec<u8>, name: &[u8]) {
    text(out, "/");
    for byte in name {
        match byte {
            b'!'..=b'~' if !b"()<>[]{}/%#".contains(byte) => out.push(*byte),
            _ => text(out, &format!("#{byte:02x}")),
        }
    }
}

/// Bytes as a hexadecimal string.
pub fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut hex = String::from("<");
    for byte in bytes {
        _ = write!(hex, "{byte:02x}");
    }
    text(out, &(hex + ">"));
}

/// Text for people as a text string (UTF-16, ISO 32000-2 section 7.9.2.2).
pub fn words(words: &str) -> String {
    let mut out = Vec::new();
    string(&mut out, &utf16(words));
    String::from_utf8(out).unwrap_or_default()
}

/// The bytes of a text string.
pub fn utf16(words: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(words.encode_utf16()).flat_map(u16::to_be_bytes).collect()
}
