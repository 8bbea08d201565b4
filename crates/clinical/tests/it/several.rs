//! Patients of a document, and their numbers.

use clinical::cda::{outline, parse, render};

use crate::document;

fn patient(family: &str, ids: &str) -> String {
    format!(
        "<recordTarget><patientRole>{ids}<patient><name><given>Ada</given><family>{family}</family></name></patient></patientRole></recordTarget>"
    )
}

#[test]
fn a_document_about_two_persons_names_both_and_is_of_none_alone() {
    let header =
        [patient("Roe", "<id root='1.2' extension='7'/>"), patient("Poe", "<id root='1.2' extension='8'/>")]
            .concat();
    let document = parse(crate::document(&header, "").as_bytes()).unwrap();
    let names: Vec<_> = document.patients().map(|patient| patient.name.to_string()).collect();
    assert_eq!(names, ["Ada Roe", "Ada Poe"]);
    assert_eq!(document.only_patient(), None);
    let page = render::html(&document);
    for said in ["Ada Roe", "Ada Poe", "This document names 2 patients."] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let outline = outline::outline(&document);
    assert_eq!((outline.patient, outline.patients.len()), (None, 2));
    assert!(outline.notice.is_some_and(|notice| notice.contains("2 patients")));
}

#[test]
fn a_person_who_is_named_twice_is_one() {
    let once = patient("Roe", "<id root='1.2' extension='7'/>");
    let document = parse(document(&[once.clone(), once].concat(), "").as_bytes()).unwrap();
    assert!(document.only_patient().is_some());
}

#[test]
fn the_record_number_is_that_of_whoever_keeps_the_document_and_no_social_security_number() {
    let ids = "<id root='2.16.840.1.113883.4.1' extension='901-44-1234'/><id root='1.2.9' extension='55'/>\
               <id root='2.16.840.1.113883.4.3.39' extension='OH77'/><id root='2.16.840.1.113883.19.5.1' extension='70412'/>";
    let custodian = "<custodian><assignedCustodian><representedCustodianOrganization><id root='2.16.840.1.113883.4.6' extension='1'/>\
                     <id root='2.16.840.1.113883.19.5'/></representedCustodianOrganization></assignedCustodian></custodian>";
    let document = parse(document(&[&patient("Roe", ids), custodian].concat(), "").as_bytes()).unwrap();
    let numbers = document.patient.as_ref().unwrap().record_numbers();
    let numbers: Vec<_> = numbers.into_iter().filter_map(|id| id.extension.as_deref()).collect();
    assert_eq!(numbers, ["70412", "55"]);
    let page = render::html(&document);
    assert!(page.contains("Patient ID</th><td>70412<br>55</td>"), "{page}");
    assert!(page.contains("Social security number</th>"), "{page}");
}
