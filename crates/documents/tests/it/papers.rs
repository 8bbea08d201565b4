//! The sample documents: readable by other programs, consistent, and the same in every run.

use clinical::cda::{self, Body, Gender};
use documents::samples::{self, SamplePatient};
use documents::worker::Input;
use documents::{Kind, detect};

use crate::support::{converter, day, patient, peer, practice, visit_note};

fn papers(patient: &SamplePatient) -> [(&'static str, Vec<u8>); 4] {
    [
        ("visit note", samples::visit_note_pdf(patient, &practice(0), day())),
        ("laboratory report", samples::lab_report_pdf(patient, &practice(2), &practice(0), day())),
        ("referral", samples::referral_letter_pdf(patient, &practice(0), &practice(1), day())),
        ("consultation", samples::cardiology_consultation_pdf(patient, &practice(1), &practice(0), day())),
    ]
}

#[test]
fn papers_are_sound_pdf_files_with_the_patient_on_them() {
    for patient in samples::patients() {
        for (name, pdf) in papers(&patient) {
            let facts = peer("pdfinfo", &["{}"], &pdf);
            assert!(facts.contains("Page size:") && facts.contains("letter"), "{name}: {facts}");
            let text = peer("pdftotext", &["-layout", "{}", "-"], &pdf).to_uppercase();
            assert!(text.contains(&patient.last.to_uppercase()), "{name} of {}", patient.last);
            assert!(text.contains(&patient.birth_date.format("%m/%d/%Y").to_string()), "{name}");
        }
    }
}

#[test]
fn papers_are_the_same_on_every_run() {
    for ((name, first), (_, second)) in papers(&patient()).into_iter().zip(papers(&patient())) {
        assert!(first == second, "{name}");
    }
    assert_eq!(samples::scanned_tiff(&visit_note()), samples::scanned_tiff(&visit_note()));
}

#[tokio::test]
async fn the_patient_of_every_paper_is_found() {
    let converter = converter();
    for patient in samples::patients() {
        for (name, pdf) in papers(&patient) {
            let found = converter.patient(Input::bytes(Kind::Pdf, pdf)).await.unwrap();
            let read =
                (found.first_name.as_deref(), found.last_name.as_deref(), found.birth_date, found.gender);
            let lower = |text: Option<&str>| text.unwrap_or_default().to_lowercase();
            assert_eq!(lower(read.0), patient.first.to_lowercase(), "{name} of {}", patient.last);
            assert_eq!(lower(read.1), patient.last.to_lowercase(), "{name}");
            assert_eq!(read.2, Some(patient.birth_date), "{name} of {}", patient.last);
            assert_eq!(read.3, Some(patient.gender), "{name} of {}", patient.last);
            assert_eq!(found.page, Some(1));
        }
    }
}

#[test]
fn scans_are_group_4_fax_pages_that_libtiff_reads() {
    let note = visit_note();
    let pages = documents::pdf::page_count(&note).unwrap();
    let tiff = samples::fax_tiff(&note, "11/20/2026 08:12 AM", "TRI-VALLEY CARDIOLOGY +1 555 010 0142");
    assert_eq!(detect(&tiff), Kind::Tiff);
    let facts = peer("tiffinfo", &["-D", "{}"], &tiff);
    let count = |words: &str| facts.matches(words).count() as u32;
    assert_eq!(count("Compression Scheme: CCITT Group 4"), pages, "{facts}");
    assert_eq!(count("Image Width: 1728"), pages, "{facts}");
    assert_eq!(count("Resolution: 204, 196 pixels/inch"), pages, "{facts}");
    assert!(tiff.len() < 200_000 * pages as usize, "{} bytes", tiff.len());
}

#[test]
fn clinical_documents_say_what_they_were_given() {
    for patient in samples::patients() {
        let ccd = samples::ccd_xml(&patient, &practice(0), day());
        let referral = samples::referral_note_xml(&patient, &practice(0), &practice(1), day());
        for (xml, title, least) in [(ccd, "Continuity of Care Document", 7), (referral, "Referral Note", 8)] {
            assert_eq!(detect(xml.as_bytes()), Kind::Cda);
            let document = cda::parse(xml.as_bytes()).unwrap();
            assert_eq!(document.display_title(), title);
            assert_eq!(document.standard(), Some("C-CDA R2.1"));
            assert_eq!(
                document.authors().next().unwrap().display(),
                "Ines Marchetti MD, Larkfield Family Medicine"
            );
            assert_eq!(document.custodian.unwrap().name.as_deref(), Some("Larkfield Family Medicine"));
            let read = document.patient.unwrap();
            assert_eq!(read.name.last.as_deref(), Some(patient.last.as_str()));
            assert_eq!((read.birth_date, read.gender), (Some(patient.birth_date), Some(patient.gender)));
            assert_eq!(read.ids[0].extension.as_deref(), Some(patient.mrn.as_str()));
            let Body::Structured(sections) = document.body else { panic!("no sections") };
            assert_eq!(sections.len(), least);
            for name in ["Allergies", "Medications", "Problems", "Results"] {
                let section = sections.iter().find(|section| section.title == name).unwrap();
                assert!(section.entries > 0 && !section.narrative.is_empty(), "{name}");
            }
        }
    }
}

#[test]
fn sample_people_are_of_all_genders_and_ages() {
    let people = samples::patients();
    for gender in [Gender::Female, Gender::Male, Gender::Undifferentiated] {
        assert!(people.iter().any(|patient| patient.gender == gender));
    }
    let mut numbers: Vec<_> = people.iter().map(|patient| &patient.mrn).collect();
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), people.len());
}
