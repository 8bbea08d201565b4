//! Reads the body of a document: its sections, or the single file in it, and embedded pictures.

use roxmltree::Node;

use super::model::narrative::Block;
use super::model::*;
use super::words::null_words;
use super::xml::{all_text, child, children, code, ids, is, text};
use super::{entries, files, narrative};

/// Largest embedded picture, in bytes.
const MAX_MEDIA: usize = 4 * 1024 * 1024;

/// Reads the body. With `lists`, the entries are also returned as lists.
pub(super) fn read(root: Node<'_, '_>, lists: bool) -> Body {
    let bodies = || children(root, "component");
    let structured: Vec<_> = bodies().flat_map(|node| children(node, "structuredBody")).collect();
    if !structured.is_empty() {
        return Body::Structured(structured.into_iter().flat_map(|node| sections(node, lists)).collect());
    }
    match bodies().find_map(|node| child(node, "nonXMLBody")).and_then(|body| child(body, "text")) {
        Some(node) => Body::Unstructured(unstructured(node)),
        None => Body::Missing,
    }
}

/// Reads the sections. They should be in separate components; sections that share a component or have none are read
/// as well.
fn sections(parent: Node<'_, '_>, lists: bool) -> Vec<Section> {
    let mut out = Vec::new();
    for node in parent.children() {
        if is(node, "section") {
            out.push(section(node, lists));
        } else if is(node, "component") {
            out.extend(children(node, "section").map(|node| section(node, lists)));
        }
    }
    out
}

fn section(node: Node<'_, '_>, lists: bool) -> Section {
    let code = child(node, "code").and_then(code);
    let title = child(node, "title").and_then(text);
    let mut narrative: Vec<_> = children(node, "text").flat_map(text_of).collect();
    if narrative.is_empty() {
        narrative = entries::describe(node, code.as_ref());
    }
    if narrative.is_empty()
        && let Some(flavor) = node.attribute("nullFlavor")
    {
        narrative.push(Block::line(null_words(flavor)));
    }
    Section {
        template_ids: ids(node, "templateId"),
        title: title
            .or_else(|| code.as_ref().and_then(|code| code.display.clone()))
            .unwrap_or_else(|| "Untitled section".to_owned()),
        list: lists.then(|| entries::list(node, code.as_ref())).flatten(),
        code,
        narrative,
        entries: children(node, "entry").count(),
        sections: sections(node, lists),
    }
}

/// The narrative of a section, or the Base64 text or file that some senders put in its place.
fn text_of(node: Node<'_, '_>) -> Vec<Block> {
    match files::words(node) {
        Some(words) => words.lines().map(Block::line).collect(),
        None => narrative::read(node),
    }
}

fn unstructured(node: Node<'_, '_>) -> Unstructured {
    let declared = files::media_type(node);
    if let Some(reference) = child(node, "reference").and_then(|node| node.attribute("value")) {
        return Unstructured::Referenced { media_type: declared, reference: reference.to_owned() };
    }
    let media_type = declared.unwrap_or_else(|| "text/plain".to_owned());
    let content = if node.has_attribute("compression") {
        None
    } else if files::is_encoded(node) {
        files::content(node)
    } else {
        Some(all_text(node).into_bytes())
    };
    match content.filter(|content| !content.is_empty()) {
        Some(content) => Unstructured::Embedded { media_type, content },
        None => Unstructured::Unreadable { media_type },
    }
}

pub(super) fn media(root: Node<'_, '_>) -> Vec<Media> {
    let read = |node: Node<'_, '_>| {
        let id = node.attribute("ID")?;
        let content = files::content(child(node, "value")?).filter(|content| content.len() <= MAX_MEDIA)?;
        Some(Media { id: id.to_owned(), media_type: files::picture_type(&content)?, content })
    };
    root.descendants().filter(|node| is(*node, "observationMedia")).filter_map(read).collect()
}
