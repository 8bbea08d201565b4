//! The HL7 examples, if available.

use clinical::cda::{Body, CdaError, outline, parse, render};

#[test]
fn every_example_that_is_a_document_is_read_and_rendered() {
    let Some(root) = std::env::var_os("CAREPOST_TEST_DATA") else {
        return eprintln!("skipped: CAREPOST_TEST_DATA is not set");
    };
    let mut documents = 0;
    for entry in std::fs::read_dir(std::path::Path::new(&root).join("cda")).unwrap() {
        let path = entry.unwrap().path();
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml")) {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let content = std::fs::read(&path).unwrap();
        match parse(&content) {
            Ok(document) => {
                documents += 1;
                let Some(patient) = &document.patient else {
                    assert!(
                        !String::from_utf8_lossy(&content).contains("<recordTarget"),
                        "{name}: no patient"
                    );
                    continue;
                };
                assert!(patient.name.last.is_some() && !patient.ids.is_empty(), "{name}: {patient:?}");
                assert!(patient.birth_date.is_some() && patient.gender.is_some(), "{name}: {patient:?}");
                assert!(render::html(&document).ends_with("</html>\n"));
                if let Body::Structured(sections) = &document.body {
                    assert_eq!(outline::outline(&document).sections.len(), sections.len());
                    assert!(
                        sections.iter().any(|section| section.entries > 0 && !section.narrative.is_empty()),
                        "{name}"
                    );
                }
            }
            Err(CdaError::NotCda { .. }) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert!(documents >= 15, "{documents}");
}
