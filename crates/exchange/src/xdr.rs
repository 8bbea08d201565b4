//! Sending of Provide and Register Document Set-b (ITI-41), and of XDR with the Direct address block.

use crate::{
    Code, Delivery, Dialogue, Document, Facility, Outcome, Person,
    link::{Link, Target},
    oid_of,
    saml::Signer,
    soap::{Request, escaped},
};
use clinical::hl7::time;
use openssl::sha::sha1;
use roxmltree::Node;
use std::fmt::Write;

const ACTION: &str = "urn:ihe:iti:2007:ProvideAndRegisterDocumentSet-b";
const RIM: &str = "urn:oasis:names:tc:ebxml-regrep:xsd:rim:3.0";
const RS: &str = "urn:oasis:names:tc:ebxml-regrep:xsd:rs:3.0";
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
        action: ACTION,
        headers: address_block(delivery, profile),
        body: format!(
            "<xds:ProvideAndRegisterDocumentSetRequest xmlns:xds=\"urn:ihe:iti:xds-b:2007\">\
             <lcm:SubmitObjectsRequest xmlns:lcm=\"urn:oasis:names:tc:ebxml-regrep:xsd:lcm:3.0\">\
             <rim:RegistryObjectList xmlns:rim=\"{RIM}\">{}</rim:RegistryObjectList></lcm:SubmitObjectsRequest>\
             {files}</xds:ProvideAndRegisterDocumentSetRequest>",
            objects(delivery, profile)
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

/// Generates the ids inside one object.
struct Ids<'a> {
    of: &'a str,
    next: usize,
}

impl Ids<'_> {
    fn next(&mut self) -> String {
        self.next += 1;
        format!("{}-{}", self.of, self.next)
    }
}

fn objects(delivery: &Delivery, profile: &Profile) -> String {
    let set = format!("urn:uuid:{}", delivery.id);
    let mut xml = String::new();
    for document in &delivery.documents {
        xml.push_str(&entry(delivery, document));
    }
    xml.push_str(&submission_set(delivery, profile, &set));
    let _ = write!(
        xml,
        "<rim:Classification id=\"set-node\" classifiedObject=\"{set}\" \
         classificationNode=\"urn:uuid:a54d6aa5-d40d-43f9-88c5-b4633d873bdd\" \
         objectType=\"urn:oasis:names:tc:ebxml-regrep:ObjectType:RegistryObject:Classification\"/>"
    );
    for (index, document) in delivery.documents.iter().enumerate() {
        let _ = write!(
            xml,
            "<rim:Association id=\"member-{index}\" \
             associationType=\"urn:oasis:names:tc:ebxml-regrep:AssociationType:HasMember\" sourceObject=\"{set}\" \
             targetObject=\"{}\" objectType=\"urn:oasis:names:tc:ebxml-regrep:ObjectType:RegistryObject:Association\">{}</rim:Association>",
            entry_id(document),
            slot("SubmissionSetStatus", ["Original".into()])
        );
    }
    xml
}

fn entry(delivery: &Delivery, document: &Document) -> String {
    let id = entry_id(document);
    let mut ids = Ids { of: "entry", next: 0 };
    let prefix = document.id.simple().to_string();
    let mut fresh = || format!("{prefix}-{}", ids.next());
    let hash: String = sha1(&document.content).iter().map(|byte| format!("{byte:02x}")).collect();
    let kind = document.kind.clone().unwrap_or_else(|| Code {
        code: "34133-9".into(),
        name: "Summarization of Episode Note".into(),
        scheme: LOINC.into(),
    });
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
    let mut xml = format!(
        "<rim:ExtrinsicObject id=\"{id}\" mimeType=\"{}\" \
         objectType=\"urn:uuid:7edca82f-054d-47f2-a032-9b2a5b5186c1\" \
         status=\"urn:oasis:names:tc:ebxml-regrep:StatusType:Approved\">",
        escaped(&document.media_type)
    );
    xml += &slot("creationTime", [time::written(document.created_at)]);
    xml += &slot("languageCode", ["en-US".into()]);
    xml += &slot("hash", [hash]);
    xml += &slot("size", [document.content.len().to_string()]);
    xml += &slot("sourcePatientId", [patient.clone()]);
    xml += &slot("sourcePatientInfo", patient_info(&delivery.patient, &patient));
    xml += &name(&document.title);
    xml += &author(&fresh(), &id, "urn:uuid:93606bcf-9494-43ec-9b4e-a7748d1a838d", delivery);
    for (scheme, code) in [
        ("41a5887f-8865-4c09-adf7-e362475b143a", &kind),
        ("f0306f51-975f-434e-a61c-c59651d33983", &kind),
        ("f4f85eac-e6cb-4883-b524-f2705394840f", &confidentiality),
        ("a09d5840-386c-46f2-b5ad-9c3699a4309d", &format),
        ("f33fb8ac-18af-42cc-ae0e-ed0b0bdb91e1", &facility),
        ("cccf5598-8b07-4b77-a05e-ae952c785ead", &snomed("394802001", "General medicine")),
    ] {
        xml += &classified(&fresh(), &id, scheme, code);
    }
    xml += &external(
        &fresh(),
        &id,
        "58a6f841-87b3-4a3e-92fd-a8ffeff98427",
        "XDSDocumentEntry.patientId",
        &patient,
    );
    let unique = oid_of(document.id);
    xml += &external(
        &fresh(),
        &id,
        "2e82c1f6-a085-4c72-9da3-8640a32e42ab",
        "XDSDocumentEntry.uniqueId",
        &unique,
    );
    xml + "</rim:ExtrinsicObject>"
}

fn submission_set(delivery: &Delivery, profile: &Profile, id: &str) -> String {
    let recipient = intended(delivery, profile);
    let mut ids = Ids { of: "set", next: 0 };
    let mut xml =
        format!("<rim:RegistryPackage id=\"{id}\">{}", slot("submissionTime", [time::written(delivery.at)]));
    if !recipient.is_empty() {
        xml += &slot("intendedRecipient", [recipient]);
    }
    xml += &name(if delivery.is_test { "Test of a routing rule" } else { "Documents" });
    xml += &author(&ids.next(), id, "urn:uuid:a7058bb9-b4e4-4307-ba5b-e3f0ab85e12d", delivery);
    let kind =
        Code { code: "34133-9".into(), name: "Summarization of Episode Note".into(), scheme: LOINC.into() };
    xml += &classified(&ids.next(), id, "aa543740-bdda-424e-8c96-df4873be8500", &kind);
    let patient = patient_id(delivery);
    for (scheme, what, value) in [
        ("96fdda7c-d067-4183-912e-bf5ee74998a8", "uniqueId", oid_of(delivery.id)),
        ("554ac39e-e3fe-47fe-b233-965d2a147832", "sourceId", delivery.from.oid.clone()),
        ("6b5aea1a-874d-4603-a4bc-96a0a7b38446", "patientId", patient),
    ] {
        xml += &external(&ids.next(), id, scheme, &format!("XDSSubmissionSet.{what}"), &value);
    }
    xml + "</rim:RegistryPackage>"
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

fn snomed(code: &str, name: &str) -> Code {
    Code { code: code.into(), name: name.into(), scheme: "2.16.840.1.113883.6.96".into() }
}

fn ihe(code: &str) -> Code {
    Code { code: code.into(), name: code.into(), scheme: "1.3.6.1.4.1.19376.1.2.3".into() }
}

fn slot(name: &str, values: impl IntoIterator<Item = String>) -> String {
    let values: String =
        values.into_iter().map(|v| format!("<rim:Value>{}</rim:Value>", escaped(v))).collect();
    format!("<rim:Slot name=\"{name}\"><rim:ValueList>{values}</rim:ValueList></rim:Slot>")
}

fn name(text: &str) -> String {
    format!("<rim:Name><rim:LocalizedString value=\"{}\"/></rim:Name>", escaped(text))
}

fn author(id: &str, object: &str, scheme: &str, delivery: &Delivery) -> String {
    let institution = organization(&delivery.from, &delivery.from_address);
    let telecom = format!("^^Internet^{}", plain(&delivery.from_address));
    format!(
        "<rim:Classification id=\"{id}\" classificationScheme=\"{scheme}\" classifiedObject=\"{object}\" \
         nodeRepresentation=\"\">{}{}{}</rim:Classification>",
        slot("authorPerson", [plain(&delivery.from.name)]),
        slot("authorInstitution", [institution]),
        slot("authorTelecommunication", [telecom])
    )
}

fn classified(id: &str, object: &str, scheme: &str, code: &Code) -> String {
    format!(
        "<rim:Classification id=\"{id}\" classificationScheme=\"urn:uuid:{scheme}\" classifiedObject=\"{object}\" \
         nodeRepresentation=\"{}\">{}{}</rim:Classification>",
        escaped(&code.code),
        slot("codingScheme", [code.scheme.clone()]),
        name(&code.name)
    )
}

fn external(id: &str, object: &str, scheme: &str, label: &str, value: &str) -> String {
    format!(
        "<rim:ExternalIdentifier id=\"{id}\" identificationScheme=\"urn:uuid:{scheme}\" registryObject=\"{object}\" \
         value=\"{}\">{}</rim:ExternalIdentifier>",
        escaped(value),
        name(label)
    )
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
        let is_confidentiality = |n: &&Node| {
            n.attribute("classificationScheme") == Some("urn:uuid:f4f85eac-e6cb-4883-b524-f2705394840f")
        };
        let classified = named("Classification");
        let code = classified.iter().find(is_confidentiality).and_then(|n| n.attribute("nodeRepresentation"));
        assert_eq!(code, Some("R"));
        assert_eq!(named("to")[0].text(), Some("mailto:results@northgate.direct.example"));
        assert_eq!(named("metadata-level")[0].text(), Some("XDS"));
        assert_eq!(named("Action")[0].text(), Some(ACTION));
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
