//! Reads a CDA document.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use roxmltree::{Document, Node, ParsingOptions};

use super::model::*;
use super::{CdaError, narrative};

/// Largest file that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Deepest nesting of elements that is read. Real documents stay below 40.
pub const MAX_DEPTH: usize = 200;
/// Most XML nodes (elements, texts, comments) that are read.
pub const MAX_NODES: u32 = 2_000_000;
/// Undeclared prefixes that are put up with.
const MAX_REPAIRS: usize = 5;
/// Largest embedded picture that is kept, in bytes.
const MAX_MEDIA: usize = 4 * 1024 * 1024;

/// Reads a document. See [`super`] for what is refused and what is forgiven.
pub fn parse(bytes: &[u8]) -> Result<ClinicalDocument, CdaError> {
    if bytes.len() > MAX_BYTES {
        return Err(CdaError::TooLarge);
    }
    let text = decode(bytes)?;
    let repaired;
    let xml = match parse_xml(&text) {
        Err(roxmltree::Error::UnknownNamespace(..)) => {
            repaired = declare_prefixes(&text);
            parse_xml(repaired.as_deref().unwrap_or(&text))
        }
        parsed => parsed,
    };
    let xml = xml.map_err(refusal)?;
    check_depth(&xml)?;
    let root = xml.root_element();
    if root.tag_name().name() != "ClinicalDocument" {
        return Err(CdaError::NotCda { root: root.tag_name().name().to_owned() });
    }
    Ok(document(root))
}

fn parse_xml(text: &str) -> Result<Document<'_>, roxmltree::Error> {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
}

/// Some systems cut documents together and lose the declarations of `xsi` or `sdtc`. The text with the missing ones
/// added to its root element; None when none is missing or the text is beyond such help.
fn declare_prefixes(text: &str) -> Option<String> {
    let mut repaired: Option<String> = None;
    for _ in 0..MAX_REPAIRS {
        let current = repaired.as_deref().unwrap_or(text);
        let Err(roxmltree::Error::UnknownNamespace(prefix, _)) = parse_xml(current) else {
            return repaired;
        };
        let at = root_name_end(current)?;
        let namespace = if prefix == "sdtc" { "urn:hl7-org:sdtc" } else { "urn:undeclared" };
        repaired = Some(format!("{} xmlns:{prefix}=\"{namespace}\"{}", &current[..at], &current[at..]));
    }
    None
}

/// Where the name of the root element ends: behind declaration, comments and instructions.
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

fn refusal(error: roxmltree::Error) -> CdaError {
    match error {
        roxmltree::Error::DtdDetected => CdaError::Dtd,
        roxmltree::Error::NodesLimitReached => CdaError::TooLarge,
        other => CdaError::NotXml { line: other.pos().row, column: other.pos().col },
    }
}

/// Text of the file by byte order mark, else by the XML declaration, else UTF-8 (XML 1.0 appendix F).
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, CdaError> {
    let encoding = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => declared(bytes)?,
    };
    let (text, _, malformed) = encoding.decode(bytes);
    if malformed { Err(CdaError::Encoding) } else { Ok(text) }
}

fn declared(bytes: &[u8]) -> Result<&'static encoding_rs::Encoding, CdaError> {
    let head = &bytes[..bytes.len().min(200)];
    let head = &head[..head.iter().position(|&byte| byte == b'>').unwrap_or(head.len())];
    let head = String::from_utf8_lossy(head);
    let Some((_, rest)) =
        head.split_once("encoding").filter(|(before, _)| before.trim_start().starts_with("<?xml"))
    else {
        return Ok(encoding_rs::UTF_8);
    };
    let label = rest.split(['"', '\'']).nth(1).ok_or(CdaError::Encoding)?;
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).ok_or(CdaError::Encoding)?;
    // The declaration could be read as bytes, so it is wrong when it says UTF-16.
    Ok(if encoding.is_ascii_compatible() { encoding } else { encoding_rs::UTF_8 })
}

/// Guards the recursive readers that follow; nodes come in document order, parents first.
fn check_depth(xml: &Document<'_>) -> Result<(), CdaError> {
    let mut depth: Vec<u16> = Vec::new();
    for node in xml.descendants() {
        let above = node.parent().map_or(0, |parent| depth[parent.id().get_usize()]);
        if usize::from(above) > MAX_DEPTH {
            return Err(CdaError::TooDeep);
        }
        depth.push(above + 1);
    }
    Ok(())
}

fn document(root: Node<'_, '_>) -> ClinicalDocument {
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
        patient: path(root, &["recordTarget", "patientRole"]).map(patient),
        authors: children(root, "author")
            .map(participant)
            .filter(|author| !author.display().is_empty())
            .collect(),
        custodian: path(root, &["custodian", "assignedCustodian", "representedCustodianOrganization"])
            .map(organization),
        encounter: path(root, &["componentOf", "encompassingEncounter"]).map(encounter),
        orders: nested_ids(root, "inFulfillmentOf", "order"),
        parent_documents: nested_ids(root, "relatedDocument", "parentDocument"),
        media: media(root),
        body: body(root),
    }
}

fn patient(role: Node<'_, '_>) -> Patient {
    let person = child(role, "patient");
    Patient {
        ids: ids(role, "id"),
        name: person.map(best_name).unwrap_or_default(),
        birth_date: person
            .and_then(|person| child(person, "birthTime"))
            .and_then(time)
            .and_then(|time| time.date()),
        gender: person
            .and_then(|person| child(person, "administrativeGenderCode"))
            .and_then(|node| Gender::from_code(node.attribute("code")?)),
        address: preferred(role, "addr", &["HP", "H"]).and_then(address),
        telecoms: telecoms(role),
    }
}

/// The legal name (use L), else the first.
fn best_name(person: Node<'_, '_>) -> PersonName {
    preferred(person, "name", &["L", "C"]).map(person_name).unwrap_or_default()
}

fn person_name(node: Node<'_, '_>) -> PersonName {
    let part = |name| join(children(node, name).filter(|part| !is_nickname(*part)).filter_map(text));
    let mut given = children(node, "given").filter(|part| !is_nickname(*part)).filter_map(text);
    let name = PersonName {
        prefix: part("prefix"),
        first: given.next(),
        middle: join(given),
        last: part("family"),
        suffix: part("suffix"),
    };
    if name.is_empty() { PersonName { last: text(node), ..name } } else { name }
}

/// Call-me names and birth names are kept out of the parts (EntityNamePartQualifier CL, BR).
fn is_nickname(part: Node<'_, '_>) -> bool {
    part.attribute("qualifier")
        .is_some_and(|qualifier| qualifier.split(' ').any(|q| matches!(q, "CL" | "BR")))
}

fn address(node: Node<'_, '_>) -> Option<Address> {
    let part = |name| child(node, name).and_then(text);
    let address = Address {
        lines: children(node, "streetAddressLine").filter_map(text).collect(),
        city: part("city"),
        state: part("state"),
        postal_code: part("postalCode"),
        country: part("country"),
    };
    if address != Address::default() {
        return Some(address);
    }
    text(node).map(|line| Address { lines: vec![line], ..Address::default() })
}

fn telecoms(node: Node<'_, '_>) -> Vec<Telecom> {
    let read = |node: Node<'_, '_>| {
        let value = node.attribute("value")?.trim();
        (!value.is_empty())
            .then(|| Telecom { value: value.to_owned(), use_code: node.attribute("use").map(str::to_owned) })
    };
    children(node, "telecom").filter_map(read).collect()
}

fn participant(author: Node<'_, '_>) -> Participant {
    let Some(assigned) = child(author, "assignedAuthor") else {
        return Participant::default();
    };
    let device = child(assigned, "assignedAuthoringDevice");
    let device_name = |name| device.and_then(|device| child(device, name)).and_then(text);
    Participant {
        name: child(assigned, "assignedPerson").map(best_name).unwrap_or_default(),
        device: device_name("softwareName").or_else(|| device_name("manufacturerModelName")),
        organization: child(assigned, "representedOrganization").and_then(|node| text(child(node, "name")?)),
        time: child(author, "time").and_then(time),
        telecoms: telecoms(assigned),
    }
}

fn organization(node: Node<'_, '_>) -> Organization {
    Organization {
        ids: ids(node, "id"),
        name: child(node, "name").and_then(text),
        address: child(node, "addr").and_then(address),
        telecoms: telecoms(node),
    }
}

fn encounter(node: Node<'_, '_>) -> Encounter {
    let when = child(node, "effectiveTime");
    let bound = |name| when.and_then(|when| child(when, name)).and_then(time);
    let place = path(node, &["location", "healthCareFacility"]);
    let place_name = |inner| place.and_then(|place| path(place, &[inner, "name"])).and_then(text);
    Encounter {
        ids: ids(node, "id"),
        code: child(node, "code").and_then(code),
        from: bound("low").or_else(|| when.and_then(time)),
        to: bound("high"),
        location: place_name("location").or_else(|| place_name("serviceProviderOrganization")),
        responsible: path(node, &["responsibleParty", "assignedEntity", "assignedPerson"])
            .map(|person| best_name(person).to_string())
            .filter(|name| !name.is_empty()),
    }
}

fn body(root: Node<'_, '_>) -> Body {
    let bodies: Vec<_> = children(root, "component").collect();
    if let Some(structured) = bodies.iter().find_map(|node| child(*node, "structuredBody")) {
        return Body::Structured(sections(structured));
    }
    match bodies.iter().find_map(|node| child(*node, "nonXMLBody")).and_then(|body| child(body, "text")) {
        Some(node) => Body::Unstructured(unstructured(node)),
        None => Body::Missing,
    }
}

fn sections(parent: Node<'_, '_>) -> Vec<Section> {
    children(parent, "component").filter_map(|component| child(component, "section")).map(section).collect()
}

fn section(node: Node<'_, '_>) -> Section {
    let code = child(node, "code").and_then(code);
    let title = child(node, "title").and_then(text);
    Section {
        template_ids: ids(node, "templateId"),
        title: title
            .or_else(|| code.as_ref().and_then(|code| code.display.clone()))
            .unwrap_or_else(|| "Untitled section".to_owned()),
        code,
        narrative: child(node, "text").map(narrative::read).unwrap_or_default(),
        entries: children(node, "entry").count(),
        sections: sections(node),
    }
}

fn unstructured(node: Node<'_, '_>) -> Unstructured {
    let declared = node.attribute("mediaType").map(|kind| kind.trim().to_ascii_lowercase());
    if let Some(reference) = child(node, "reference").and_then(|node| node.attribute("value")) {
        return Unstructured::Referenced { media_type: declared, reference: reference.to_owned() };
    }
    let media_type = declared.unwrap_or_else(|| "text/plain".to_owned());
    let raw = all_text(node);
    let content = match (node.attribute("representation"), node.attribute("compression")) {
        (_, Some(_)) => None,
        (Some("B64"), None) => base64(&raw),
        (_, None) => Some(raw.into_bytes()),
    };
    match content.filter(|content| !content.is_empty()) {
        Some(content) => Unstructured::Embedded { media_type, content },
        None => Unstructured::Unreadable { media_type },
    }
}

fn media(root: Node<'_, '_>) -> Vec<Media> {
    let read = |node: Node<'_, '_>| {
        let id = node.attribute("ID")?;
        let value = child(node, "value").filter(|value| value.attribute("representation") == Some("B64"))?;
        let content = base64(&all_text(value)).filter(|content| content.len() <= MAX_MEDIA)?;
        Some(Media { id: id.to_owned(), media_type: picture_type(&content)?, content })
    };
    root.descendants().filter(|node| is(*node, "observationMedia")).filter_map(read).collect()
}

/// Media type by content: the declared one is the sender's word only.
fn picture_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ => None,
    }
}

/// Base64 as found in documents: with white space, sometimes without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let packed: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    GeneralPurpose::new(&alphabet::STANDARD, config).decode(packed).ok()
}

/// Elements are matched by local name: foreign documents use wrong namespaces or none.
fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element()
        && node.tag_name().name() == name
        && node.tag_name().namespace() != Some("urn:hl7-org:sdtc")
}

fn children<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'a str) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    node.children().filter(move |child| is(*child, name))
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| is(*child, name))
}

fn path<'a, 'i>(node: Node<'a, 'i>, names: &[&str]) -> Option<Node<'a, 'i>> {
    names.iter().try_fold(node, |node, name| child(node, name))
}

/// The child whose `use` has one of the codes, else the first that is no null.
fn preferred<'a, 'i>(node: Node<'a, 'i>, name: &str, uses: &[&str]) -> Option<Node<'a, 'i>> {
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
fn all_text(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// All text below a node with collapsed white space; None when there is none.
fn text(node: Node<'_, '_>) -> Option<String> {
    let words = all_text(node).split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

fn join(parts: impl Iterator<Item = String>) -> Option<String> {
    let joined = parts.collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then_some(joined)
}

fn attribute(node: Option<Node<'_, '_>>, name: &str) -> Option<String> {
    let value = node?.attribute(name)?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

fn time(node: Node<'_, '_>) -> Option<Timestamp> {
    Timestamp::new(node.attribute("value")?)
}

fn code(node: Node<'_, '_>) -> Option<Code> {
    let display = attribute(Some(node), "displayName").or_else(|| text(child(node, "originalText")?));
    let value = attribute(Some(node), "code");
    (value.is_some() || display.is_some()).then(|| Code {
        code: value.unwrap_or_default(),
        system: attribute(Some(node), "codeSystem"),
        display,
    })
}

fn instance_id(node: Node<'_, '_>) -> Option<InstanceId> {
    Some(InstanceId {
        root: attribute(Some(node), "root")?,
        extension: attribute(Some(node), "extension"),
        authority: attribute(Some(node), "assigningAuthorityName"),
    })
}

fn ids(node: Node<'_, '_>, name: &str) -> Vec<InstanceId> {
    children(node, name).filter_map(instance_id).collect()
}

fn nested_ids(root: Node<'_, '_>, outer: &str, inner: &str) -> Vec<InstanceId> {
    children(root, outer).filter_map(|node| child(node, inner)).flat_map(|node| ids(node, "id")).collect()
}
