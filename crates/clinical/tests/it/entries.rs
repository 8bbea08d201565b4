//! Sections without narrative.

use clinical::cda::{Body, narrative, parse};

use crate::document;

/// Extracted text of a section with this code and these entries, and nothing else.
fn shown(code: &str, entries: &str) -> String {
    let body = format!("<component><section><code code='{code}'/><text/>{entries}</section></component>");
    let Body::Structured(sections) = parse(document("", &body).as_bytes()).unwrap().body else { panic!() };
    narrative::plain_text(&sections[0].narrative)
}

fn assert_shown(code: &str, entries: &str, rows: &[&str]) {
    let text = shown(code, entries);
    let (note, table) = text.split_once('\n').unwrap_or_else(|| panic!("{text:?}"));
    assert_eq!(note, "The sender wrote no text for this section. These are its coded entries.");
    assert_eq!(table, rows.join("\n"));
}

#[test]
fn problems_are_listed_by_what_was_found() {
    let problem = "<entry><act classCode='ACT' moodCode='EVN'><code code='CONC'/><statusCode code='active'/>\
        <entryRelationship typeCode='SUBJ'><observation><code code='55607006' displayName='Problem'/><statusCode code='completed'/>\
        <effectiveTime><low value='20190304'/></effectiveTime><value xsi:type='CD' code='195967001' displayName='Asthma'/>\
        <entryRelationship typeCode='REFR'><observation><code code='33999-4'/><value xsi:type='CD' displayName='Resolved'/></observation></entryRelationship>\
        </observation></entryRelationship></act></entry>\
        <entry><observation negationInd='true'><code code='ASSERTION'/><value xsi:type='CD' code='55607006' displayName='Problem'/></observation></entry>";
    assert_shown(
        "11450-4",
        problem,
        &[
            "Problem\tDetails\tStatus\tDate",
            "Asthma\tProblem\tResolved\tsince 03/04/2019",
            "Not present: Problem",
        ],
    );
}

#[test]
fn medications_have_dose_route_and_frequency() {
    let medication = "<entry><substanceAdministration moodCode='EVN'><statusCode code='active'/>\
        <effectiveTime xsi:type='IVL_TS'><low value='20260102'/><high value='20260301'/></effectiveTime>\
        <effectiveTime xsi:type='PIVL_TS' operator='A'><period value='12' unit='h'/></effectiveTime>\
        <routeCode displayName='Oral'/><doseQuantity value='2' unit='mg'/>\
        <consumable><manufacturedProduct><manufacturedMaterial><code code='1'><originalText>Lisinopril</originalText></code>\
        </manufacturedMaterial></manufacturedProduct></consumable>\
        <entryRelationship typeCode='RSON'><observation><code code='ASSERTION'/><value xsi:type='CD' displayName='Hypertension'/></observation></entryRelationship>\
        </substanceAdministration></entry>";
    assert_shown(
        "10160-0",
        medication,
        &[
            "Medication\tDose\tDetails\tStatus\tDate",
            "Lisinopril\t2 mg, Oral, every 12 h\tReason: Hypertension\tActive\t01/02/2026 to 03/01/2026",
        ],
    );
}

#[test]
fn allergies_are_listed_by_substance_with_reaction_and_severity() {
    let allergy = "<entry><act><code code='CONC'/><statusCode code='active'/><entryRelationship typeCode='SUBJ'><observation>\
        <code code='ASSERTION'/><value xsi:type='CD' displayName='Allergy to drug'/>\
        <participant typeCode='CSM'><participantRole><playingEntity><code displayName='Penicillin G'/></playingEntity></participantRole></participant>\
        <entryRelationship typeCode='MFST' inversionInd='true'><observation><code code='ASSERTION'/><value xsi:type='CD' displayName='Hives'/>\
        <entryRelationship typeCode='SUBJ'><observation><code code='SEV'/><value xsi:type='CD' displayName='Moderate'/></observation></entryRelationship>\
        </observation></entryRelationship></observation></entryRelationship></act></entry>";
    assert_shown(
        "48765-2",
        allergy,
        &[
            "Substance\tReaction\tDetails\tStatus",
            "Penicillin G\tHives\tAllergy to drug Severity: Moderate\tActive",
        ],
    );
}

#[test]
fn results_and_vital_signs_have_values_units_and_ranges() {
    let result = "<entry><organizer><code displayName='Blood count'/><statusCode code='completed'/><effectiveTime value='20261117'/>\
        <component><observation><code displayName='Hemoglobin'/><value xsi:type='PQ' value='10.2' unit='g/dL'/><interpretationCode code='L' displayName='Low'/>\
        <referenceRange><observationRange><value xsi:type='IVL_PQ'><low value='12' unit='g/dL'/><high value='15.5' unit='g/dL'/></value></observationRange></referenceRange>\
        </observation></component>\
        <component><observation><code code='26464-8' codeSystemName='LOINC'/><value xsi:type='ST'>not done</value></observation></component></organizer></entry>";
    assert_shown(
        "30954-2",
        result,
        &[
            "Test\tResult\tDetails\tStatus\tDate",
            "Hemoglobin\t10.2 g/dL (Low)\tBlood count Reference range: 12 g/dL to 15.5 g/dL\tCompleted\t11/17/2026",
            "26464-8 (LOINC)\tnot done\tBlood count\tCompleted\t11/17/2026",
        ],
    );
}

#[test]
fn immunizations_procedures_encounters_and_plans_are_listed() {
    let vaccine = "<entry><substanceAdministration moodCode='EVN' negationInd='true'><effectiveTime value='2026'/><consumable><manufacturedProduct>\
        <manufacturedMaterial><code displayName='Influenza vaccine'/><lotNumberText>7</lotNumberText></manufacturedMaterial></manufacturedProduct></consumable>\
        </substanceAdministration></entry>";
    assert_shown(
        "11369-6",
        vaccine,
        &["Vaccine\tDetails\tDate", "Not given: Influenza vaccine\tLot: 7\t2026"],
    );
    let procedure = "<entry><procedure moodCode='EVN'><code nullFlavor='UNK'><translation displayName='Appendectomy'/></code><statusCode code='completed'/>\
        <targetSiteCode displayName='Appendix'/><performer><assignedEntity><assignedPerson><name>Ines Roe</name></assignedPerson></assignedEntity></performer></procedure></entry>";
    assert_shown(
        "47519-4",
        procedure,
        &["Procedure\tDetails\tStatus", "Appendectomy\tAppendix By: Ines Roe\tCompleted"],
    );
    let encounter = "<entry><encounter moodCode='EVN'><code displayName='Office visit'/><effectiveTime value='20261117'/><participant typeCode='LOC'>\
        <participantRole><playingEntity><name>Main Street</name></playingEntity></participantRole></participant></encounter></entry>";
    assert_shown(
        "46240-8",
        encounter,
        &["Encounter\tDetails\tDate", "Office visit\tMain Street\t11/17/2026"],
    );
    let plan = "<entry><act moodCode='INT'><code code='1' displayName='Physiotherapy'/><statusCode code='active'/></act></entry>";
    assert_shown("18776-5", plan, &["Planned\tStatus", "Physiotherapy\tPlanned (active)"]);
}

#[test]
fn narrative_is_never_replaced_and_empty_entries_show_nothing() {
    let body = "<component><section><text>Own words</text><entry><act><code displayName='x'/></act></entry></section></component>";
    let Body::Structured(sections) = parse(document("", body).as_bytes()).unwrap().body else { panic!() };
    assert_eq!(narrative::plain_text(&sections[0].narrative), "Own words");
    assert_eq!(
        shown(
            "18776-5",
            "<entry/><entry><act/></entry><entry><observation><value xsi:type='CD' nullFlavor='UNK'/></observation></entry>"
        ),
        ""
    );
}
