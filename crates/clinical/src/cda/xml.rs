//! Helpers to read the XML of a document.

use std::borrow::Cow;

use roxmltree::Node;

use super::model::{Code, InstanceId, Timestamp};

/// Whether a node is an element with this local name. Documents may use wrong namespaces or none; only HL7's
/// extensions (`sdtc`) are distinguished.
pub(super) fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element()
        && node.tag_name().name() == name
        && node.tag_name().namespace() != Some("urn:hl7-org:sdtc")
}

pub(super) fn children<'a, 'i: 'a>(
    node: Node<'a, 'i>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    node.children().filter(move |child| is(*child, name))
}

pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| is(*child, name))
}

pub(super) fn path<'a, 'i>(node: Node<'a, 'i>, names: &[&str]) -> Option<Node<'a, 'i>> {
    names.iter().try_fold(node, |node, name| child(node, name))
}

/// The child whose `use` has one of the codes, otherwise the first one without a null flavor.
pub(super) fn preferred<'a, 'i>(node: Node<'a, 'i>, name: &str, uses: &[&str]) -> Option<Node<'a, 'i>> {
    let candidates = || node.children().filter(|child| is(*child, name));
    let wanted = |child: &Node<'_, '_>| {
        child.attribute("use").is_some_and(|codes| codes.split(' ').any(|code| uses.contains(&code)))
    };
    candidates()
        .find(wanted)
        .or_else(|| candidates().find(|child| child.attribute("nullFlavor").is_none()))
        .or_else(|| candidates().next())
}

/// All text below a node, white space as written.
pub(super) fn all_text(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// All text below a node with collapsed white space; None when there is none.
pub(super) fn text(node: Node<'_, '_>) -> Option<String> {
    let all = match node.first_child() {
        Some(only) if only.is_text() && node.last_child() == Some(only) => Cow::Borrowed(only.text()?),
        _ => Cow::Owned(all_text(node)),
    };
    join(all.split_whitespace())
}

/// The parts joined by spaces; None if there are none.
pub(super) fn join(parts: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let mut joined = String::new();
    for part in parts {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(part.as_ref());
    }
    (!joined.is_empty()).then_some(joined)
}

pub(super) fn attribute(node: Option<Node<'_, '_>>, name: &str) -> Option<String> {
    let value = node?.attribute(name)?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

pub(super) fn time(node: Node<'_, '_>) -> Option<Timestamp> {
    Timestamp::new(node.attribute("value")?)
}

pub(super) fn code(node: Node<'_, '_>) -> Option<Code> {
    let display = attribute(Some(node), "displayName").or_else(|| text(child(node, "originalText")?));
    let value = attribute(Some(node), "code");
    (value.is_some() || display.is_some()).then(|| Code {
        code: value.unwrap_or_default(),
        system: attribute(Some(node), "codeSystem"),
        display,
    })
}

pub(super) fn instance_id(node: Node<'_, '_>) -> Option<InstanceId> {
    Some(InstanceId {
        root: attribute(Some(node), "root")?,
        extension: attribute(Some(node), "extension"),
        authority: attribute(Some(node), "assigningAuthorityName"),
    })
}

pub(super) fn ids(node: Node<'_, '_>, name: &str) -> Vec<InstanceId> {
    children(node, name).filter_map(instance_id).collect()
}

pub(super) fn nested_ids(root: Node<'_, '_>, outer: &str, inner: &str) -> Vec<InstanceId> {
    children(root, outer).filter_map(|node| child(node, inner)).flat_map(|node| ids(node, "id")).collect()
}
