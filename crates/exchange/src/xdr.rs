//! Sending of Provide and Register Document Set-b (ITI-41), and of XDR with the Direct address block.

use crate::{
    Code, Delivery, Dialogue, Document, Facility, Outcome, Person,
    link::{Link, Target},
    oid_of,
    saml::Signer,
    soap::Request,
};
use clinical::ebrim::{
    self, PROVIDE, RS, XDS, document_entry, submission_set,
    write::{self, Parts, name, slot},
};
use clinical::hl7::time;
use roxmltree::Node;
use xml::escaped;

const DUPLICATE: &str = "XDSDuplicateUniqueIdInRegistry";
const LOINC: &str = "2.16.840.1.113883.6.1";

/// Addressing of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// ITI-41; the recipient's address, if any, is in the metadata.
    Repository { recipient: Option<String> },
    /// XDR as an edge of Direct, with full or minimal metadata.
    Direct { is_minimal: bool },
}

/// Sends all documents in one submission set.
pub async fn provide(
    link: &Link,
    target: &Target,
    delivery: &Delivery,
    profile: &Profile,
    signer: Option<&Signer>,
) -> Dialogue {
    let mut request = request(delivery, profile);
    if let Some(signer) = signer {
        match signer.header(&delivery.claims(), &target.host) {
            Ok(header) => request.headers.push_str(&header),
            Err(_) => {
                let why = "The assertion for the endpoint could not be signed.";
                return Dialogue::none(Outcome::NotReached(why.into()));
            }
        }
    }
    request.send(link, target, |answer| judged(answer.content).into_result()).await.0
}

/// The request without security header.
pub fn request(delivery: &Delivery, profile: &Profile) -> Request {
    let part_of = |document: &Document| format!("document-{}@carepost", document.id.simple());
    let files: String = delivery
        .documents
        .iter()
        .map(|document| {
            format!(
                "<xds:Document id=\"{}\"><xop:Include xmlns:xop=\"http://www.w3.org/2004/08/xop/include\" \
                 href=\"cid:{}\"/></xds:Document>",
                entry_id(document),
                part_of(document)
            )
        })
        .collect();
    Request {
        message_id: delivery.id,
        action: PROVIDE,
        headers: address_block(delivery, profile),
        body: format!(
            "<xds:ProvideAndRegisterDocumentSetRequest xmlns:xds=\"{XDS}\">{}{files}\
             </xds:ProvideAndRegisterDocumentSetRequest>",
            write::submit_objects(&objects(delivery, profile))
        ),
        parts: delivery
            .documents
            .iter()
            .map(|document| (part_of(document), document.media_type.clone(), document.content.clone()))
            .collect(),
    }
}

/// The headers of the Direct edge protocols: sender, recipient and metadata level.
fn address_block(delivery: &Delivery, profile: &Profile) -> String {
    let Profile::Direct { is_minimal } = profile else { return String::new() };
    let level = if *is_minimal { "minimal" } else { "XDS" };
    format!(
        "<direct:metadata-level xmlns:direct=\"urn:direct:addressing\">{level}</direct:metadata-level>\
         <direct:addressBlock xmlns:direct=\"urn:direct:addressing\" \
         soap:role=\"urn:direct:addressing:destination\" soap:relay=\"true\"><direct:from>mailto:{}</direct:from>\
         <direct:to>mailto:{}</direct:to></direct:addressBlock>",
        escaped(&delivery.from_address),
        escaped(&delivery.to_address)
    )
}

fn entry_id(document: &Document) -> String {
    format!("urn:uuid:{}", document.id)
}

fn objects(delivery: &Delivery, profile: &Profile) -> String {
    let set = format!("urn:uuid:{}", delivery.id);
    let mut xml: String = delivery.documents.iter().map(|document| entry(delivery, document)).collect();
    xml += &set_of(delivery, profile, &set);
    xml += &write::node("set-node", &set, submission_set::NODE);
    for (index, document) in delivery.documents.iter().enumerate() {
        xml += &write::member(&format!("member-{index}"), &set, &entry_id(document));
    }
    xml
}

fn entry(delivery: &Delivery, document: &Document) -> String {
    let id = entry_id(document);
    let mut parts = Parts::new(&id, format!("entry-{}", document.id.simple()));
    let kind = document.kind.clone().unwrap_or_else(episode_note);
    let facility = delivery.from.kind.clone().unwrap_or_else(|| snomed("35971002", "Ambulatory care site"));
    let format = match document.media_type.as_str() {
        "text/xml" | "application/xml" | "application/hl7-sda+xml" => ihe("urn:ihe:pcc:xphr:2007"),
        _ => ihe("urn:ihe:iti:xds:2017:mimeTypeSufficient"),
    };
    let confidentiality = Code {
        code: document.confidentiality.code().into(),
        name: document.confidentiality.label().into(),
        scheme: "2.16.840.1.113883.5.25".into(),
    };
    let patient = patient_id(delivery);
    let mut xml = slot("creationTime", [time::written(document.created_at)]);
    xml += &slot("languageCode", ["en-US"]);
    xml += &slot("hash", [ebrim::hash(&document.content)]);
    xml += &slot("size", [document.content.len().to_string()]);
    xml += &slot("sourcePatientId", [&patient]);
    xml += &slot("sourcePatientInfo", patient_info(&delivery.patient, &patient));
    xml += &name(&document.title);
    xml += &parts.author(document_entry::AUTHOR, &author(delivery));
    for (scheme, code) in [
        (document_entry::CLASS, &kind),
        (document_entry::TYPE, &kind),
        (document_entry::CONFIDENTIALITY, &confidentiality),
        (document_entry::FORMAT, &format),
        (document_entry::FACILITY_TYPE, &facility),
        (document_entry::PRACTICE_SETTING, &snomed("394802001", "General medicine")),
    ] {
        xml += &parts.code(scheme, &code.code, &code.scheme, &code.name);
    }
    xml += &parts.identifier(document_entry::PATIENT_ID, &patient);
    xml += &parts.identifier(document_entry::UNIQUE_ID, &oid_of(document.id));
    write::document_entry(&id, &document.media_type, &xml)
}

fn set_of(delivery: &Delivery, profile: &Profile, id: &str) -> String {
    let recipient = intended(delivery, profile);
    let mut parts = Parts::new(id, "set");
    let mut xml = slot("submissionTime", [time::written(delivery.at)]);
    if !recipient.is_empty() {
        xml += &slot("intendedRecipient", [recipient]);
    }
    xml += &name(if delivery.is_test { "Test of a routing rule" } else { "Documents" });
    xml += &parts.author(submission_set::AUTHOR, &author(delivery));
    let kind = episode_note();
    xml += &parts.code(submission_set::CONTENT_TYPE, &kind.code, &kind.scheme, &kind.name);
    xml += &parts.identifier(submission_set::UNIQUE_ID, &oid_of(delivery.id));
    xml += &parts.identifier(submission_set::SOURCE_ID, &delivery.from.oid);
    xml += &parts.identifier(submission_set::PATIENT_ID, &patient_id(delivery));
    write::registry_package(id, &xml)
}

/// `organization|person|telecommunication` of the intended recipient, as far as known.
fn intended(delivery: &Delivery, profile: &Profile) -> String {
    let address = match profile {
        Profile::Repository { recipient } => recipient.as_deref(),
        Profile::Direct { .. } => Some(&*delivery.to_address),
    };
    let telecom = address.map(|address| format!("^^Internet^{}", plain(address)));
    match (organization(&delivery.to, &delivery.to_address), telecom) {
        (organization, Some(telecom)) => format!("{organization}||{telecom}"),
        (organization, None) => organization,
    }
}

/// A facility as XON, or nothing for one without OID. XON requires a name; the address is used if there is none.
fn organization(facility: &Facility, address: &str) -> String {
    if facility.oid.is_empty() {
        return String::new();
    }
    let name = if facility.name.is_empty() { address } else { &facility.name };
    let oid = plain(&facility.oid);
    format!("{}^^^^^&{oid}&ISO^^^^{oid}", plain(name))
}

/// Text of a component, without separators.
fn plain(text: &str) -> String {
    let words = text.split(['^', '&', '|', '~', '\\']).flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

fn episode_note() -> Code {
    Code { code: "34133-9".into(), name: "Summarization of Episode Note".into(), scheme: LOINC.into() }
}

fn snomed(code: &str, name: &str) -> Code {
    Code { code: code.into(), name: name.into(), scheme: "2.16.840.1.113883.6.96".into() }
}

fn ihe(code: &str) -> Code {
    Code { code: code.into(), name: code.into(), scheme: "1.3.6.1.4.1.19376.1.2.3".into() }
}

/// Slots of the author of a document or of a submission set.
fn author(delivery: &Delivery) -> String {
    let institution = organization(&delivery.from, &delivery.from_address);
    let telecom = format!("^^Internet^{}", plain(&delivery.from_address));
    slot("authorPerson", [plain(&delivery.from.name)])
        + &slot("authorInstitution", [institution])
        + &slot("authorTelecommunication", [telecom])
}

/// `id^^^&authority&ISO` (CX), without separators in its values.
fn patient_id(delivery: &Delivery) -> String {
    match delivery.patient.ids.first() {
        Some((id, authority)) => format!("{}^^^&{}&ISO", plain(id), plain(authority)),
        None => format!("{}^^^&{}&ISO", delivery.id.simple(), plain(&delivery.from.oid)),
    }
}

fn patient_info(patient: &Person, id: &str) -> Vec<String> {
    let mut info = vec![
        format!("PID-3|{id}"),
        format!("PID-5|{}^{}^{}", plain(&patient.family), plain(&patient.given), plain(&patient.middle)),
    ];
    if let Some(born) = patient.born {
        info.push(format!("PID-7|{}", born.format("%Y%m%d")));
    }
    if !patient.sex.is_empty() {
        info.push(format!("PID-8|{}", plain(&patient.sex)));
    }
    info
}

/// The error code, if it consists of letters as IHE's codes do; anything else is not repeated.
fn code_of(error: Node) -> Option<String> {
    let code = error.attribute("errorCode")?;
    let code: String = code.chars().filter(char::is_ascii_alphanumeric).take(60).collect();
    Some(code).filter(|code| !code.is_empty())
}

/// Reads `rs:RegistryResponse`. A document refused as a duplicate is already there, because the ids are ours alone.
/// If some of the documents were accepted, no other endpoint may get them.
pub fn judged(response: Node) -> Outcome {
    let unreadable = || Outcome::NoAnswer("The answer of the endpoint cannot be read.".into());
    if !response.has_tag_name((RS, "RegistryResponse")) {
        return unreadable();
    }
    let status = response.attribute("status").unwrap_or_default().rsplit(':').next().unwrap_or_default();
    let errors = response.descendants().filter(|n| n.has_tag_name((RS, "RegistryError")));
    let is_error = |n: &Node| !n.attribute("severity").unwrap_or_default().ends_with("Warning");
    let codes: Vec<String> = errors.filter(is_error).filter_map(code_of).collect();
    let is_busy = |code: &String| {
        matches!(&**code, "XDSRegistryBusy" | "XDSRepositoryBusy" | "XDSRegistryNotAvailable")
    };
    match status {
        "Success" => Outcome::Accepted,
        "Failure" | "PartialSuccess" => {
            let others: Vec<_> = codes.iter().filter(|code| *code != DUPLICATE).collect();
            let is_partly_there = status == "PartialSuccess" || others.len() < codes.len();
            match others.first().copied() {
                None if !codes.is_empty() => Outcome::Accepted,
                first if is_partly_there => {
                    let code = first.map(|code| format!(": {code}")).unwrap_or_default();
                    Outcome::NoAnswer(format!("The endpoint took a part of the documents only{code}."))
                }
                Some(code) if is_busy(code) => Outcome::NotReached(format!("The endpoint answered {code}.")),
                Some(code) => Outcome::Refused(format!("The endpoint refused the documents: {code}.")),
                None => Outcome::Refused("The endpoint refused the documents.".into()),
            }
        }
        _ => unreadable(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{multipart::package, samples::delivery};

    fn answered(status: &str, errors: &str) -> Outcome {
        let xml = format!(
            "<r:RegistryResponse xmlns:r=\"{RS}\" status=\"urn:oasis:names:tc:ebxml-regrep:ResponseStatusType:{status}\">\
             <r:RegistryErrorList>{errors}</r:RegistryErrorList></r:RegistryResponse>"
        );
        let document = xml::parse(&xml, 10_000).unwrap();
        judged(document.root_element())
    }

    #[test]
    fn a_request_has_a_document_for_each_entry_and_the_address_block_of_direct() {
        let delivery = delivery();
        let request = request(&delivery, &Profile::Direct { is_minimal: false });
        let (content_type, body) = request.written("https://xdr.example/provide");
        assert!(content_type.starts_with("multipart/related; type=\"application/xop+xml\""));
        let root = package(&content_type, &body).unwrap().root;
        let text = std::str::from_utf8(root).unwrap();
        let xml = xml::parse(text.trim(), 10_000).unwrap();
        let named =
            |name: &str| xml.descendants().filter(|n| n.tag_name().name() == name).collect::<Vec<_>>();
        let entries: Vec<_> = named("ExtrinsicObject").iter().filter_map(|n| n.attribute("id")).collect();
        let documents: Vec<_> = named("Document").iter().filter_map(|n| n.attribute("id")).collect();
        assert_eq!(entries, documents);
        let is_confidentiality =
            |n: &&Node| n.attribute("classificationScheme") == Some(document_entry::CONFIDENTIALITY);
        let classified = named("Classification");
        let code = classified.iter().find(is_confidentiality).and_then(|n| n.attribute("nodeRepresentation"));
        assert_eq!(code, Some("R"));
        assert_eq!(named("to")[0].text(), Some("mailto:results@northgate.direct.example"));
        assert_eq!(named("metadata-level")[0].text(), Some("XDS"));
        assert_eq!(named("Action")[0].text(), Some(PROVIDE));
        assert_eq!(named("To")[0].text(), Some("https://xdr.example/provide"));
        let slot =
            named("Slot").into_iter().find(|n| n.attribute("name") == Some("intendedRecipient")).unwrap();
        let value = slot.descendants().find(|n| n.tag_name().name() == "Value").unwrap();
        let address = "results@northgate.direct.example";
        assert_eq!(
            value.text(),
            Some(&*format!("{address}^^^^^&1.2.3.9&ISO^^^^1.2.3.9||^^Internet^{address}"))
        );
        assert!(text.contains("Larkfield Sons^^^^^&amp;1.2.3.4&amp;ISO^^^^1.2.3.4"));
        let ids: Vec<_> = xml
            .descendants()
            .filter_map(|n| n.attribute("id"))
            .filter(|id| !documents.contains(id))
            .collect();
        assert_eq!(ids.len(), ids.iter().collect::<std::collections::HashSet<_>>().len(), "ids are unique");
        assert!(body.windows(8).any(|w| w == b"%PDF-1.7"), "the document travels as bytes");
    }

    #[test]
    fn nothing_in_the_metadata_can_break_the_xml() {
        let mut delivery = delivery();
        delivery.documents[0].title = "a\"><b>&\u{1}".into();
        let request = request(&delivery, &Profile::Repository { recipient: Some("^x|\"".into()) });
        let (kind, body) = request.written("x");
        let root = String::from_utf8(package(&kind, &body).unwrap().root.to_vec()).unwrap();
        assert!(xml::parse(root.trim(), 10_000).is_ok());
        assert!(!root.contains("addressBlock"));
    }

    #[test]
    fn an_answer_says_whether_the_documents_are_there() {
        let error = |code: &str| {
            format!("<r:RegistryError errorCode=\"{code}\" codeContext=\"Tenney\" severity=\"x:Error\"/>")
        };
        assert_eq!(answered("Success", ""), Outcome::Accepted);
        assert_eq!(answered("Failure", &error("XDSDuplicateUniqueIdInRegistry")), Outcome::Accepted);
        assert!(matches!(answered("Failure", &error("XDSRepositoryBusy")), Outcome::NotReached(_)));
        let mixed = error(DUPLICATE) + &error("XDSRegistryMetadataError");
        assert!(matches!(answered("Failure", &mixed), Outcome::NoAnswer(_)), "one of two is there");
        assert!(matches!(answered("PartialSuccess", &error("XDSRepositoryBusy")), Outcome::NoAnswer(_)));
        let refused = answered("Failure", &error("XDSUnknownPatientId"));
        assert_eq!(
            refused,
            Outcome::Refused("The endpoint refused the documents: XDSUnknownPatientId.".into())
        );
        assert!(matches!(answered("", ""), Outcome::NoAnswer(_)));
    }
}
