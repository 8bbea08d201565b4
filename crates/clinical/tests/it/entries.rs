//! Sections without narrative.

use clinical::cda::{Body, Entries, narrative, parse, parse_with_entries};

use crate::document;

/// Extracted text of a section with this code and these entries, and nothing else.
pub fn shown(code: &str, entries: &str) -> String {
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
            "No known problems",
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
fn a_drug_is_named_by_itself_and_not_by_what_it_is_mixed_with() {
    let with = |kind: &str, name: &str| {
        format!(
            "<participant typeCode='CSM'><participantRole classCode='MANU'>{kind}<playingEntity classCode='MMAT'>\
             <code code='9863' displayName='{name}'/></playingEntity></participantRole></participant>"
        )
    };
    let drug = |material: &str, with: &str| {
        format!(
            "<entry><substanceAdministration moodCode='EVN'><consumable><manufacturedProduct><manufacturedMaterial>{material}\
             </manufacturedMaterial></manufacturedProduct></consumable>{with}</substanceAdministration></entry>"
        )
    };
    let vehicle = with("<code code='412307009' displayName='drug vehicle'/>", "Sodium chloride 0.9 %");
    let named = "<code code='11124' displayName='Vancomycin'/>";
    let other = "<code code='1' nullFlavor='OTH'><translation code='2' displayName='Dextrose premix'/></code><name>Heparin</name>";
    assert_shown(
        "10160-0",
        &[drug(named, &vehicle), drug(other, &with("", "Dextrose 5 %"))].concat(),
        &[
            "Medication\tDetails",
            "Vancomycin\tDrug vehicle: Sodium chloride 0.9 %",
            "Heparin\tWith: Dextrose 5 %",
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
    assert_shown("18776-5", plan, &["Planned\tStatus", "Planned, not done: Physiotherapy\tPlanned (active)"]);
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

/// The entries of a section with this code, listed.
pub fn listed(code: &str, entries: &str) -> Entries {
    let body = format!(
        "<component><section><code code='{code}'/><text>Words of the sender</text>{entries}</section></component>"
    );
    let document = document("", &body);
    let Body::Structured(sections) = parse(document.as_bytes()).unwrap().body else { panic!() };
    assert_eq!(sections[0].list, None, "only who wants them gets them");
    let Body::Structured(sections) = parse_with_entries(document.as_bytes()).unwrap().body else { panic!() };
    assert_eq!(narrative::plain_text(&sections[0].narrative), "Words of the sender");
    sections[0].list.clone().expect("entries")
}

#[test]
fn results_are_listed_with_numbers_ranges_and_times_of_their_panel() {
    let test = |code: &str, rest: &str| {
        format!(
            "<component><observation><code code='{code}' displayName='Test {code}'/>{rest}</observation></component>"
        )
    };
    let range = |inner: &str| {
        format!("<referenceRange><observationRange>{inner}</observationRange></referenceRange>")
    };
    let tests = [
        test(
            "4548-4",
            &format!(
                "<value xsi:type='PQ' value='7.9' unit='%'/><interpretationCode code='H'/>{}",
                range("<value xsi:type='IVL_PQ'><low value='4.0'/><high value='5.6'/></value>")
            ),
        ),
        test(
            "2823-3",
            &format!("<value xsi:type='PQ' value='3.4' unit='mmol/L'/>{}", range("<text>3.5-5.1</text>")),
        ),
        test("5778-6", "<value xsi:type='ST'>Yellow</value>"),
        test("1-1", "<effectiveTime value='20260102'/><value xsi:type='PQ' value='NaN'/>"),
    ];
    let panel = format!(
        "<entry><organizer><code displayName='Panel'/><effectiveTime><low value='20261117'/></effectiveTime>{}</organizer></entry>",
        tests.concat()
    );
    let list = listed("30954-2", &panel);
    assert_eq!(list.heads, ["Test", "Result", "Details", "Date"]);
    let codes: Vec<_> = list.rows.iter().filter_map(|row| row.code.as_deref()).collect();
    assert_eq!(codes, ["4548-4", "2823-3", "5778-6", "1-1"]);
    let first = list.rows[0].measure.as_ref().expect("a number");
    assert_eq!((first.value, first.unit.as_deref()), (7.9, Some("%")));
    assert_eq!((first.low, first.high), (Some(4.0), Some(5.6)));
    assert_eq!(first.time.as_ref().map(|time| time.as_str()), Some("20261117"));
    let flags: Vec<_> = list.rows.iter().map(|row| row.flag.as_deref()).collect();
    assert_eq!(flags, [Some("High"), Some("Low"), None, None]);
    assert_eq!(list.rows[2].measure, None);
    assert_eq!(list.rows[3].measure, None, "what is no number is not drawn");
    assert_eq!(list.rows[0].cells[..2], ["Test 4548-4", "7.9 % (H)"]);
    assert_eq!(list.left_out, 0);
}

#[test]
fn ranges_are_read_as_laboratories_write_them() {
    let range_of = |text: &str| {
        let written = text.replace('<', "&lt;");
        let result = format!(
            "<entry><observation><code code='1-1'/><value xsi:type='PQ' value='5'/>\
             <referenceRange><observationRange><text>{written}</text></observationRange></referenceRange></observation></entry>"
        );
        let measure = listed("30954-2", &result).rows[0].measure.clone().expect("a number");
        (measure.low, measure.high)
    };
    assert_eq!(range_of("4.0-5.6"), (Some(4.0), Some(5.6)));
    assert_eq!(range_of("3.5 to 5.1 mmol/L"), (Some(3.5), Some(5.1)));
    assert_eq!(range_of("70 \u{2013} 99"), (Some(70.0), Some(99.0)));
    assert_eq!(range_of("< 100 mg/dL"), (None, Some(100.0)));
    assert_eq!(range_of(">= 60"), (Some(60.0), None));
    for text in ["", "negative", "5.6", "9-3", "-", "1..2-3", "12/2026"] {
        assert_eq!(range_of(text), (None, None), "{text}");
    }
}

#[test]
fn texts_and_files_in_base64_are_shown_as_what_they_are() {
    let note = |kind: &str, content: &str| {
        format!(
            "<entry><act><code code='1' displayName='Note'/><text mediaType='{kind}' representation='B64'>{content}</text></act></entry>"
        )
    };
    assert_shown(
        "18776-5",
        &[note("text/plain", "QWxsZXJnaWMgdG8gbGF0ZXg="), note("application/pdf", "JVBERi0xLjcK")].concat(),
        &[
            "Planned\tDetails",
            "Note\tAllergic to latex",
            "Note\tA file in this document (application/pdf, 9 bytes).",
        ],
    );
    let section = "<component><section><title>Notes</title>\
        <text mediaType='text/plain' representation='B64'>T25lDQpUd28=</text></section></component>";
    let Body::Structured(sections) = parse(document("", section).as_bytes()).unwrap().body else { panic!() };
    assert_eq!(narrative::plain_text(&sections[0].narrative), "One\nTwo");
}
