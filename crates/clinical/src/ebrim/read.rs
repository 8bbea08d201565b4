//! Reading of metadata. Elements are found by their local names, because old software writes other namespaces, and
//! schemes with or without `urn:uuid:` and in any case.

use super::{IdScheme, hash, submission_set};
use roxmltree::Node;

/// Most values of a slot.
const VALUES: usize = 100;
/// Longest external identifier, in bytes.
const IDENTIFIER: usize = 500;
/// Highest number of a field of PID in `sourcePatientInfo`.
const PID_FIELDS: usize = 30;

/// The objects of a kind at any depth: `ExtrinsicObject` for documents, `RegistryPackage` for submission sets and folders.
pub fn objects<'a, 'input>(root: Node<'a, 'input>, kind: &str) -> impl Iterator<Item = Node<'a, 'input>> {
    root.descendants().filter(move |node| is(node, kind))
}

fn is(node: &Node, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// The package classified as a submission set, or the only package.
pub fn find_submission_set<'a, 'input>(root: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    let packages: Vec<_> = objects(root, "RegistryPackage").collect();
    let is_node = |node: &Node| {
        node.attribute("classificationNode").is_some_and(|id| is_same(id, submission_set::NODE))
    };
    let classified = objects(root, "Classification").filter(is_node);
    let classified = classified.filter_map(|node| node.attribute("classifiedObject")).next();
    let is_set = |package: &&Node| classified.is_some() && package.attribute("id") == classified;
    packages
        .iter()
        .find(is_set)
        .or(match packages.as_slice() {
            [only] => Some(only),
            _ => None,
        })
        .copied()
}

/// Whether two UUIDs are the same.
fn is_same(written: &str, id: &str) -> bool {
    let plain = |id: &str| id.trim().trim_start_matches("urn:uuid:").to_ascii_lowercase();
    plain(written) == plain(id)
}

/// The values of a slot.
pub fn values(object: Node, slot: &str) -> Vec<String> {
    let is_it = |node: &Node| is(node, "Slot") && node.attribute("name") == Some(slot);
    let values = object.children().filter(is_it).flat_map(|slot| slot.descendants());
    let values = values.filter(|node| is(node, "Value")).take(VALUES);
    values.map(|value| value.text().unwrap_or_default().trim().to_owned()).collect()
}

/// The first value of a slot, if it is not empty.
pub fn value(object: Node, slot: &str) -> Option<String> {
    values(object, slot).into_iter().next().filter(|value| !value.is_empty())
}

/// The name of an object or of a code; empty if there is none.
pub fn name(object: Node) -> String {
    let name = object.children().find(|node| is(node, "Name"));
    let value = name.and_then(|name| name.descendants().find_map(|node| node.attribute("value")));
    value.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The classifications of an object by a scheme.
pub fn classifications<'a, 'input>(
    object: Node<'a, 'input>,
    scheme: &str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    object.children().filter(move |node| {
        is(node, "Classification")
            && node.attribute("classificationScheme").is_some_and(|written| is_same(written, scheme))
    })
}

/// An external identifier of an object.
pub fn identifier(object: Node, scheme: IdScheme) -> Option<String> {
    let is_it = |node: &Node| {
        is(node, "ExternalIdentifier")
            && node.attribute("identificationScheme").is_some_and(|written| is_same(written, scheme.id))
    };
    let value = object.children().find(is_it)?.attribute("value")?.trim();
    (!value.is_empty() && value.len() <= IDENTIFIER).then(|| value.to_owned())
}

/// The patient of a document entry as an HL7 v2 PID segment; `None` if the patient has no name. `sourcePatientInfo` has the
/// fields as `PID-5|Pruitt^Desmond`, and a field with several values once for each.
pub fn source_patient(entry: Node) -> Option<String> {
    let clean = |text: &str| text.replace(['|', '\r', '\n'], "").trim().to_owned();
    let mut fields: [Option<String>; PID_FIELDS + 1] = [const { None }; PID_FIELDS + 1];
    for line in values(entry, "sourcePatientInfo") {
        let Some((name, value)) = line.split_once('|') else { continue };
        let number = name.trim().strip_prefix("PID-").and_then(|number| number.parse::<usize>().ok());
        let Some(field) = number.and_then(|number| fields.get_mut(number)) else { continue };
        match field {
            Some(known) if !known.is_empty() => *known = format!("{known}~{}", clean(value)),
            _ => *field = Some(clean(value)),
        }
    }
    if fields[3].as_ref().is_none_or(String::is_empty) {
        fields[3] = value(entry, "sourcePatientId").map(|id| clean(&id));
    }
    // Separators alone are no name.
    fields[5].as_deref().filter(|name| name.contains(char::is_alphanumeric))?;
    let fields: Vec<String> = fields.into_iter().skip(1).map(Option::unwrap_or_default).collect();
    Some(format!("PID|{}", fields.join("|")))
}

/// Whether content has the hash and the size that its metadata state, as far as they state them.
pub fn is_intact(content: &[u8], stated_hash: Option<&str>, stated_size: Option<&str>) -> bool {
    stated_hash.is_none_or(|stated| stated.eq_ignore_ascii_case(&hash(content)))
        && stated_size.is_none_or(|stated| stated.parse() == Ok(content.len()))
}
