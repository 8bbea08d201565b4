//! Values read from a document.

use chrono::NaiveDate;
use clinical::cda::{
    Body, ClinicalDocument, Confidentiality, Gender, Telecom, Timestamp, Unstructured, outline, parse,
};

use crate::document;

const HEADER: &str = r#"
<templateId root="2.16.840.1.113883.10.20.22.1.1"/>
<templateId root="2.16.840.1.113883.10.20.22.1.2" extension="2015-08-01"/>
<id root="1.2.3" extension="doc-7"/>
<code code="34133-9" codeSystem="2.16.840.1.113883.6.1" displayName="Summarization of Episode Note"/>
<title>  Continuity of
  Care  </title>
<effectiveTime value="20261117093000-0500"/>
<confidentialityCode code="R"/>
<languageCode code="en-US"/>
<setId root="1.2.3" extension="set"/><versionNumber value="4"/>
<recordTarget><patientRole>
  <id root="1.2.3.4" extension="LFM-08842" assigningAuthorityName="Larkfield"/>
  <id root="2.16.840.1.113883.4.1" nullFlavor="UNK"/>
  <addr use="WP"><city>Elsewhere</city></addr>
  <addr use="HP"><streetAddressLine>27 Orchard Row</streetAddressLine><streetAddressLine>Apt 2</streetAddressLine>
    <city>Larkfield</city><state>OH</state><postalCode>43999</postalCode><country>US</country></addr>
  <telecom nullFlavor="UNK"/>
  <telecom value="mailto:d.pruitt@mail.example"/>
  <telecom value="tel: +1(555)010-0164" use="HP"/>
  <patient>
    <name use="P"><given>Des</given><family>P</family></name>
    <name use="L"><prefix>Mr.</prefix><given>Desmond</given><given qualifier="CL">Desi</given><given>Andrew</given>
      <given>Lee</given><family qualifier="BR">Maiden</family><family>Pruitt</family><suffix>Jr</suffix></name>
    <administrativeGenderCode code="M"/><birthTime value="19571108"/>
    <sdtc:deceasedInd value="false"/>
  </patient>
</patientRole></recordTarget>
<author><time value="20261117"/><assignedAuthor><id root="x"/>
  <assignedPerson><name><given>Ines</given><family>Marchetti</family><suffix>MD</suffix></name></assignedPerson>
  <representedOrganization><name>Larkfield Family Medicine</name></representedOrganization></assignedAuthor></author>
<author><assignedAuthor><assignedAuthoringDevice><manufacturerModelName>EHR</manufacturerModelName>
  <softwareName>EHR 7.2</softwareName></assignedAuthoringDevice></assignedAuthor></author>
<author><assignedAuthor nullFlavor="NI"/></author>
<custodian><assignedCustodian><representedCustodianOrganization><id root="1.2.3"/><name>Larkfield Family Medicine</name>
  </representedCustodianOrganization></assignedCustodian></custodian>
<inFulfillmentOf><order><id root="1.2.9" extension="REF-55"/></order></inFulfillmentOf>
<relatedDocument typeCode="RPLC"><parentDocument><id root="1.2.3" extension="doc-6"/></parentDocument></relatedDocument>
<componentOf><encompassingEncounter><id root="1.2.8" extension="V1"/><code code="99214" displayName="Office visit"/>
  <effectiveTime><low value="202611171530-0500"/><high value="202611171600-0500"/></effectiveTime>
  <responsibleParty><assignedEntity><assignedPerson><name>Dr. A. Smith</name></assignedPerson></assignedEntity>
  </responsibleParty><location><healthCareFacility><location><name>Main Street</name></location></healthCareFacility>
  </location></encompassingEncounter></componentOf>"#;

const BODY: &str = r#"
<component><section><code code="11450-4" displayName="Problem list"/><title>Problems</title><text>Asthma</text>
  <entry/><entry/><component><section><title>Resolved</title><text>Croup</text><entry/></section></component></section></component>
<component><section><code code="48765-2" displayName="Allergies"/></section></component>"#;

fn read(xml: &str) -> ClinicalDocument {
    parse(xml.as_bytes()).unwrap()
}

#[test]
fn the_patient_is_read_with_legal_name_home_address_and_all_identifiers() {
    let patient = read(&document(HEADER, BODY)).patient.unwrap();
    assert_eq!(patient.name.to_string(), "Mr. Desmond Andrew Lee Pruitt Jr");
    assert_eq!(patient.name.middle.as_deref(), Some("Andrew Lee"));
    assert_eq!(patient.birth_date, NaiveDate::from_ymd_opt(1957, 11, 8));
    assert_eq!(patient.gender, Some(Gender::Male));
    assert_eq!(patient.address.as_ref().unwrap().to_string(), "27 Orchard Row, Apt 2, Larkfield, OH 43999");
    assert_eq!((patient.phone(), patient.email()), (Some("+1(555)010-0164"), Some("d.pruitt@mail.example")));
    let ids: Vec<_> = patient.ids.iter().map(|id| (id.root.as_str(), id.extension.as_deref())).collect();
    assert_eq!(ids, [("1.2.3.4", Some("LFM-08842")), ("2.16.840.1.113883.4.1", None)]);
}

#[test]
fn the_header_is_read() {
    let document = read(&document(HEADER, BODY));
    assert_eq!(document.display_title(), "Continuity of Care");
    assert_eq!(document.standard(), Some("C-CDA R2.1"));
    assert_eq!(document.effective_time.as_ref().unwrap().to_string(), "11/17/2026 09:30 AM -0500");
    assert_eq!(document.confidentiality, Confidentiality::Restricted);
    assert_eq!((document.version, document.language.as_deref()), (Some(4), Some("en-US")));
    let authors: Vec<_> = document.authors().map(|author| author.display()).collect();
    assert_eq!(authors, ["Ines Marchetti MD, Larkfield Family Medicine", "EHR 7.2"]);
    assert_eq!(document.orders[0].extension.as_deref(), Some("REF-55"));
    assert_eq!(document.parent_documents[0].extension.as_deref(), Some("doc-6"));
    let encounter = document.encounter.unwrap();
    assert_eq!(encounter.responsible.as_deref(), Some("Dr. A. Smith"));
    assert_eq!(encounter.location.as_deref(), Some("Main Street"));
}

#[test]
fn sections_keep_their_order_nesting_and_entry_counts() {
    let outline = outline::outline(&read(&document(HEADER, BODY)));
    let facts: Vec<_> =
        outline.sections.iter().map(|s| (s.id.as_str(), s.title.as_str(), s.entry_count)).collect();
    assert_eq!(facts, [("s1", "Problems", 2), ("s2", "Allergies", 0)]);
    let inner = &outline.sections[0].sections[0];
    assert_eq!(
        (inner.id.as_str(), inner.entry_count, inner.narrative_html.as_str()),
        ("s1.1", 1, "<p>Croup</p>")
    );
}

#[test]
fn the_outline_is_json_in_camel_case() {
    let outline = outline::outline(&read(&document(HEADER, BODY)));
    let json = serde_json::to_value(&outline).unwrap();
    assert_eq!(json["patient"]["gender"], "M");
    assert_eq!(json["patient"]["birthDate"], "1957-11-08");
    assert_eq!(json["confidentiality"], "Restricted");
    assert_eq!(json["sections"][0]["entryCount"], 2);
    assert_eq!(json["sections"][0]["code"]["display"], "Problem list");
    assert_eq!(serde_json::from_value::<outline::Outline>(json).unwrap(), outline);
}

#[test]
fn telephone_numbers_are_shown_as_people_write_them() {
    for (value, shown) in [
        ("tel:+1(555)010-0164", "(555) 010-0164"),
        ("tel:5550100164", "(555) 010-0164"),
        ("1.555.010.0164", "(555) 010-0164"),
        ("tel:+44 20 7946 0958", "+44 20 7946 0958"),
        ("tel:+45 55 01 01 64", "+45 55 01 01 64"),
        ("tel:555-010-0164;ext=7", "555-010-0164;ext=7"),
        ("mailto:d.pruitt@mail.example", "d.pruitt@mail.example"),
    ] {
        assert_eq!(Telecom { value: value.into(), use_code: None }.display(), shown, "{value}");
    }
}

#[test]
fn confidentiality_follows_the_code() {
    for (code, expected) in [
        ("N", Confidentiality::Normal),
        ("R", Confidentiality::Restricted),
        ("V", Confidentiality::VeryRestricted),
        ("VR", Confidentiality::VeryRestricted),
        ("M", Confidentiality::Normal),
        ("", Confidentiality::Normal),
    ] {
        let header = format!("<confidentialityCode code='{code}'/>");
        assert_eq!(read(&document(&header, "")).confidentiality, expected, "{code:?}");
    }
    assert_eq!(read(&document("", "")).confidentiality, Confidentiality::Normal);
}

#[test]
fn genders_other_than_male_and_female_are_undifferentiated_or_unknown() {
    for (code, expected) in
        [("F", Some(Gender::Female)), ("UN", Some(Gender::Undifferentiated)), ("ZZ", None)]
    {
        let header = format!(
            "<recordTarget><patientRole><patient><administrativeGenderCode code='{code}'/></patient></patientRole></recordTarget>"
        );
        assert_eq!(read(&document(&header, "")).patient.unwrap().gender, expected);
    }
}

#[test]
fn times_are_shown_with_the_precision_they_have() {
    for (value, shown) in [
        ("2026", "2026"),
        ("202611", "11/2026"),
        ("20261117", "11/17/2026"),
        ("202611171505", "11/17/2026 03:05 PM"),
        ("20261117000000.000+0100", "11/17/2026 12:00 AM +0100"),
        ("20261399", "20261399"),
    ] {
        assert_eq!(Timestamp::new(value).unwrap().to_string(), shown);
    }
    assert_eq!(Timestamp::new("unknown"), None);
}

#[test]
fn other_and_incomplete_documents_are_read_as_far_as_possible() {
    let bare = read("<ClinicalDocument/>");
    assert_eq!((bare.body, bare.patient, bare.custodian), (Body::Missing, None, None));
    let foreign = read(
        "<c:ClinicalDocument xmlns:c='urn:other'><c:title>Arztbrief</c:title><c:component><c:structuredBody><c:component>\
         <c:section><c:text><c:paragraph>Befund</c:paragraph></c:text></c:section></c:component></c:structuredBody>\
         </c:component></c:ClinicalDocument>",
    );
    let Body::Structured(sections) = foreign.body else { panic!("no sections") };
    assert_eq!((sections[0].title.as_str(), sections[0].narrative.len()), ("Untitled section", 1));
}

#[test]
fn documents_with_undeclared_prefixes_are_read() {
    let xml = "<?xml version='1.0'?><!-- <a> --><ClinicalDocument><title xsi:type='ST'>Note</title><sdtc:x/></ClinicalDocument>";
    assert_eq!(read(xml).title.as_deref(), Some("Note"));
}

#[test]
fn documents_in_other_encodings_are_read() {
    let text = "<?xml version='1.0' encoding='ISO-8859-1'?><ClinicalDocument><title>Größe</title></ClinicalDocument>";
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    assert_eq!(parse(&latin).unwrap().title.as_deref(), Some("Größe"));
    let utf16: Vec<u8> = format!("\u{feff}{}", text.replace("ISO-8859-1", "UTF-16"))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(parse(&utf16).unwrap().title.as_deref(), Some("Größe"));
}

#[test]
fn unstructured_bodies_give_type_and_bytes() {
    let body = |text: &str| {
        let xml = format!(
            "<ClinicalDocument><component><nonXMLBody>{text}</nonXMLBody></component></ClinicalDocument>"
        );
        let Body::Unstructured(body) = read(&xml).body else { panic!("structured") };
        body
    };
    let embedded = |media_type: &str, content: &[u8]| Unstructured::Embedded {
        media_type: media_type.to_owned(),
        content: content.to_vec(),
    };
    let pdf = body("<text mediaType='Application/PDF' representation='B64'> JVBE\n Ri0x </text>");
    assert_eq!(pdf, embedded("application/pdf", b"%PDF-1"));
    assert_eq!(
        body("<text mediaType='text/plain'>BP 120/80\nok</text>"),
        embedded("text/plain", b"BP 120/80\nok")
    );
    let by_reference = body("<text mediaType='application/pdf'><reference value='scan.pdf'/></text>");
    assert!(matches!(by_reference, Unstructured::Referenced { reference, .. } if reference == "scan.pdf"));
    for unreadable in [
        "<text representation='B64'>***</text>",
        "<text compression='DF' representation='B64'>AAAA</text>",
        "<text/>",
    ] {
        assert!(matches!(body(unreadable), Unstructured::Unreadable { .. }), "{unreadable}");
    }
}
