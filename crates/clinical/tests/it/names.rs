//! Choice of a patient's name, and its parts.

use clinical::cda::{PersonName, parse};

use crate::document;

fn name(names: &str) -> PersonName {
    let header =
        format!("<recordTarget><patientRole><patient>{names}</patient></patientRole></recordTarget>");
    parse(document(&header, "").as_bytes()).unwrap().patient.unwrap().name
}

/// Prefix, first, middle, last name and suffix, divided by bars.
fn parts(names: &str) -> String {
    let name = name(names);
    let parts = [name.prefix, name.first, name.middle, name.last, name.suffix];
    parts.map(Option::unwrap_or_default).join("|")
}

#[test]
fn qualifiers_never_empty_a_name() {
    for (names, expected) in [
        ("<name><given qualifier='BR'>Ada</given><family qualifier='BR'>Roe</family></name>", "|Ada||Roe|"),
        ("<name><given qualifier='CL'>Ada</given><family>Roe</family></name>", "|Ada||Roe|"),
        (
            "<name><given qualifier='BR'>Ada</given><given>May</given><family>Roe</family></name>",
            "|Ada|May|Roe|",
        ),
        (
            "<name><given qualifier='CL'>Ada</given><given>May</given><family>Roe</family></name>",
            "|Ada|May|Roe|",
        ),
        (
            "<name><given qualifier='BR'>Ada</given><given qualifier='BR'>May</given><family>Roe</family></name>",
            "|Ada|May|Roe|",
        ),
        ("<name><given>Ada</given><family qualifier='BR'>Roe</family></name>", "|Ada||Roe|"),
    ] {
        assert_eq!(parts(names), expected, "{names}");
    }
}

#[test]
fn call_me_and_birth_names_give_way_to_the_names_beside_them() {
    for (names, expected) in [
        (
            "<name><given>Adelaide</given><given qualifier='CL'>Ada</given><given>May</given><family>Roe</family></name>",
            "|Adelaide|May|Roe|",
        ),
        (
            "<name><given>Ada</given><given qualifier='BR'>Adam</given><family>Roe</family></name>",
            "|Ada||Roe|",
        ),
        (
            "<name><given qualifier='BR'>Johanna Maria</given><given qualifier='CL'>Hanneke</given><family>Roe</family></name>",
            "|Johanna Maria||Roe|",
        ),
        (
            "<name><given>Ada</given><family qualifier='BR'>Bligh</family><family qualifier='SP'>Roe</family></name>",
            "|Ada||Roe|",
        ),
        ("<name><given>Ada</given><family>Roe</family><family>Ortiz</family></name>", "|Ada||Roe Ortiz|"),
        (
            "<name><given>Ada</given><prefix qualifier='VV'>van </prefix><family qualifier='BR'>Bligh</family>\
             <prefix qualifier='VV'>de</prefix><family qualifier='SP'>Roe</family></name>",
            "|Ada||de Roe|",
        ),
    ] {
        assert_eq!(parts(names), expected, "{names}");
    }
}

#[test]
fn the_legal_name_is_preferred_and_a_pseudonym_comes_last() {
    let named =
        |uses: &str, last: &str| format!("<name {uses}><given>Ada</given><family>{last}</family></name>");
    for (names, last) in [
        ([named("use='P'", "Pseudonym"), named("use='L'", "Legal")], "Legal"),
        ([named("use='P'", "Pseudonym"), named("", "Plain")], "Plain"),
        ([named("use='C'", "License"), named("use='OR'", "Official")], "Official"),
        ([named("use='SRCH'", "Search"), named("use='C'", "License")], "License"),
        ([named("use='SRCH'", "Search"), named("", "Plain")], "Plain"),
        ([named("use='L IDE'", "Roe"), named("use='L SYL'", "Ro")], "Roe"),
        ([named("use='A'", "Stage"), named("use='P'", "Pseudonym")], "Stage"),
        (["<name use='L'/>".to_owned(), named("use='P'", "Pseudonym")], "Pseudonym"),
        (["<name use='L' nullFlavor='UNK'/>".to_owned(), named("", "Plain")], "Plain"),
        ([named("", "First"), named("", "Second")], "First"),
    ] {
        assert_eq!(name(&names.concat()).last.as_deref(), Some(last), "{names:?}");
    }
}

#[test]
fn a_former_name_gives_way_to_the_present_one() {
    let birth = "<name><given qualifier='BR'>Adele</given><family>Roe</family></name>";
    let ended = "<name><given>Ada</given><family>Bligh</family><validTime><high value='20010510'/></validTime></name>";
    let present = "<name><given>Ada</given><family>Roe</family></name>";
    for former in [birth, ended] {
        assert_eq!(parts(&format!("{former}{present}")), "|Ada||Roe|", "{former}");
    }
    assert_eq!(parts(birth), "|Adele||Roe|");
}

#[test]
fn prefix_and_suffix_stand_apart() {
    let name = "<name><prefix>Dr.</prefix><prefix qualifier='AC'>Prof.</prefix><given>Ada</given><given>May</given><given>Jo</given>\
                <family>Roe</family><suffix>Jr.</suffix><suffix qualifier='AC'>MD</suffix><suffix nullFlavor='NI'/></name>";
    assert_eq!(parts(name), "Dr. Prof.|Ada|May Jo|Roe|Jr. MD");
}

#[test]
fn a_name_in_one_piece_is_taken_apart() {
    for (text, expected) in [
        ("Ada Roe", "|Ada||Roe|"),
        ("Ada May Jo Roe", "|Ada|May Jo|Roe|"),
        ("Dr. Ada B. Roe Jr.", "Dr.|Ada|B.|Roe|Jr."),
        ("Roe, Ada May", "|Ada|May|Roe|"),
        ("Roe Jr., Ada, MD, Ph.D.", "|Ada||Roe|Jr. MD Ph.D."),
        ("Ada Roe, M.D.", "|Ada||Roe|M.D."),
        ("Ada Roe MD FACP", "|Ada||Roe|MD FACP"),
        ("Ludwig van der Roe", "|Ludwig||van der Roe|"),
        ("Ada De La Roe", "|Ada||De La Roe|"),
        ("Thi Van Nguyen", "|Thi|Van|Nguyen|"),
        ("ANH DO", "|ANH||DO|"),
        ("Roe", "|||Roe|"),
        ("MD", "|||MD|"),
        ("Dr. Roe", "Dr.|||Roe|"),
        (", ,", "||||"),
        ("山田太郎", "|||山田太郎|"),
    ] {
        assert_eq!(parts(&format!("<name>{text}</name>")), expected, "{text}");
    }
    assert_eq!(parts("<name><prefix>Dr.</prefix>Ada Roe</name>"), "Dr.|Ada||Roe|");
    assert_eq!(parts("<name><given>Ada</given> Roe</name>"), "|Ada||Roe|");
}
