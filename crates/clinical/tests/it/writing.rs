//! Files of other formats wrapped into a document.

use chrono::NaiveDate;
use clinical::cda::{
    Address, Body, Confidentiality, Encounter, Gender, InstanceId, Organization, Patient, PersonName,
    Telecom, Timestamp, Unstructured, Wrapped, parse, wrap,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn id(root: &str, extension: &str) -> InstanceId {
    InstanceId { root: root.into(), extension: some(extension), authority: None }
}

fn patient() -> Patient {
    Patient {
        ids: vec![id("1.2.3.4", "LFM-08842")],
        name: PersonName {
            first: some("Desmond"),
            middle: some("Lee"),
            last: some("O'Pruitt & <Sons>"),
            ..PersonName::default()
        },
        birth_date: NaiveDate::from_ymd_opt(1957, 11, 8),
        gender: Some(Gender::Male),
        address: Some(Address {
            lines: vec!["27 Orchard Row".into(), "Apt \"2\"".into()],
            city: some("Larkfield"),
            state: some("OH"),
            postal_code: some("43999"),
            country: some("US"),
        }),
        telecoms: vec![Telecom { value: "tel:+15550100164".into(), use_code: some("HP") }],
    }
}

fn practice() -> Organization {
    Organization {
        ids: vec![id("2.16.840.1.113883.4.6", "1234567893")],
        name: some("Larkfield Family Medicine"),
        address: None,
        telecoms: vec![Telecom { value: "tel:+15550100100".into(), use_code: some("WP") }],
    }
}

fn wrapped<'a>(patient: &'a Patient, practice: &'a Organization, content: &'a [u8]) -> Wrapped<'a> {
    Wrapped {
        id: InstanceId { root: "0192f0c8-7a6f-7c1e-8f00-1d2b3c4d5e6f".into(), ..InstanceId::default() },
        title: "Laboratory report",
        effective_time: Timestamp::new("20261117").unwrap(),
        confidentiality: Confidentiality::Restricted,
        patient,
        encounter: None,
        software: "Carepost",
        wrapped_at: Timestamp::new("20261119143000+0000").unwrap(),
        custodian: practice,
        media_type: "application/pdf",
        content,
    }
}

#[test]
fn a_wrapped_file_reads_back_with_its_whole_header() {
    let (patient, practice) = (patient(), practice());
    let visit = Encounter {
        ids: vec![id("1.2.3.9", "V-77")],
        from: Timestamp::new("20261116"),
        ..Encounter::default()
    };
    let content: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let file = Wrapped { encounter: Some(&visit), ..wrapped(&patient, &practice, &content) };

    let read = parse(&wrap(&file)).unwrap();

    assert_eq!(read.standard(), Some("C-CDA R2.1"));
    for root in ["2.16.840.1.113883.10.20.22.1.10", "1.3.6.1.4.1.19376.1.2.20"] {
        assert!(read.template_ids.iter().any(|t| t.root == root), "{root}");
    }
    let picture = String::from_utf8(wrap(&Wrapped { media_type: "image/png", ..file.clone() })).unwrap();
    assert!(!picture.contains("1.3.6.1.4.1.19376.1.2.20"), "XDS-SD has no pictures");
    assert_eq!(read.id.as_ref(), Some(&file.id));
    assert_eq!(read.title.as_deref(), Some(file.title));
    assert_eq!(read.effective_time, Some(file.effective_time));
    assert_eq!(read.confidentiality, Confidentiality::Restricted);
    assert_eq!(read.language.as_deref(), Some("en-US"));
    assert_eq!(read.patient.as_ref(), Some(&patient));
    assert_eq!(read.encounter.as_ref(), Some(&visit));
    assert_eq!(read.custodian.as_ref(), Some(&practice));
    let author = read.authors().next().unwrap();
    assert_eq!(author.display(), "Carepost, Larkfield Family Medicine");
    assert_eq!(author.time, Some(file.wrapped_at));
    assert_eq!(
        read.body,
        Body::Unstructured(Unstructured::Embedded { media_type: "application/pdf".into(), content })
    );
}

#[test]
fn unknown_patient_details_are_written_as_unknown() {
    let (patient, practice) = (Patient::default(), Organization::default());
    let bytes = wrap(&wrapped(&patient, &practice, b"%PDF-1.7"));
    let text = String::from_utf8(bytes.clone()).unwrap();
    for element in ["id", "addr", "telecom", "name", "administrativeGenderCode", "birthTime"] {
        assert!(text.contains(&format!("<{element} nullFlavor=\"UNK\"/>")), "{element}");
    }
    assert_eq!(parse(&bytes).unwrap().patient, Some(patient));
}

#[test]
fn characters_that_xml_does_not_allow_are_left_out() {
    let mut patient = patient();
    patient.name.last = some("Pru\u{0}it\u{b}t\u{ffff}");
    let practice = practice();
    let file = Wrapped { title: "Lab\u{1}report", ..wrapped(&patient, &practice, b"x") };
    let read = parse(&wrap(&file)).unwrap();
    assert_eq!(read.title.as_deref(), Some("Labreport"));
    assert_eq!(read.patient.unwrap().name.last.as_deref(), Some("Pruitt"));
}
