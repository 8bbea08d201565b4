//! Negations and qualifications are shown wherever the entry is shown.

use clinical::cda::{Body, Entry, narrative, parse};

use crate::entries::{listed, shown};

const PROBLEMS: &str = "11450-4";
const MEDICATIONS: &str = "10160-0";
const ALLERGIES: &str = "48765-2";
const RESULTS: &str = "30954-2";

/// The text of each entry: as generated narrative, and, identically, as listed.
fn subjects(section: &str, entries: &str) -> Vec<String> {
    let rows = listed(section, entries).rows;
    let text = shown(section, entries);
    let set: Vec<_> = text.lines().skip(2).map(|line| line.split('\t').next().unwrap_or_default()).collect();
    let first = |row: &Entry| row.cells[0].clone();
    let found: Vec<_> = rows.iter().map(first).collect();
    assert_eq!(set, found);
    found
}

/// The details of the only entry, in lines.
fn details(section: &str, entry: &str) -> String {
    let list = listed(section, entry);
    let at = list.heads.iter().position(|head| head == "Details").expect("details");
    list.rows[0].cells[at].clone()
}

fn finding(attributes: &str) -> String {
    format!(
        "<observation {attributes}><code code='282291009' displayName='Diagnosis'/><statusCode code='completed'/>\
         <value xsi:type='CD' code='233604007' displayName='Pneumonia'/></observation>"
    )
}

fn drug(attributes: &str, more: &str) -> String {
    format!(
        "<substanceAdministration {attributes}>{more}<consumable><manufacturedProduct><manufacturedMaterial>\
         <code code='11289' displayName='Warfarin'/></manufacturedMaterial></manufacturedProduct></consumable></substanceAdministration>"
    )
}

fn act(code: &str, attributes: &str, relation: &str, inner: &str) -> String {
    format!(
        "<entry><act {attributes}><code code='{code}' displayName='Act'/><entryRelationship typeCode='SUBJ' {relation}>{inner}\
         </entryRelationship></act></entry>"
    )
}

const NOT: &str = "negationInd='true'";

#[test]
fn negation_is_said_wherever_it_stands() {
    let warfarin = drug("moodCode='INT' negationInd='true'", "");
    let cases = [
        ("11535-2", act("11535-2", "", "", &finding(NOT)), "Not present: Pneumonia"),
        ("46241-6", act("46241-6", "", "", &finding(NOT)), "Not present: Pneumonia"),
        (PROBLEMS, act("CONC", "", "", &finding(NOT)), "Not present: Pneumonia"),
        (PROBLEMS, act("CONC", "", NOT, &finding("")), "Not present: Pneumonia"),
        (PROBLEMS, act("CONC", NOT, "", &finding("")), "Not present: Pneumonia"),
        (PROBLEMS, act("CONC", "", NOT, &finding(NOT)), "Not present: Pneumonia"),
        ("10183-2", act("10183-2", "", "", &warfarin), "Not given: Warfarin"),
        ("10183-2", act("10183-2", "", NOT, &drug("", "")), "Not given: Warfarin"),
        ("18776-5", act("1", NOT, "", ""), "Not done: Act"),
        (PROBLEMS, format!("<entry>{}</entry>", finding("negationInd='false'")), "Pneumonia"),
    ];
    for (section, entry, said) in cases {
        assert_eq!(subjects(section, &entry), [said], "{entry}");
    }
}

#[test]
fn negation_of_what_stands_inside_an_entry_is_said_among_its_details() {
    let diagnosis = act("29308-4", "", "", &finding(NOT));
    let visit = format!(
        "<entry><encounter><code displayName='Office visit'/><entryRelationship typeCode='SUBJ'>{}</entryRelationship></encounter></entry>",
        diagnosis.replace("<entry>", "").replace("</entry>", "")
    );
    assert_eq!(details("46240-8", &visit), "Not present: Pneumonia");
    let allergy = "<entry><observation><code code='ASSERTION'/><value xsi:type='CD' displayName='Allergy'/>\
        <participant typeCode='CSM'><participantRole><playingEntity><name>Latex</name></playingEntity></participantRole></participant>\
        <entryRelationship typeCode='MFST' negationInd='true'><observation><code code='ASSERTION'/>\
        <value xsi:type='CD' displayName='Hives'/></observation></entryRelationship></observation></entry>";
    assert_eq!(listed(ALLERGIES, allergy).rows[0].cells[1], "Not present: Hives");
}

#[test]
fn the_order_and_the_instruction_of_a_drug_that_is_taken_do_not_say_that_it_is_not() {
    let inside = "<entryRelationship typeCode='REFR'><supply moodCode='INT'><product><manufacturedProduct><manufacturedMaterial>\
        <code displayName='Warfarin 5 mg'/></manufacturedMaterial></manufacturedProduct></product></supply></entryRelationship>\
        <entryRelationship typeCode='SUBJ' inversionInd='true'><act moodCode='INT'><templateId root='2.16.840.1.113883.10.20.22.4.20'/>\
        <code displayName='Education'/></act></entryRelationship>";
    let taken = format!("<entry>{}</entry>", drug("moodCode='EVN'", ""))
        .replace("<consumable>", &format!("{inside}<consumable>"));
    assert_eq!(details(MEDICATIONS, &taken), "Warfarin 5 mg\nEducation");
}

fn allergy(value: &str, substance: &str) -> String {
    let substance = match substance {
        "" => String::new(),
        code => format!(
            "<participant typeCode='CSM'><participantRole><playingEntity>{code}</playingEntity></participantRole></participant>"
        ),
    };
    let observation = format!(
        "<observation><code code='ASSERTION'/><value xsi:type='CD' {value}/>{substance}</observation>"
    );
    act("CONC", "", NOT, &observation)
}

#[test]
fn that_nothing_of_a_kind_is_known_is_said_in_words() {
    let any = "code='419199007' displayName='Allergy to substance'";
    let cases = [
        (ALLERGIES, allergy(any, ""), "No known allergies"),
        (ALLERGIES, allergy(any, "<code nullFlavor='NA'/>"), "No known allergies"),
        (ALLERGIES, allergy(any, "<code code='105590001' displayName='Substance'/>"), "No known allergies"),
        (ALLERGIES, allergy(any, "<code code='7980' displayName='Penicillin'/>"), "Not present: Penicillin"),
        (ALLERGIES, allergy(any, "<code nullFlavor='OTH'><originalText>Penicillin</originalText></code>"), "Not present: Penicillin"),
        (ALLERGIES, allergy(any, "<name>Penicillin</name>"), "Not present: Penicillin"),
        (ALLERGIES, allergy("code='419511003' displayName='Propensity to drug'", ""), "No known allergies to drugs"),
        (
            ALLERGIES,
            allergy("code='716186003' displayName='No known allergy'", ""),
            "Unclear, said with a double negative: No known allergy",
        ),
        (
            MEDICATIONS,
            format!(
                "<entry>{}</entry>",
                drug(NOT, "").replace("code='11289' displayName='Warfarin'/>", "nullFlavor='OTH'><translation code='410942007' displayName='Drug or medication'/></code>")
            ),
            "No known medications",
        ),
        ("47519-4", "<entry><procedure negationInd='true'><code code='71388002' displayName='Procedure'/></procedure></entry>".into(), "No known procedures"),
    ];
    for (section, entry, said) in cases {
        assert_eq!(subjects(section, &entry), [said], "{entry}");
    }
}

#[test]
fn what_is_ordered_ended_withdrawn_unknown_or_uncertain_is_no_fact() {
    let status = |code: &str| finding("").replace("completed", code);
    let procedure =
        |mood: &str| format!("<procedure moodCode='{mood}'><code displayName='Biopsy'/></procedure>");
    let context = "<value xsi:type='CD' code='233604007' displayName='Pneumonia'><qualifier><name code='408729009'/><value code='410516002'/></qualifier></value>";
    let cases = [
        ("47519-4", procedure("RQO"), "Ordered, not done: Biopsy"),
        ("47519-4", procedure("INT"), "Planned, not done: Biopsy"),
        ("47519-4", procedure("PRP"), "Proposed, not done: Biopsy"),
        ("47519-4", procedure("PRMS"), "Promised, not done: Biopsy"),
        ("47519-4", procedure("EVN"), "Biopsy"),
        (MEDICATIONS, drug("moodCode='INT'", ""), "Warfarin"),
        (MEDICATIONS, drug("moodCode='RQO'", ""), "Ordered: Warfarin"),
        ("11369-6", drug("moodCode='INT'", ""), "Planned, not given: Warfarin"),
        (MEDICATIONS, drug("moodCode='EVN'", "<statusCode code='aborted'/>"), "Stopped: Warfarin"),
        (PROBLEMS, status("cancelled"), "Cancelled: Pneumonia"),
        (PROBLEMS, status("held"), "On hold: Pneumonia"),
        (PROBLEMS, status("suspended"), "Suspended: Pneumonia"),
        (PROBLEMS, status("nullified"), "Withdrawn: Pneumonia"),
        (PROBLEMS, finding("nullFlavor='NI'"), "No information: Pneumonia"),
        (
            PROBLEMS,
            finding("").replace("<statusCode", "<uncertaintyCode code='U'/><statusCode"),
            "Uncertain: Pneumonia",
        ),
        (
            PROBLEMS,
            finding("").replace("<value xsi:type='CD' code='233604007' displayName='Pneumonia'/>", context),
            "Not present: Pneumonia",
        ),
    ];
    for (section, statement, said) in cases {
        assert_eq!(subjects(section, &format!("<entry>{statement}</entry>")), [said], "{statement}");
    }
    let withdrawn = act("CONC", "", "", &finding(""))
        .replace("<entryRelationship", "<statusCode code='nullified'/><entryRelationship");
    assert_eq!(subjects(PROBLEMS, &withdrawn), ["Withdrawn: Pneumonia"], "and all inside of it");
    let stopped = withdrawn.replace("nullified", "aborted");
    assert_eq!(subjects(PROBLEMS, &stopped), ["Pneumonia"]);
    assert!(details(PROBLEMS, &stopped).contains("Part of what was: Stopped"));
}

#[test]
fn a_vaccine_that_was_refused_was_not_given_and_says_why() {
    let reason = "<entryRelationship typeCode='RSON'><observation><templateId root='2.16.840.1.113883.10.20.22.4.53'/>\
        <code code='PATOBJ'/></observation></entryRelationship>";
    let vaccine = format!("<entry>{}</entry>", drug("moodCode='EVN'", ""))
        .replace("<consumable>", &format!("{reason}<consumable>"));
    assert_eq!(subjects("11369-6", &vaccine), ["Not given: Warfarin"]);
    assert_eq!(details("11369-6", &vaccine), "Reason: Patient objection");
}

#[test]
fn only_facts_are_drawn_over_time() {
    let result = |attributes: &str, status: &str| {
        format!(
            "<entry><observation {attributes}><code code='2345-7' displayName='Glucose'/><statusCode code='{status}'/>\
             <effectiveTime value='20261117'/><value xsi:type='PQ' value='104' unit='mg/dL'/><interpretationCode code='H'/></observation></entry>"
        )
    };
    for (attributes, status, said) in [
        (NOT, "completed", "Not present: Glucose"),
        ("", "nullified", "Withdrawn: Glucose"),
        ("", "cancelled", "Cancelled: Glucose"),
        ("moodCode='GOL'", "active", "Goal: Glucose"),
        ("moodCode='RQO'", "active", "Ordered, not done: Glucose"),
    ] {
        let list = listed(RESULTS, &result(attributes, status));
        assert_eq!(list.rows[0].cells[0], said);
        assert_eq!((&list.rows[0].measure, &list.rows[0].flag), (&None, &None), "{said}");
    }
    assert!(listed(RESULTS, &result("moodCode='EVN'", "completed")).rows[0].measure.is_some());
    let none = result("", "completed").replace("value='104' unit='mg/dL'", "nullFlavor='ASKU'");
    assert_eq!(listed(RESULTS, &none).rows[0].cells[1], "Asked, but not known (H)");
}

#[test]
fn a_section_without_information_says_so() {
    let section = "<component><section nullFlavor='NASK'><code code='48765-2'/><text/></section></component>";
    let Body::Structured(sections) = parse(crate::document("", section).as_bytes()).unwrap().body else {
        panic!("no sections")
    };
    assert_eq!(narrative::plain_text(&sections[0].narrative), "Not asked");
}

#[test]
fn text_that_was_struck_out_is_marked_for_search_and_extraction() {
    let xml = crate::narrative("Allergic to <content revised='delete'>penicillin</content> latex");
    let Body::Structured(sections) = parse(xml.as_bytes()).unwrap().body else { panic!("no sections") };
    let text = narrative::plain_text(&sections[0].narrative);
    assert_eq!(text, "Allergic to [struck out: penicillin] latex");
}
