//! Base64 files and texts inside a document (data type ED): notes, values of observations, scans in place of a
//! narrative.

use roxmltree::Node;

use super::model::EmbeddedFile;
use super::words::code_words;
use super::xml::{all_text, child, is, text};
use crate::embedded::from_base64;

/// Most files of one document.
const MAX_FILES: usize = 500;
/// Longest text shown in place, in bytes; a longer one is a file.
const MAX_INLINE: usize = 20_000;

/// Decodes an element with Base64, declared or not: `None` for plain text, and for undecodable content.
pub(super) fn content(node: Node<'_, '_>) -> Option<Vec<u8>> {
    if node.has_attribute("compression") || !is_encoded(node) {
        return None;
    }
    from_base64(&all_text(node)).filter(|content| !content.is_empty())
}

/// Whether an element has Base64. Some senders omit `representation`, but encoded pictures and PDFs cannot be
/// mistaken for text.
pub(super) fn is_encoded(node: Node<'_, '_>) -> bool {
    match node.attribute("representation") {
        Some(representation) => representation.trim().eq_ignore_ascii_case("B64"),
        None => {
            let kind = media_type(node).unwrap_or_default();
            let is_text = kind.is_empty() || kind.starts_with("text/") || kind.ends_with("xml");
            !is_text && node.children().all(|node| !node.is_element())
        }
    }
}

/// Media type as declared, in lower case.
pub(super) fn media_type(node: Node<'_, '_>) -> Option<String> {
    let kind = node.attribute("mediaType")?.trim().to_ascii_lowercase();
    (!kind.is_empty()).then_some(kind)
}

/// Media type detected from the content, since the declared one is not reliable.
pub(super) fn picture_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ => None,
    }
}

/// Words shown in place of an element with Base64: its text, or a note that there is a file.
pub(super) fn words(node: Node<'_, '_>) -> Option<String> {
    if !is_encoded(node) {
        return None;
    }
    let Some(content) = content(node) else { return Some("A file that cannot be read.".to_owned()) };
    let kind = media_type(node);
    Some(inline(kind.as_deref(), &content).unwrap_or_else(|| {
        let kind = kind.unwrap_or_else(|| "unknown type".to_owned());
        format!("A file in this document ({kind}, {} bytes).", content.len())
    }))
}

/// A short plain text.
fn inline(kind: Option<&str>, content: &[u8]) -> Option<String> {
    let is_plain = kind.is_none_or(|kind| kind.starts_with("text/plain"));
    let text = std::str::from_utf8(content).ok().filter(|_| is_plain && content.len() <= MAX_INLINE)?;
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars().all(is_text).then(|| text.replace("\r\n", "\n").replace('\r', "\n").trim_end().to_owned())
}

/// The files in the sections and entries of a document, in document order. Pictures shown in the narrative and short
/// texts are not included.
pub(super) fn read(root: Node<'_, '_>) -> Vec<EmbeddedFile> {
    let inside = root.descendants().filter(|node| is(*node, "text") || is(*node, "value"));
    inside.filter_map(file).take(MAX_FILES).collect()
}

fn file(node: Node<'_, '_>) -> Option<EmbeddedFile> {
    let holder = node.parent()?;
    if is(holder, "nonXMLBody") {
        return None;
    }
    let content = content(node)?;
    let media_type = media_type(node);
    let is_shown_picture = is(holder, "observationMedia") && picture_type(&content).is_some();
    if is_shown_picture || inline(media_type.as_deref(), &content).is_some() {
        return None;
    }
    Some(EmbeddedFile { title: title(holder), media_type, content })
}

/// Name of the statement or section around a file.
fn title(holder: Node<'_, '_>) -> String {
    let named =
        |node: Node<'_, '_>| child(node, "title").and_then(text).or_else(|| code_words(child(node, "code")?));
    holder.ancestors().filter(|node| node.is_element()).find_map(named).unwrap_or_default()
}
