//! Receiving of Provide and Register Document Set-b (ITI-41), also with the Direct address block (XDR): the envelope,
//! the metadata, the documents, and the answers.

use super::{File, extension, file_name, message::patient_of};
use crate::{
    Confidentiality, Person,
    multipart::{self, Package, PackageError, Part},
};
use bytes::Bytes;
use clinical::{
    ebrim::{
        PROVIDE, RESPONSE_STATUS, RS, SEVERITY, XDS, document_entry,
        read::{
            classifications, find_submission_set, identifier, is_intact, name, objects, source_patient,
            value, values,
        },
        submission_set,
    },
    embedded::from_base64,
    hl7::time::day,
};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use uuid::Uuid;
use xml::escaped;

const SOAP: &str = crate::soap::SOAP;
const ADDRESSING: &str = "http://www.w3.org/2005/08/addressing";
const DIRECT: &str = "urn:direct:addressing";
pub(super) const SECURITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const XOP: &str = "http://www.w3.org/2004/08/xop/include";

/// Most elements, attributes and texts of a request.
const NODES: u32 = 200_000;
/// Most documents of a request.
const DOCUMENTS: usize = 100;
/// Most recipients of a request.
const RECIPIENTS: usize = 100;

/// A SOAP fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: FaultCode,
    pub words: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCode {
    VersionMismatch,
    MustUnderstand,
    Sender,
    Receiver,
}

impl Fault {
    pub(super) fn sender(words: &'static str) -> Self {
        Self { code: FaultCode::Sender, words }
    }

    /// A local problem; the sender should try again.
    pub fn receiver(words: &'static str) -> Self {
        Self { code: FaultCode::Receiver, words }
    }
}

/// An error of a registry response. It quotes nothing of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistryError {
    pub code: &'static str,
    pub words: &'static str,
    pub is_warning: bool,
}

impl RegistryError {
    pub const fn error(code: &'static str, words: &'static str) -> Self {
        Self { code, words, is_warning: false }
    }

    pub const fn warning(code: &'static str, words: &'static str) -> Self {
        Self { code, words, is_warning: true }
    }
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Fault(Fault),
    Registry(RegistryError),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

/// The parts of a request that its answer refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub message_id: Option<String>,
    /// The request is multipart, and so is the answer.
    pub is_in_parts: bool,
}

/// A parsed request.
#[derive(Clone, Debug)]
pub struct Provided {
    /// Direct addresses from the address block, or otherwise from the metadata.
    pub from: Option<String>,
    pub to: Vec<String>,
    /// Unique id of the submission set, or otherwise of the message.
    pub id: Option<String>,
    pub title: String,
    pub author: String,
    /// Patients named by the document entries, each distinct spelling once.
    pub patients: Vec<Person>,
    pub files: Vec<File>,
    pub warnings: Vec<RegistryError>,
}

/// The envelope with the other parts.
pub(super) struct Envelope<'a> {
    pub(super) xml: &'a str,
    parts: Vec<Part<'a>>,
}

pub(super) fn envelope<'a>(content_type: &str, body: &'a [u8]) -> Result<Envelope<'a>, Fault> {
    let unreadable = || Fault::sender("The envelope is not XML in UTF-8.");
    let package = multipart::package(content_type, body).map_err(|error| match error {
        PackageError::NotSeparable => Fault::sender("The parts of the request cannot be separated."),
        PackageError::NoRoot => Fault::sender("The part that the request begins with is missing."),
    })?;
    let Package { root, parts } = package;
    let xml = std::str::from_utf8(root).map_err(|_| unreadable())?.trim_start_matches('\u{feff}').trim();
    Ok(Envelope { xml, parts })
}

/// Parses the XML of an envelope.
pub(super) fn parsed(xml: &str) -> Result<Document<'_>, Fault> {
    xml::parse(xml, NODES).map_err(|_| Fault::sender("The envelope is not XML that is accepted here."))
}

/// Reads only the parts of a request that its answer refers to.
pub fn asked(content_type: &str, body: &Bytes) -> Asked {
    let mut asked = Asked { message_id: None, is_in_parts: multipart::is_in_parts(content_type) };
    if let Ok(envelope) = envelope(content_type, body)
        && let Ok(document) = parsed(envelope.xml)
        && let Ok((header, _)) = opened(&document)
    {
        asked.message_id = message_id(header);
    }
    asked
}

fn message_id(header: Option<Node>) -> Option<String> {
    let id = child(header?, ADDRESSING, "MessageID").map(text)?;
    (!id.is_empty() && id.len() < 500).then_some(id)
}

/// Reads a request. The data for the answer is returned even if the request is refused.
pub fn read(content_type: &str, body: &Bytes) -> (Asked, Result<Provided, Refusal>) {
    let mut asked = Asked { message_id: None, is_in_parts: multipart::is_in_parts(content_type) };
    let provided = (|| -> Result<Provided, Refusal> {
        let envelope = envelope(content_type, body)?;
        let document = parsed(envelope.xml)?;
        let (header, content) = opened(&document)?;
        let in_header = |namespace, name| header.and_then(|header| child(header, namespace, name));
        asked.message_id = message_id(header);
        understood(header)?;
        let action = in_header(ADDRESSING, "Action")
            .map(text)
            .or_else(|| multipart::parameter(content_type, "action"));
        if action.is_some_and(|action| action != PROVIDE) {
            return Err(Fault::sender("This action is not supported here.").into());
        }
        if !content.has_tag_name((XDS, "ProvideAndRegisterDocumentSetRequest")) {
            return Err(Fault::sender("The body has no request to provide documents.").into());
        }
        provided(
            &envelope.parts,
            body,
            in_header(DIRECT, "addressBlock"),
            content,
            asked.message_id.as_deref(),
        )
    })();
    (asked, provided)
}

/// Header and content of an envelope.
fn opened<'a>(document: &'a Document<'a>) -> Result<(Option<Node<'a, 'a>>, Node<'a, 'a>), Fault> {
    let root = document.root_element();
    if !root.has_tag_name((SOAP, "Envelope")) {
        let is_envelope = root.tag_name().name() == "Envelope";
        return Err(match is_envelope {
            true => Fault { code: FaultCode::VersionMismatch, words: "Only SOAP 1.2 is spoken here." },
            false => Fault::sender("This is not a SOAP envelope."),
        });
    }
    let body = child(root, SOAP, "Body").ok_or(Fault::sender("The envelope has no body."))?;
    let content = body.children().find(Node::is_element).ok_or(Fault::sender("The body is empty."))?;
    Ok((child(root, SOAP, "Header"), content))
}

/// Refuses unknown headers marked as mandatory.
fn understood(header: Option<Node>) -> Result<(), Fault> {
    let is_mine = |node: &Node| {
        let role = node.attribute((SOAP, "role")).unwrap_or_default();
        role.is_empty() || role.ends_with("/next") || role.ends_with("/ultimateReceiver")
    };
    let is_unknown = |node: &Node| {
        let must = matches!(node.attribute((SOAP, "mustUnderstand")), Some("1" | "true"));
        let namespace = node.tag_name().namespace().unwrap_or_default();
        must && is_mine(node) && ![ADDRESSING, DIRECT, SECURITY].contains(&namespace)
    };
    match header.into_iter().flat_map(|header| header.children()).find(is_unknown) {
        Some(_) => Err(Fault { code: FaultCode::MustUnderstand, words: "A header is not understood here." }),
        None => Ok(()),
    }
}

pub(super) fn child<'a>(node: Node<'a, 'a>, namespace: &str, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.has_tag_name((namespace, name)))
}

fn text(node: Node) -> String {
    node.text().unwrap_or_default().trim().to_owned()
}

/// A Direct address without its URI scheme.
fn address(written: &str) -> String {
    let written = written.trim();
    let scheme = written.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    scheme.map_or(written, |_| &written[7..]).to_owned()
}

fn provided(
    parts: &[Part],
    body: &Bytes,
    block: Option<Node>,
    request: Node,
    message_id: Option<&str>,
) -> Result<Provided, Refusal> {
    let entries: Vec<Node> = objects(request, "ExtrinsicObject").take(DOCUMENTS + 1).collect();
    // Counted before any of them is decoded, because each may be large.
    let carried = documents(request).take(DOCUMENTS + 1).count();
    if entries.is_empty() || entries.len() > DOCUMENTS || carried > DOCUMENTS {
        return Err(RegistryError::error(
            "XDSRepositoryMetadataError",
            "There have to be 1 to 100 documents.",
        )
        .into());
    }
    let set = match find_submission_set(request) {
        Some(set) => set,
        None => {
            return Err(
                RegistryError::error("XDSRepositoryMetadataError", "There is no submission set.").into()
            );
        }
    };
    let mut warnings = Vec::new();
    if objects(request, "RegistryPackage").count() > 1 {
        warnings.push(RegistryError::warning("XDSRegistryMetadataError", "Folders are not kept."));
    }
    let (from, to) = addressed(block, set)?;
    let contents = contents(parts, body, request)?;
    let files = files(&entries, contents)?;
    let mut patients: Vec<Person> = Vec::new();
    for patient in entries.iter().filter_map(|entry| patient_of(&source_patient(*entry)?)) {
        if !patients.contains(&patient) {
            patients.push(patient);
        }
    }
    let first = files.first().map(|file| file.title.clone()).unwrap_or_default();
    let title = Some(name(set)).filter(|title| !title.is_empty()).unwrap_or(first);
    Ok(Provided {
        from,
        to,
        id: identifier(set, submission_set::UNIQUE_ID).or_else(|| message_id.map(str::to_owned)),
        title: title.chars().take(255).collect(),
        author: author(set),
        patients,
        files,
        warnings,
    })
}

/// Sender and recipients from the address block, or otherwise from the metadata.
fn addressed(block: Option<Node>, set: Node) -> Result<(Option<String>, Vec<String>), Refusal> {
    let in_metadata = || {
        let telecom = |value: &String| value.split('|').find_map(internet_address);
        values(set, "intendedRecipient").iter().filter_map(telecom).collect::<Vec<_>>()
    };
    let (from, mut to) = match block {
        None => (None, in_metadata()),
        Some(block) => {
            let named = |name: &'static str| {
                let of_name = block.children().filter(move |node| node.has_tag_name((DIRECT, name)));
                of_name.map(|node| address(&text(node))).filter(|address| !address.is_empty())
            };
            let to: Vec<String> = named("to").collect();
            if to.is_empty() {
                return Err(Fault::sender("The address block names no recipient.").into());
            }
            (named("from").next(), to)
        }
    };
    if to.len() > RECIPIENTS {
        return Err(Fault::sender("There are too many recipients.").into());
    }
    to.sort_unstable();
    to.dedup();
    let of_author = || {
        let author = author_of(set)?;
        values(author, "authorTelecommunication").iter().find_map(|value| internet_address(value))
    };
    Ok((from.or_else(of_author), to))
}

/// The address of a telecommunication (XTN): `^^Internet^results@example.org`.
fn internet_address(value: &str) -> Option<String> {
    let parts: Vec<&str> = value.split('^').collect();
    let is_internet = parts.get(2).is_some_and(|kind| kind.eq_ignore_ascii_case("Internet"));
    parts.get(3).filter(|found| is_internet && found.contains('@')).map(|found| address(found))
}

fn documents<'a>(request: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    request.children().filter(|node| node.has_tag_name((XDS, "Document")))
}

/// The documents by their ids.
fn contents(parts: &[Part], body: &Bytes, request: Node) -> Result<HashMap<String, Bytes>, Refusal> {
    let broken = RegistryError::error("XDSRepositoryError", "A document cannot be decoded.");
    let mut found = HashMap::new();
    for document in documents(request) {
        let id = document.attribute("id").unwrap_or_default().to_owned();
        let content = match child(document, XOP, "Include") {
            Some(include) => {
                let id =
                    include.attribute("href").and_then(|href| href.strip_prefix("cid:")).unwrap_or_default();
                let id = decoded(id);
                let part = parts.iter().find(|part| !part.id.is_empty() && part.id == id);
                let missing =
                    RegistryError::error("XDSMissingDocument", "The part of a document is missing.");
                body.slice_ref(part.ok_or(missing)?.content)
            }
            None => {
                let text: String = document.children().filter_map(|node| node.text()).collect();
                from_base64(&text).ok_or(broken)?.into()
            }
        };
        if content.is_empty() {
            return Err(RegistryError::error("XDSMissingDocument", "A document is empty.").into());
        }
        if found.insert(id, content).is_some() {
            return Err(RegistryError::error(
                "XDSRepositoryMetadataError",
                "Two documents have the same id.",
            )
            .into());
        }
    }
    Ok(found)
}

/// Decodes percent escapes such as `%40`: a Content-ID in a URL is escaped (RFC 2392).
fn decoded(id: &str) -> String {
    let bytes = id.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let escape = id.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Each entry with its document, after checking size and hash.
fn files(entries: &[Node], mut contents: HashMap<String, Bytes>) -> Result<Vec<File>, Refusal> {
    let mut files = Vec::with_capacity(entries.len());
    for entry in entries {
        let missing = RegistryError::error("XDSMissingDocument", "A document entry has no document.");
        let content = entry.attribute("id").and_then(|id| contents.remove(id)).ok_or(missing)?;
        let wrong = RegistryError::error(
            "XDSRepositoryMetadataError",
            "Size or hash of a document differ from its entry.",
        );
        let (hash, size) = (value(*entry, "hash"), value(*entry, "size"));
        if !is_intact(&content, hash.as_deref(), size.as_deref()) {
            return Err(wrong.into());
        }
        let media_type = entry.attribute("mimeType").unwrap_or("application/octet-stream").to_owned();
        let kind = classifications(*entry, document_entry::TYPE).next();
        let of_type = kind.map(name).filter(|name| !name.is_empty());
        let name = name(*entry);
        let title = of_type.or(Some(name.clone())).filter(|title| !title.is_empty());
        let title: String = title.unwrap_or_else(|| "Document".into()).chars().take(200).collect();
        let uri = value(*entry, "URI").filter(|uri| uri.contains('.') && uri.len() < 200);
        let shown = if name.is_empty() { &title } else { &name };
        files.push(File {
            name: uri.map_or_else(
                || file_name(shown, if shown.contains('.') { "" } else { extension(&media_type) }),
                |uri| uri.replace(['/', '\\'], "_"),
            ),
            media_type,
            title,
            created: value(*entry, "creationTime").and_then(|time| day(&time)),
            confidentiality: confidentiality(*entry),
            content,
        });
    }
    match contents.is_empty() {
        true => Ok(files),
        false => {
            Err(RegistryError::error("XDSMissingDocumentMetadata", "A document has no document entry.")
                .into())
        }
    }
}

fn author(set: Node) -> String {
    let Some(author) = author_of(set) else { return String::new() };
    let institution =
        value(author, "authorInstitution").map(|name| name.split('^').next().unwrap_or_default().to_owned());
    let person =
        value(author, "authorPerson").map(|name| match name.split('^').collect::<Vec<_>>().as_slice() {
            [_, family, given, ..] => format!("{given} {family}").trim().to_owned(),
            _ => name.clone(),
        });
    let name = institution.filter(|name| !name.is_empty()).or(person).unwrap_or_default();
    name.chars().filter(|c| !c.is_control()).take(200).collect()
}

fn author_of<'a>(set: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    classifications(set, submission_set::AUTHOR).next()
}

/// The strictest code of an entry; `None` if it has none.
fn confidentiality(entry: Node) -> Option<Confidentiality> {
    let codes = classifications(entry, document_entry::CONFIDENTIALITY)
        .filter_map(|n| n.attribute("nodeRepresentation"));
    codes.filter(|code| !code.trim().is_empty()).map(Confidentiality::from_code).max()
}

/// An HTTP answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

impl Asked {
    /// The registry response: success with warnings, or failure.
    pub fn responded(&self, errors: &[RegistryError]) -> Answer {
        let severity = |error: &RegistryError| {
            let severity = if error.is_warning { "Warning" } else { "Error" };
            format!("{SEVERITY}{severity}")
        };
        let worst = errors.iter().find(|error| !error.is_warning).or(errors.first());
        let list: String = errors
            .iter()
            .map(|error| {
                format!(
                    "<rs:RegistryError errorCode=\"{}\" codeContext=\"{}\" severity=\"{}\" location=\"\"/>",
                    error.code,
                    escaped(error.words),
                    severity(error)
                )
            })
            .collect();
        let list = worst.map_or(String::new(), |worst| {
            format!(
                "<rs:RegistryErrorList highestSeverity=\"{}\">{list}</rs:RegistryErrorList>",
                severity(worst)
            )
        });
        let status = if errors.iter().any(|error| !error.is_warning) { "Failure" } else { "Success" };
        self.answer(
            200,
            &format!("{PROVIDE}Response"),
            &format!(
                "<rs:RegistryResponse xmlns:rs=\"{RS}\" status=\"{RESPONSE_STATUS}{status}\">{list}\
                 </rs:RegistryResponse>"
            ),
        )
    }

    pub fn faulted(&self, fault: &Fault) -> Answer {
        let (code, status) = match fault.code {
            FaultCode::VersionMismatch => ("VersionMismatch", 500),
            FaultCode::MustUnderstand => ("MustUnderstand", 500),
            FaultCode::Sender => ("Sender", 400),
            FaultCode::Receiver => ("Receiver", 500),
        };
        self.answer(
            status,
            "http://www.w3.org/2005/08/addressing/soap/fault",
            &format!(
                "<soap:Fault><soap:Code><soap:Value>soap:{code}</soap:Value></soap:Code><soap:Reason>\
                 <soap:Text xml:lang=\"en\">{}</soap:Text></soap:Reason></soap:Fault>",
                escaped(fault.words)
            ),
        )
    }

    pub fn refused(&self, refusal: &Refusal) -> Answer {
        match refusal {
            Refusal::Fault(fault) => self.faulted(fault),
            Refusal::Registry(error) => self.responded(&[*error]),
        }
    }

    fn answer(&self, status: u16, action: &str, body: &str) -> Answer {
        let relates = self
            .message_id
            .as_deref()
            .map_or(String::new(), |id| format!("<wsa:RelatesTo>{}</wsa:RelatesTo>", escaped(id)));
        let id = Uuid::new_v4();
        let envelope = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"{SOAP}\" \
             xmlns:wsa=\"{ADDRESSING}\"><soap:Header><wsa:Action soap:mustUnderstand=\"true\">{action}</wsa:Action>\
             <wsa:MessageID>urn:uuid:{id}</wsa:MessageID>{relates}</soap:Header><soap:Body>{body}</soap:Body>\
             </soap:Envelope>"
        );
        if !self.is_in_parts {
            return Answer {
                status,
                content_type: format!("application/soap+xml; charset=UTF-8; action=\"{action}\""),
                body: envelope,
            };
        }
        let (boundary, root) =
            (format!("carepost-{}", id.simple()), format!("root-{}@carepost", id.simple()));
        Answer {
            status,
            content_type: format!(
                "multipart/related; type=\"application/xop+xml\"; boundary=\"{boundary}\"; start=\"<{root}>\"; \
                 start-info=\"application/soap+xml\"; action=\"{action}\""
            ),
            body: format!(
                "--{boundary}\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"application/soap+xml\"\r\n\
                 Content-Transfer-Encoding: binary\r\nContent-ID: <{root}>\r\n\r\n{envelope}\r\n--{boundary}--\r\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests;
