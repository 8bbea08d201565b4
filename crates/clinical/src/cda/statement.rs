//! The parts of a clinical statement (CDA R2 section 4.3.6).

use roxmltree::Node;

use super::xml::{child, children, is, path};

/// Elements that are clinical statements.
const STATEMENTS: [&str; 8] = [
    "act",
    "encounter",
    "observation",
    "observationMedia",
    "organizer",
    "procedure",
    "substanceAdministration",
    "supply",
];

/// Statements directly inside a node.
pub(super) fn statements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> + 'a {
    node.children().filter(|child| STATEMENTS.iter().any(|name| is(*child, name)))
}

/// Directly nested statements.
pub(super) fn parts<'a>(statement: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> + 'a {
    statement
        .children()
        .filter(|node| is(*node, "entryRelationship") || is(*node, "component"))
        .flat_map(statements)
}

/// The drug, vaccine or device of a statement.
pub(super) fn material<'a, 'i>(statement: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    let product = path(statement, &["consumable", "manufacturedProduct"])
        .or_else(|| path(statement, &["product", "manufacturedProduct"]))?;
    child(product, "manufacturedMaterial").or_else(|| child(product, "manufacturedLabeledDrug"))
}

/// Participating entities of a statement of one type.
pub(super) fn playing<'a>(statement: Node<'a, 'a>, kind: &'a str) -> impl Iterator<Item = Node<'a, 'a>> + 'a {
    roles(statement, kind).filter_map(entity)
}

/// Roles of the participants of a statement of one type.
pub(super) fn roles<'a>(statement: Node<'a, 'a>, kind: &'a str) -> impl Iterator<Item = Node<'a, 'a>> + 'a {
    children(statement, "participant")
        .filter(move |node| node.attribute("typeCode") == Some(kind))
        .filter_map(|node| child(node, "participantRole"))
}

/// The entity or device in a role.
pub(super) fn entity<'a, 'i>(role: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    child(role, "playingEntity").or_else(|| child(role, "playingDevice"))
}
