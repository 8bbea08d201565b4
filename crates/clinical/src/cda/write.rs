//! Writes an Unstructured Document of C-CDA R2.1 (template 2.16.840.1.113883.10.20.22.1.10): a file of another format
//! with a header that names its patient, title and sender.

use std::io;

use base64::{Engine, prelude::BASE64_STANDARD};
use quick_xml::{
    Writer,
    events::{BytesDecl, BytesText, Event},
};

use super::model::*;
use super::repair::is_allowed;

/// Templates of the document: US Realm Header and Unstructured Document of C-CDA R2.1.
const TEMPLATES: [&str; 2] = ["2.16.840.1.113883.10.20.22.1.1", "2.16.840.1.113883.10.20.22.1.10"];
const RELEASE: &str = "2015-08-01";
/// LOINC "Note", for a document whose kind is known only from its title.
const NOTE: &str = "34109-9";
/// Scanned documents (IHE XDS-SD): the document, the scanning device, and the operator.
const XDS_SD: &str = "1.3.6.1.4.1.19376.1.2.20";
const XDS_SD_SCANNER: &str = "1.3.6.1.4.1.19376.1.2.20.2";
const XDS_SD_OPERATOR: &str = "1.3.6.1.4.1.19376.1.2.20.3";
const DICOM: &str = "1.2.840.10008.2.16.4";
const LOINC: &str = "2.16.840.1.113883.6.1";
const GENDERS: &str = "2.16.840.1.113883.5.1";
const CONFIDENTIALITY: &str = "2.16.840.1.113883.5.25";

type Xml<'a> = Writer<&'a mut Vec<u8>>;

/// A file and its header data.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrapped<'a> {
    /// The document's own identity: the same whenever the same document is written again.
    pub id: InstanceId,
    /// Its title.
    pub title: &'a str,
    /// When the original was created, not when it was wrapped (CDA R2 section 4.2.1.5).
    pub effective_time: Timestamp,
    /// Confidentiality.
    pub confidentiality: Confidentiality,
    /// The patient.
    pub patient: &'a Patient,
    /// The documented visit.
    pub encounter: Option<&'a Encounter>,
    /// Name of the wrapping software.
    pub software: &'a str,
    /// Time of wrapping.
    pub wrapped_at: Timestamp,
    /// The sender, who keeps the original.
    pub custodian: &'a Organization,
    /// Media type; receivers must support those of C-CDA's value set Supported File Formats
    /// (2.16.840.1.113883.11.20.7.1).
    pub media_type: &'static str,
    /// The file.
    pub content: &'a [u8],
}

/// Writes the document as UTF-8.
pub fn wrap(file: &Wrapped<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(file.content.len() / 3 * 4 + 4096);
    let written = document(&mut Writer::new(&mut bytes), file);
    debug_assert!(written.is_ok(), "writing to memory cannot fail");
    bytes
}

fn document(xml: &mut Xml<'_>, file: &Wrapped<'_>) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = [("xmlns", "urn:hl7-org:v3"), ("xmlns:sdtc", "urn:hl7-org:sdtc")];
    within(xml, "ClinicalDocument", &root, |xml| {
        header(xml, file)?;
        record_target(xml, file.patient)?;
        author(xml, file)?;
        if is_scan(file) {
            operator(xml, file)?;
        }
        within(xml, "custodian", &[], |xml| {
            within(xml, "assignedCustodian", &[], |xml| {
                organization(xml, "representedCustodianOrganization", file.custodian)
            })
        })?;
        if is_scan(file) {
            service(xml, file)?;
        }
        if let Some(visit) = file.encounter {
            within(xml, "componentOf", &[], |xml| encounter(xml, visit))?;
        }
        within(xml, "component", &[], |xml| {
            within(xml, "nonXMLBody", &[], |xml| {
                let attributes = [("mediaType", file.media_type), ("representation", "B64")];
                within(xml, "text", &attributes, |xml| plain(xml, &BASE64_STANDARD.encode(file.content)))
            })
        })
    })
}

/// XDS-SD supports only PDF and text.
fn is_scan(file: &Wrapped<'_>) -> bool {
    matches!(file.media_type, "application/pdf" | "text/plain")
}

fn header(xml: &mut Xml<'_>, file: &Wrapped<'_>) -> io::Result<()> {
    empty(xml, "realmCode", &[("code", "US")])?;
    empty(xml, "typeId", &[("root", "2.16.840.1.113883.1.3"), ("extension", "POCD_HD000040")])?;
    for root in TEMPLATES {
        empty(xml, "templateId", &[("root", root)])?;
        empty(xml, "templateId", &[("root", root), ("extension", RELEASE)])?;
    }
    if is_scan(file) {
        empty(xml, "templateId", &[("root", XDS_SD)])?;
    }
    id(xml, &file.id)?;
    empty(
        xml,
        "code",
        &[("code", NOTE), ("codeSystem", LOINC), ("codeSystemName", "LOINC"), ("displayName", "Note")],
    )?;
    element(xml, "title", file.title)?;
    empty(xml, "effectiveTime", &[("value", file.effective_time.as_str())])?;
    let code = file.confidentiality.code();
    empty(xml, "confidentialityCode", &[("code", code), ("codeSystem", CONFIDENTIALITY)])?;
    empty(xml, "languageCode", &[("code", "en-US")])
}

fn record_target(xml: &mut Xml<'_>, patient: &Patient) -> io::Result<()> {
    within(xml, "recordTarget", &[], |xml| {
        within(xml, "patientRole", &[], |xml| {
            ids(xml, &patient.ids)?;
            address(xml, patient.address.as_ref(), &[("use", "HP")])?;
            telecoms(xml, &patient.telecoms)?;
            within(xml, "patient", &[], |xml| {
                name(xml, &patient.name)?;
                match patient.gender {
                    Some(gender) => {
                        let code = [("code", gender.code()), ("codeSystem", GENDERS)];
                        empty(xml, "administrativeGenderCode", &code)?;
                    }
                    None => unknown(xml, "administrativeGenderCode")?,
                }
                match patient.birth_date {
                    Some(day) => empty(xml, "birthTime", &[("value", &day.format("%Y%m%d").to_string())])?,
                    None => unknown(xml, "birthTime")?,
                }
                // Required by the US Realm Header, but not stored.
                unknown(xml, "raceCode")?;
                unknown(xml, "ethnicGroupCode")
            })
        })
    })
}

fn author(xml: &mut Xml<'_>, file: &Wrapped<'_>) -> io::Result<()> {
    let custodian = file.custodian;
    within(xml, "author", &[], |xml| {
        if is_scan(file) {
            empty(xml, "templateId", &[("root", XDS_SD_SCANNER)])?;
        }
        empty(xml, "time", &[("value", file.wrapped_at.as_str())])?;
        within(xml, "assignedAuthor", &[], |xml| {
            ids(xml, &custodian.ids)?;
            address(xml, custodian.address.as_ref(), &[("use", "WP")])?;
            telecoms(xml, &custodian.telecoms)?;
            within(xml, "assignedAuthoringDevice", &[], |xml| {
                if is_scan(file) {
                    empty(xml, "code", &[("code", "CAPTURE"), ("codeSystem", DICOM)])?;
                }
                element(xml, "manufacturerModelName", file.software)?;
                element(xml, "softwareName", file.software)
            })?;
            within(xml, "representedOrganization", &[], |xml| {
                element(xml, "name", custodian.name.as_deref().unwrap_or_default())
            })
        })
    })
}

/// The operator of the scanner, unknown but a required element.
fn operator(xml: &mut Xml<'_>, file: &Wrapped<'_>) -> io::Result<()> {
    within(xml, "dataEnterer", &[], |xml| {
        empty(xml, "templateId", &[("root", XDS_SD_OPERATOR)])?;
        empty(xml, "time", &[("value", file.wrapped_at.as_str())])?;
        within(xml, "assignedEntity", &[], |xml| {
            for name in ["id", "addr", "telecom"] {
                unknown(xml, name)?;
            }
            within(xml, "assignedPerson", &[], |xml| unknown(xml, "name"))
        })
    })
}

/// The time of the documented service.
fn service(xml: &mut Xml<'_>, file: &Wrapped<'_>) -> io::Result<()> {
    let at = [("value", file.effective_time.as_str())];
    within(xml, "documentationOf", &[], |xml| {
        within(xml, "serviceEvent", &[], |xml| {
            within(xml, "effectiveTime", &[], |xml| {
                empty(xml, "low", &at)?;
                empty(xml, "high", &at)
            })
        })
    })
}

fn organization(xml: &mut Xml<'_>, element_name: &str, organization: &Organization) -> io::Result<()> {
    within(xml, element_name, &[], |xml| {
        ids(xml, &organization.ids)?;
        element(xml, "name", organization.name.as_deref().unwrap_or_default())?;
        telecoms(xml, &organization.telecoms)?;
        address(xml, organization.address.as_ref(), &[("use", "WP")])
    })
}

fn encounter(xml: &mut Xml<'_>, visit: &Encounter) -> io::Result<()> {
    within(xml, "encompassingEncounter", &[], |xml| {
        ids(xml, &visit.ids)?;
        match &visit.from {
            Some(from) => within(xml, "effectiveTime", &[], |xml| {
                empty(xml, "low", &[("value", from.as_str())])?;
                visit.to.as_ref().map_or(Ok(()), |to| empty(xml, "high", &[("value", to.as_str())]))
            }),
            None => unknown(xml, "effectiveTime"),
        }
    })
}

fn ids(xml: &mut Xml<'_>, all: &[InstanceId]) -> io::Result<()> {
    if all.is_empty() {
        return unknown(xml, "id");
    }
    all.iter().try_for_each(|one| id(xml, one))
}

fn id(xml: &mut Xml<'_>, id: &InstanceId) -> io::Result<()> {
    let (extension, authority) = (id.extension.as_deref(), id.authority.as_deref());
    let parts =
        [("root", Some(id.root.as_str())), ("extension", extension), ("assigningAuthorityName", authority)];
    let given: Vec<_> = parts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    empty(xml, "id", &given)
}

fn name(xml: &mut Xml<'_>, name: &PersonName) -> io::Result<()> {
    if name.is_empty() {
        return unknown(xml, "name");
    }
    let parts = [
        ("prefix", &name.prefix),
        ("given", &name.first),
        ("given", &name.middle),
        ("family", &name.last),
        ("suffix", &name.suffix),
    ];
    within(xml, "name", &[("use", "L")], |xml| given(xml, &parts))
}

fn address(xml: &mut Xml<'_>, address: Option<&Address>, attributes: &[(&str, &str)]) -> io::Result<()> {
    let Some(address) = address else { return unknown(xml, "addr") };
    let parts = [
        ("city", &address.city),
        ("state", &address.state),
        ("postalCode", &address.postal_code),
        ("country", &address.country),
    ];
    within(xml, "addr", attributes, |xml| {
        address.lines.iter().try_for_each(|line| element(xml, "streetAddressLine", line))?;
        given(xml, &parts)
    })
}

fn given(xml: &mut Xml<'_>, parts: &[(&str, &Option<String>)]) -> io::Result<()> {
    let given = parts.iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    given.into_iter().try_for_each(|(name, value)| element(xml, name, value))
}

fn telecoms(xml: &mut Xml<'_>, all: &[Telecom]) -> io::Result<()> {
    if all.is_empty() {
        return unknown(xml, "telecom");
    }
    all.iter().try_for_each(|telecom| {
        let mut attributes = vec![("value", telecom.value.as_str())];
        attributes.extend(telecom.use_code.as_deref().map(|code| ("use", code)));
        empty(xml, "telecom", &attributes)
    })
}

/// A required element with an unknown value.
fn unknown(xml: &mut Xml<'_>, element_name: &str) -> io::Result<()> {
    empty(xml, element_name, &[("nullFlavor", "UNK")])
}

fn empty(xml: &mut Xml<'_>, element_name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
    let clean: Vec<_> = attributes.iter().map(|(name, value)| (*name, allowed(value))).collect();
    let attributes = clean.iter().map(|(name, value)| (*name, value.as_str()));
    xml.create_element(element_name).with_attributes(attributes).write_empty().map(drop)
}

fn element(xml: &mut Xml<'_>, element_name: &str, text: &str) -> io::Result<()> {
    within(xml, element_name, &[], |xml| plain(xml, &allowed(text)))
}

fn plain(xml: &mut Xml<'_>, text: &str) -> io::Result<()> {
    xml.write_event(Event::Text(BytesText::new(text)))
}

fn within(
    xml: &mut Xml<'_>,
    element_name: &str,
    attributes: &[(&str, &str)],
    inside: impl FnOnce(&mut Xml<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let attributes = attributes.iter().copied();
    xml.create_element(element_name).with_attributes(attributes).write_inner_content(inside).map(drop)
}

/// The text without characters that XML 1.0 does not allow (section 2.2).
fn allowed(text: &str) -> String {
    text.chars().filter(|c| is_allowed(*c)).collect()
}
