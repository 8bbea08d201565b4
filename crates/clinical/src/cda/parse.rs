//! Reads a CDA document.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use super::error::CdaError;
use super::limits::{MAX_BYTES, MAX_NODES, check_depth};
use super::model::narrative::Block;
use super::model::*;
use super::repair::{self, Repair};
use super::xml::{attribute, child, code, ids, instance_id, is, nested_ids, path, text, time};
use super::{body, encoding, files, header};

/// Most undeclared namespace prefixes that are repaired.
const MAX_REPAIRS: usize = 5;

/// Reads a document. See [`super`] for its tolerance.
pub fn parse(bytes: &[u8]) -> Result<ClinicalDocument, CdaError> {
    read(bytes, false)
}

fn read(bytes: &[u8], lists: bool) -> Result<ClinicalDocument, CdaError> {
    let (text, guessed) = decoded(bytes)?;
    let mut repairs = BTreeSet::from_iter(guessed.then_some(Repair::Encoding));
    let mut document = match with_xml(&text, |root| document(root, lists)) {
        Err(CdaError::NotXml { .. }) => mended(&text, &mut repairs, lists),
        read => read,
    }?;
    document.notice = repair_notice(&repairs);
    Ok(document)
}

/// Reads a document for display: one that is damaged beyond repair, or is not a clinical document, is returned as its
/// text with a notice.
pub fn parse_or_text(bytes: &[u8]) -> Result<ClinicalDocument, CdaError> {
    or_text(bytes, false)
}

/// Like [`parse_or_text`], with the entries of each section as a list ([`Section::list`]). Reading is faster without
/// them.
pub fn parse_with_entries(bytes: &[u8]) -> Result<ClinicalDocument, CdaError> {
    or_text(bytes, true)
}

fn or_text(bytes: &[u8], lists: bool) -> Result<ClinicalDocument, CdaError> {
    match read(bytes, lists) {
        Err(_) => Ok(as_text(&decoded(bytes)?.0)),
        document => document,
    }
}

fn decoded(bytes: &[u8]) -> Result<(Cow<'_, str>, bool), CdaError> {
    if bytes.len() > MAX_BYTES { Err(CdaError::TooLarge) } else { Ok(encoding::decode(bytes)) }
}

/// Parses the text and passes the root element to `read`, after checking that it is a clinical document within the
/// limits.
fn with_xml<T>(text: &str, read: impl FnOnce(Node<'_, '_>) -> T) -> Result<T, CdaError> {
    let repaired;
    let xml = match parse_xml(text) {
        Err(xml::Error::UnknownPrefix(_)) => {
            repaired = declare_prefixes(text);
            parse_xml(repaired.as_deref().unwrap_or(text))
        }
        parsed => parsed,
    };
    let xml = xml.map_err(refusal)?;
    check_depth(&xml)?;
    let root = xml.root_element();
    if root.tag_name().name() != "ClinicalDocument" {
        return Err(CdaError::NotCda { root: root.tag_name().name().to_owned() });
    }
    Ok(read(root))
}

fn mended(text: &str, repairs: &mut BTreeSet<Repair>, lists: bool) -> Result<ClinicalDocument, CdaError> {
    let mended = repair::mend(text);
    repairs.extend(mended.repairs);
    let guessed = repairs.iter().any(|repair| repair.is_guess());
    with_xml(&mended.xml, |root| {
        Some(document(root, lists)).filter(|document| !guessed || is_sound(root, document))
    })?
    .ok_or(CdaError::Damaged)
}

/// Whether all readable content was found in a document whose structure was guessed.
fn is_sound(root: Node<'_, '_>, document: &ClinicalDocument) -> bool {
    let named = |name: &'static str| root.descendants().filter(move |node| is(*node, name));
    let read = match &document.body {
        Body::Structured(sections) => count(sections) == named("section").count(),
        Body::Unstructured(_) => named("section").next().is_none(),
        Body::Missing => {
            ["section", "structuredBody", "nonXMLBody"].iter().all(|name| named(name).next().is_none())
        }
    };
    read && !root.descendants().any(is_misplaced)
}

fn count(sections: &[Section]) -> usize {
    sections.iter().map(|section| 1 + count(&section.sections)).sum()
}

/// Whether a node is in a place that is not read. Entries are not shown as text, so they may contain anything.
fn is_misplaced(node: Node<'_, '_>) -> bool {
    const NARRATIVE: [&str; 9] =
        ["paragraph", "content", "list", "item", "caption", "table", "thead", "tr", "td"];
    const SECTION: [&str; 13] = [
        "realmCode",
        "typeId",
        "templateId",
        "id",
        "code",
        "title",
        "text",
        "confidentialityCode",
        "languageCode",
        "subject",
        "author",
        "informant",
        "entry",
    ];
    let named = |node: Node<'_, '_>, names: &[&str]| names.contains(&node.tag_name().name());
    let Some(parent) = node.parent() else { return false };
    if node.ancestors().any(|above| named(above, &["entry"])) {
        return false;
    }
    if node.is_text() {
        let is_blank = node.text().is_none_or(|text| text.trim().is_empty());
        return !is_blank && named(parent, &["ClinicalDocument", "component", "structuredBody", "section"]);
    }
    let is_narrative = |above: Node<'_, '_>| {
        is(above, "text") && above.parent().is_some_and(|parent| named(parent, &["section", "nonXMLBody"]))
    };
    node.is_element()
        && (is(node, "text") && !node.ancestors().any(is_narrative)
            || named(node, &NARRATIVE) && !node.ancestors().any(is_narrative)
            || is(parent, "section") && !named(node, &SECTION) && !is(node, "component"))
}

fn repair_notice(repairs: &BTreeSet<Repair>) -> Option<String> {
    let words: Vec<_> = repairs.iter().map(|repair| repair.words()).collect();
    (!words.is_empty()).then(|| format!("This document was repaired to be shown: {}.", words.join("; ")))
}

fn as_text(text: &str) -> ClinicalDocument {
    let narrative = repair::lines(text).iter().map(|line| Block::line(line)).collect();
    ClinicalDocument {
        notice: Some(
            "This document is damaged and could not be parsed. All its text is shown instead.".to_owned(),
        ),
        body: Body::Structured(vec![Section {
            title: "Text of the document".to_owned(),
            narrative,
            ..Section::default()
        }]),
        ..ClinicalDocument::default()
    }
}

fn parse_xml(text: &str) -> Result<Document<'_>, xml::Error> {
    xml::parse(text, MAX_NODES)
}

/// Adds missing namespace declarations to the root element: some systems assemble documents and lose those of `xsi`
/// or `sdtc`. None if none is missing, or the text has other errors.
fn declare_prefixes(text: &str) -> Option<String> {
    let mut repaired: Option<String> = None;
    for _ in 0..MAX_REPAIRS {
        let current = repaired.as_deref().unwrap_or(text);
        let Err(xml::Error::UnknownPrefix(prefix)) = parse_xml(current) else {
            return repaired;
        };
        let at = root_name_end(current)?;
        let namespace = if prefix == "sdtc" { "urn:hl7-org:sdtc" } else { "urn:undeclared" };
        repaired = Some(format!("{} xmlns:{prefix}=\"{namespace}\"{}", &current[..at], &current[at..]));
    }
    None
}

/// End of the root element's name, after declaration, comments and instructions.
fn root_name_end(text: &str) -> Option<usize> {
    let mut at = text.find('<')?;
    loop {
        let rest = &text[at..];
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ => return Some(at + rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?),
        };
        at += rest.find(end)? + end.len();
        at += text[at..].find('<')?;
    }
}

fn refusal(error: xml::Error) -> CdaError {
    match error {
        xml::Error::TooLarge => CdaError::TooLarge,
        xml::Error::TooDeep => CdaError::TooDeep,
        xml::Error::NotXml { line, column } => CdaError::NotXml { line, column },
        // All known prefixes were declared before.
        xml::Error::UnknownPrefix(_) => CdaError::NotXml { line: 1, column: 1 },
    }
}

fn document(root: Node<'_, '_>, lists: bool) -> ClinicalDocument {
    let mut patients = header::patients(root).into_iter();
    ClinicalDocument {
        id: child(root, "id").and_then(instance_id),
        template_ids: ids(root, "templateId"),
        code: child(root, "code").and_then(code),
        title: child(root, "title").and_then(text),
        effective_time: child(root, "effectiveTime").and_then(time),
        confidentiality: child(root, "confidentialityCode")
            .and_then(|node| node.attribute("code"))
            .map(Confidentiality::from_code)
            .unwrap_or_default(),
        language: attribute(child(root, "languageCode"), "code"),
        set_id: child(root, "setId").and_then(instance_id),
        version: child(root, "versionNumber").and_then(|node| node.attribute("value")?.trim().parse().ok()),
        patient: patients.next(),
        other_patients: patients.collect(),
        people: header::people(root),
        custodian: path(root, &["custodian", "assignedCustodian", "representedCustodianOrganization"])
            .map(header::organization),
        encounter: path(root, &["componentOf", "encompassingEncounter"]).map(header::encounter),
        orders: nested_ids(root, "inFulfillmentOf", "order"),
        parent_documents: nested_ids(root, "relatedDocument", "parentDocument"),
        media: body::media(root),
        body: body::read(root, lists),
        files: files::read(root),
        notice: None,
    }
}
