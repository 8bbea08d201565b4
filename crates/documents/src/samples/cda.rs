//! C-CDA R2.1 documents (US Realm Header 2.16.840.1.113883.10.20.22.1.1).

use std::fmt::{self, Write};

use chrono::NaiveDate;
use clinical::cda::Gender;

use super::cases::{Case, Medication, Panel, Problem, Test, case};
use super::people::{SamplePatient, SamplePractice};

const LOINC: &str = "2.16.840.1.113883.6.1";
const SNOMED: &str = "2.16.840.1.113883.6.96";
const RXNORM: &str = "2.16.840.1.113883.6.88";
const RELEASE: &str = "2015-08-01";

/// Continuity of Care Document (template 2.16.840.1.113883.10.20.22.1.2).
pub fn ccd_xml(patient: &SamplePatient, practice: &SamplePractice, day: NaiveDate) -> String {
    let head = Head {
        template: "2.16.840.1.113883.10.20.22.1.2",
        code: "34133-9",
        name: "Summarization of Episode Note",
        title: "Continuity of Care Document",
        recipient: None,
    };
    document(&Writer { patient, practice, day, case: case(patient) }, &head, |writer, out| {
        writer.allergies(out)?;
        writer.medications(out)?;
        writer.problems(out)?;
        writer.results(out)?;
        writer.vital_signs(out)?;
        writer.social_history(out)?;
        writer.plan(out)
    })
}

/// Referral Note (template 2.16.840.1.113883.10.20.22.1.14).
pub fn referral_note_xml(
    patient: &SamplePatient,
    from: &SamplePractice,
    to: &SamplePractice,
    day: NaiveDate,
) -> String {
    let head = Head {
        template: "2.16.840.1.113883.10.20.22.1.14",
        code: "57133-1",
        name: "Referral note",
        title: "Referral Note",
        recipient: Some(to),
    };
    document(&Writer { patient, practice: from, day, case: case(patient) }, &head, |writer, out| {
        writer.reason_for_referral(out, to)?;
        writer.history(out)?;
        writer.allergies(out)?;
        writer.medications(out)?;
        writer.problems(out)?;
        writer.results(out)?;
        writer.vital_signs(out)?;
        writer.plan(out)
    })
}

struct Head<'a> {
    template: &'static str,
    code: &'static str,
    name: &'static str,
    title: &'static str,
    recipient: Option<&'a SamplePractice>,
}

struct Writer<'a> {
    patient: &'a SamplePatient,
    practice: &'a SamplePractice,
    day: NaiveDate,
    case: &'static Case,
}

/// Text escaped for XML content and attributes.
struct X<'a>(&'a str);

impl fmt::Display for X<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

fn document(
    writer: &Writer<'_>,
    head: &Head<'_>,
    body: impl FnOnce(&Writer<'_>, &mut String) -> fmt::Result,
) -> String {
    let mut out = String::new();
    let written = (|| {
        writer.header(&mut out, head)?;
        out.push_str("<component><structuredBody>\n");
        body(writer, &mut out)
    })();
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    out.push_str("</structuredBody></component>\n</ClinicalDocument>\n");
    out
}

fn hl7_day(day: NaiveDate) -> String {
    day.format("%Y%m%d").to_string()
}

fn us_day(hl7: &str) -> String {
    format!("{}/{}/{}", &hl7[4..6], &hl7[6..8], &hl7[..4])
}

fn telephone(printed: &str) -> String {
    let digits: String = printed.chars().filter(char::is_ascii_digit).collect();
    format!("tel:+1{digits}")
}

fn template(root: &str) -> String {
    format!(r#"<templateId root="{root}"/><templateId root="{root}" extension="{RELEASE}"/>"#)
}

/// A stable UUID for the identified things (FNV-1a twice, marked as version 8 of RFC 9562).
fn uuid(parts: &[&str]) -> String {
    let hash = |seed: u64| {
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        bytes.fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let (high, low) = (hash(0xcbf2_9ce4_8422_2325), hash(0x9e37_79b9_7f4a_7c15));
    format!(
        "{:08x}-{:04x}-8{:03x}-a{:03x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    )
}

impl Writer<'_> {
    fn id(&self, what: &str) -> String {
        let day = hl7_day(self.day);
        format!(r#"<id root="{}"/>"#, uuid(&[&self.practice.oid, &self.patient.mrn, &day, what]))
    }

    fn header(&self, out: &mut String, head: &Head<'_>) -> fmt::Result {
        let Head { template: kind, code, name, title, .. } = head;
        let time = format!("{}163600-0500", hl7_day(self.day));
        writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(
            out,
            r#"<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:sdtc="urn:hl7-org:sdtc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">"#
        )?;
        writeln!(
            out,
            r#"<realmCode code="US"/><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>"#
        )?;
        writeln!(out, "{}{}", template("2.16.840.1.113883.10.20.22.1.1"), template(kind))?;
        writeln!(out, "{}", self.id(kind))?;
        writeln!(
            out,
            r#"<code code="{code}" codeSystem="{LOINC}" codeSystemName="LOINC" displayName="{name}"/>"#
        )?;
        writeln!(out, r#"<title>{title}</title><effectiveTime value="{time}"/>"#)?;
        writeln!(
            out,
            r#"<confidentialityCode code="N" codeSystem="2.16.840.1.113883.5.25" displayName="normal"/>"#
        )?;
        writeln!(out, r#"<languageCode code="en-US"/>"#)?;
        self.record_target(out)?;
        self.author(out, &time)?;
        self.custodian(out)?;
        if let Some(recipient) = head.recipient {
            self.recipient(out, recipient)?;
        }
        self.encounter(out)
    }

    fn record_target(&self, out: &mut String) -> fmt::Result {
        let SamplePatient { first, middle, last, gender, mrn, .. } = self.patient;
        let word = if *gender == Gender::Undifferentiated { "Undifferentiated" } else { gender.label() };
        let middle = if middle.is_empty() { String::new() } else { format!("<given>{}</given>", X(middle)) };
        writeln!(
            out,
            r#"<recordTarget><patientRole><id root="{}" extension="{}" assigningAuthorityName="{}"/>"#,
            self.practice.oid,
            X(mrn),
            X(&self.practice.name)
        )?;
        let patient = self.patient;
        write_address(out, "HP", [&patient.street, &patient.city, &patient.state, &patient.postal_code])?;
        writeln!(out, r#"<telecom use="HP" value="{}"/>"#, telephone(&patient.phone))?;
        writeln!(
            out,
            r#"<patient><name use="L"><given>{}</given>{middle}<family>{}</family></name>"#,
            X(first),
            X(last)
        )?;
        writeln!(
            out,
            r#"<administrativeGenderCode code="{}" codeSystem="2.16.840.1.113883.5.1" displayName="{word}"/>"#,
            gender.code()
        )?;
        writeln!(out, r#"<birthTime value="{}"/>"#, hl7_day(patient.birth_date))?;
        writeln!(out, r#"<raceCode nullFlavor="UNK"/><ethnicGroupCode nullFlavor="UNK"/>"#)?;
        writeln!(out, "</patient></patientRole></recordTarget>")
    }

    fn assigned(&self, out: &mut String, element: &str) -> fmt::Result {
        let practice = self.practice;
        let (first, last) = practice.clinician.rsplit_once(' ').unwrap_or(("", &practice.clinician));
        writeln!(out, r#"<{element}><id root="2.16.840.1.113883.4.6" extension="{}"/>"#, practice.npi)?;
        write_address(out, "WP", [&practice.street, &practice.city, &practice.state, &practice.postal_code])?;
        writeln!(out, r#"<telecom use="WP" value="{}"/>"#, telephone(&practice.phone))?;
        writeln!(
            out,
            "<assignedPerson><name><given>{}</given><family>{}</family><suffix>{}</suffix></name></assignedPerson>",
            X(first),
            X(last),
            X(&practice.credentials)
        )
    }

    fn author(&self, out: &mut String, time: &str) -> fmt::Result {
        writeln!(out, r#"<author><time value="{time}"/>"#)?;
        self.assigned(out, "assignedAuthor")?;
        out.push_str("<representedOrganization>");
        self.organization(out, self.practice)?;
        writeln!(out, "</representedOrganization></assignedAuthor></author>")
    }

    fn organization(&self, out: &mut String, practice: &SamplePractice) -> fmt::Result {
        writeln!(out, r#"<id root="{}"/><name>{}</name>"#, practice.oid, X(&practice.name))?;
        writeln!(out, r#"<telecom use="WP" value="{}"/>"#, telephone(&practice.phone))?;
        write_address(out, "WP", [&practice.street, &practice.city, &practice.state, &practice.postal_code])
    }

    fn custodian(&self, out: &mut String) -> fmt::Result {
        out.push_str("<custodian><assignedCustodian><representedCustodianOrganization>");
        self.organization(out, self.practice)?;
        writeln!(out, "</representedCustodianOrganization></assignedCustodian></custodian>")
    }

    fn recipient(&self, out: &mut String, practice: &SamplePractice) -> fmt::Result {
        let (first, last) = practice.clinician.rsplit_once(' ').unwrap_or(("", &practice.clinician));
        writeln!(
            out,
            "<informationRecipient><intendedRecipient><informationRecipient><name><given>{}</given><family>{}</family>\
             </name></informationRecipient><receivedOrganization><name>{}</name></receivedOrganization>\
             </intendedRecipient></informationRecipient>",
            X(first),
            X(last),
            X(&practice.name)
        )
    }

    fn encounter(&self, out: &mut String) -> fmt::Result {
        let day = hl7_day(self.day);
        writeln!(
            out,
            r#"<documentationOf><serviceEvent classCode="PCPR"><effectiveTime><low value="{day}"/><high value="{day}"/></effectiveTime></serviceEvent></documentationOf>"#
        )?;
        writeln!(out, "<componentOf><encompassingEncounter>{}", self.id("encounter"))?;
        writeln!(
            out,
            r#"<code code="99214" codeSystem="2.16.840.1.113883.6.12" displayName="Office visit, established patient"/>"#
        )?;
        writeln!(
            out,
            r#"<effectiveTime><low value="{day}1530-0500"/><high value="{day}1600-0500"/></effectiveTime>"#
        )?;
        out.push_str("<responsibleParty>");
        self.assigned(out, "assignedEntity")?;
        writeln!(out, "</assignedEntity></responsibleParty>")?;
        writeln!(
            out,
            "<location><healthCareFacility>{}<location><name>{}</name></location></healthCareFacility></location>",
            self.id("facility"),
            X(&self.practice.name)
        )?;
        writeln!(out, "</encompassingEncounter></componentOf>")
    }

    fn allergies(&self, out: &mut String) -> fmt::Result {
        let allergy = &self.case.allergy;
        section(
            out,
            "2.16.840.1.113883.10.20.22.2.6.1",
            "48765-2",
            "Allergies and adverse reactions",
            "Allergies",
        )?;
        table(
            out,
            &["Substance", "Reaction", "Severity", "Status"],
            [vec![
                content("allergy1", allergy.substance),
                content("reaction1", allergy.reaction),
                X(allergy.severity).to_string(),
                "Active".to_owned(),
            ]],
        )?;
        writeln!(
            out,
            r##"<entry typeCode="DRIV"><act classCode="ACT" moodCode="EVN">{}{}<code code="CONC" codeSystem="2.16.840.1.113883.5.6"/><statusCode code="active"/><effectiveTime><low value="20100101"/></effectiveTime><entryRelationship typeCode="SUBJ"><observation classCode="OBS" moodCode="EVN">{}{}<code code="ASSERTION" codeSystem="2.16.840.1.113883.5.4"/><statusCode code="completed"/><effectiveTime><low value="20100101"/></effectiveTime><value xsi:type="CD" code="416098002" codeSystem="{SNOMED}" displayName="Allergy to drug"/><participant typeCode="CSM"><participantRole classCode="MANU"><playingEntity classCode="MMAT"><code code="{}" codeSystem="{RXNORM}" displayName="{}"><originalText><reference value="#allergy1"/></originalText></code></playingEntity></participantRole></participant><entryRelationship typeCode="MFST" inversionInd="true"><observation classCode="OBS" moodCode="EVN">{}{}<code code="ASSERTION" codeSystem="2.16.840.1.113883.5.4"/><text><reference value="#reaction1"/></text><statusCode code="completed"/><value xsi:type="CD" code="{}" codeSystem="{SNOMED}" displayName="{}"/></observation></entryRelationship></observation></entryRelationship></act></entry>"##,
            template("2.16.840.1.113883.10.20.22.4.30"),
            self.id("allergy concern"),
            template("2.16.840.1.113883.10.20.22.4.7").replace(RELEASE, "2014-06-09"),
            self.id("allergy"),
            allergy.rxnorm,
            X(allergy.substance),
            template("2.16.840.1.113883.10.20.22.4.9").replace(RELEASE, "2014-06-09"),
            self.id("reaction"),
            allergy.reaction_snomed,
            X(allergy.reaction),
        )?;
        end_section(out)
    }

    fn medications(&self, out: &mut String) -> fmt::Result {
        section(
            out,
            "2.16.840.1.113883.10.20.22.2.1.1",
            "10160-0",
            "History of medication use",
            "Medications",
        )?;
        let rows = self.case.medications.iter().enumerate().map(|(index, drug)| {
            let id = format!("med{}", index + 1);
            vec![
                content(&id, drug.name),
                X(drug.directions).to_string(),
                us_day(drug.since),
                "Active".to_owned(),
            ]
        });
        table(out, &["Medication", "Directions", "Start", "Status"], rows)?;
        for (index, drug) in self.case.medications.iter().enumerate() {
            self.medication(out, index + 1, drug)?;
        }
        end_section(out)
    }

    fn medication(&self, out: &mut String, number: usize, drug: &Medication) -> fmt::Result {
        writeln!(
            out,
            r##"<entry typeCode="DRIV"><substanceAdministration classCode="SBADM" moodCode="EVN">{}{}<text><reference value="#med{number}"/></text><statusCode code="active"/><effectiveTime xsi:type="IVL_TS"><low value="{}"/><high nullFlavor="UNK"/></effectiveTime><consumable><manufacturedProduct classCode="MANU">{}<manufacturedMaterial><code code="{}" codeSystem="{RXNORM}" displayName="{}"/></manufacturedMaterial></manufacturedProduct></consumable></substanceAdministration></entry>"##,
            template("2.16.840.1.113883.10.20.22.4.16").replace(RELEASE, "2014-06-09"),
            self.id(drug.rxnorm),
            drug.since,
            template("2.16.840.1.113883.10.20.22.4.23").replace(RELEASE, "2014-06-09"),
            drug.rxnorm,
            X(drug.name),
        )
    }

    fn problems(&self, out: &mut String) -> fmt::Result {
        section(out, "2.16.840.1.113883.10.20.22.2.5.1", "11450-4", "Problem list", "Problems")?;
        let rows = self.case.problems.iter().enumerate().map(|(index, problem)| {
            let id = format!("problem{}", index + 1);
            vec![
                content(&id, problem.name),
                problem.icd10.to_owned(),
                us_day(problem.since),
                "Active".to_owned(),
            ]
        });
        table(out, &["Problem", "ICD-10", "Since", "Status"], rows)?;
        for (index, problem) in self.case.problems.iter().enumerate() {
            self.problem(out, index + 1, problem)?;
        }
        end_section(out)
    }

    fn problem(&self, out: &mut String, number: usize, problem: &Problem) -> fmt::Result {
        writeln!(
            out,
            r##"<entry typeCode="DRIV"><act classCode="ACT" moodCode="EVN">{}{}<code code="CONC" codeSystem="2.16.840.1.113883.5.6"/><statusCode code="active"/><effectiveTime><low value="{since}"/></effectiveTime><entryRelationship typeCode="SUBJ"><observation classCode="OBS" moodCode="EVN">{}{}<code code="55607006" codeSystem="{SNOMED}" displayName="Problem"><translation code="75326-9" codeSystem="{LOINC}" displayName="Problem"/></code><text><reference value="#problem{number}"/></text><statusCode code="completed"/><effectiveTime><low value="{since}"/></effectiveTime><value xsi:type="CD" code="{}" codeSystem="{SNOMED}" displayName="{}"><translation code="{}" codeSystem="2.16.840.1.113883.6.90" codeSystemName="ICD-10-CM"/></value></observation></entryRelationship></act></entry>"##,
            template("2.16.840.1.113883.10.20.22.4.3"),
            self.id(&format!("concern {}", problem.snomed)),
            template("2.16.840.1.113883.10.20.22.4.4"),
            self.id(problem.snomed),
            problem.snomed,
            X(problem.name),
            problem.icd10,
            since = problem.since,
        )
    }

    fn results(&self, out: &mut String) -> fmt::Result {
        section(
            out,
            "2.16.840.1.113883.10.20.22.2.3.1",
            "30954-2",
            "Relevant diagnostic tests and laboratory data",
            "Results",
        )?;
        out.push_str("<text>");
        for panel in self.case.panels {
            writeln!(out, "<paragraph><content styleCode=\"Bold\">{}</content></paragraph>", X(panel.name))?;
            let rows = panel.tests.iter().map(|test| {
                let id = format!("r{}", test.loinc);
                let bold = if test.flag.is_empty() { "" } else { " styleCode=\"Bold\"" };
                vec![
                    content(&id, test.name),
                    format!("<content{bold}>{}</content>", X(test.value)),
                    test.unit.to_owned(),
                    X(test.reference).to_string(),
                    flag_word(test.flag).to_owned(),
                ]
            });
            rows_table(out, &["Test", "Value", "Unit", "Reference", "Flag"], rows)?;
        }
        out.push_str("</text>\n");
        for panel in self.case.panels {
            self.panel(out, panel)?;
        }
        end_section(out)
    }

    fn panel(&self, out: &mut String, panel: &Panel) -> fmt::Result {
        let day = hl7_day(self.day);
        writeln!(
            out,
            r#"<entry typeCode="DRIV"><organizer classCode="BATTERY" moodCode="EVN">{}{}<code code="{}" codeSystem="{LOINC}" displayName="{}"/><statusCode code="completed"/><effectiveTime><low value="{day}0742-0500"/><high value="{day}0742-0500"/></effectiveTime>"#,
            template("2.16.840.1.113883.10.20.22.4.1"),
            self.id(&format!("panel {}", panel.loinc)),
            panel.loinc,
            X(panel.name),
        )?;
        for test in panel.tests {
            self.result(out, test, &day)?;
        }
        writeln!(out, "</organizer></entry>")
    }

    fn result(&self, out: &mut String, test: &Test, day: &str) -> fmt::Result {
        let value = match test.value.parse::<f64>() {
            Ok(_) => format!(r#"<value xsi:type="PQ" value="{}" unit="{}"/>"#, test.value, X(test.unit)),
            Err(_) => format!(r#"<value xsi:type="ST">{}</value>"#, X(test.value)),
        };
        let interpretation = if test.flag.is_empty() { "N" } else { test.flag };
        writeln!(
            out,
            r##"<component><observation classCode="OBS" moodCode="EVN">{}{}<code code="{loinc}" codeSystem="{LOINC}" displayName="{}"/><text><reference value="#r{loinc}"/></text><statusCode code="completed"/><effectiveTime value="{day}0742-0500"/>{value}<interpretationCode code="{interpretation}" codeSystem="2.16.840.1.113883.5.83"/><referenceRange><observationRange><text>{}</text></observationRange></referenceRange></observation></component>"##,
            template("2.16.840.1.113883.10.20.22.4.2"),
            self.id(test.loinc),
            X(test.name),
            X(test.reference),
            loinc = test.loinc,
        )
    }

    fn vital_signs(&self, out: &mut String) -> fmt::Result {
        let vitals = &self.case.vitals;
        let facts = [
            ("Systolic blood pressure", "8480-6", vitals.systolic.to_string(), "mm[Hg]"),
            ("Diastolic blood pressure", "8462-4", vitals.diastolic.to_string(), "mm[Hg]"),
            ("Heart rate", "8867-4", vitals.pulse.to_string(), "/min"),
            ("Body temperature", "8310-5", vitals.temperature_f.to_owned(), "[degF]"),
            ("Oxygen saturation", "2708-6", vitals.oxygen.to_string(), "%"),
            ("Body weight", "29463-7", vitals.weight_lb.to_string(), "[lb_av]"),
            ("Body height", "8302-2", vitals.height_in.to_string(), "[in_i]"),
        ];
        let day = hl7_day(self.day);
        section(out, "2.16.840.1.113883.10.20.22.2.4.1", "8716-3", "Vital signs", "Vital signs")?;
        let rows = facts.iter().map(|(name, _, value, unit)| {
            vec![(*name).to_owned(), value.clone(), (*unit).to_owned(), us_day(&day)]
        });
        table(out, &["Vital sign", "Value", "Unit", "Date"], rows)?;
        writeln!(
            out,
            r#"<entry typeCode="DRIV"><organizer classCode="CLUSTER" moodCode="EVN">{}{}<code code="46680005" codeSystem="{SNOMED}" displayName="Vital signs"/><statusCode code="completed"/><effectiveTime value="{day}1532-0500"/>"#,
            template("2.16.840.1.113883.10.20.22.4.26"),
            self.id("vital signs"),
        )?;
        for (name, loinc, value, unit) in facts {
            writeln!(
                out,
                r#"<component><observation classCode="OBS" moodCode="EVN">{}{}<code code="{loinc}" codeSystem="{LOINC}" displayName="{name}"/><statusCode code="completed"/><effectiveTime value="{day}1532-0500"/><value xsi:type="PQ" value="{value}" unit="{unit}"/></observation></component>"#,
                template("2.16.840.1.113883.10.20.22.4.27").replace(RELEASE, "2014-06-09"),
                self.id(loinc),
            )?;
        }
        writeln!(out, "</organizer></entry>")?;
        end_section(out)
    }

    fn social_history(&self, out: &mut String) -> fmt::Result {
        section(out, "2.16.840.1.113883.10.20.22.2.17", "29762-2", "Social history", "Social history")?;
        writeln!(out, "<text><paragraph>{}</paragraph></text>", X(self.case.social))?;
        end_section(out)
    }

    fn plan(&self, out: &mut String) -> fmt::Result {
        section(out, "2.16.840.1.113883.10.20.22.2.10", "18776-5", "Plan of care note", "Plan of treatment")?;
        out.push_str("<text><list listType=\"ordered\">");
        for item in self.case.plan {
            write!(out, "<item>{}</item>", X(item))?;
        }
        writeln!(out, "</list></text>")?;
        end_section(out)
    }

    fn reason_for_referral(&self, out: &mut String, to: &SamplePractice) -> fmt::Result {
        section(
            out,
            "1.3.6.1.4.1.19376.1.5.3.1.3.1",
            "42349-1",
            "Reason for referral",
            "Reason for referral",
        )?;
        writeln!(
            out,
            "<text><paragraph>{} is referred to {} for {}.</paragraph><paragraph>{}</paragraph></text>",
            X(&self.patient.formal()),
            X(&to.name),
            X(self.case.referral),
            X(self.case.reason)
        )?;
        end_section(out)
    }

    fn history(&self, out: &mut String) -> fmt::Result {
        section(
            out,
            "1.3.6.1.4.1.19376.1.5.3.1.3.4",
            "10164-2",
            "History of present illness",
            "History of present illness",
        )?;
        writeln!(
            out,
            "<text><paragraph>{} is a {} {}</paragraph></text>",
            X(&self.patient.formal()),
            self.patient.described(self.day),
            X(self.case.history)
        )?;
        end_section(out)
    }
}

fn flag_word(flag: &str) -> &'static str {
    match flag {
        "H" => "High",
        "L" => "Low",
        _ => "",
    }
}

fn write_address(out: &mut String, kind: &str, [street, city, state, postal_code]: [&str; 4]) -> fmt::Result {
    writeln!(
        out,
        r#"<addr use="{kind}"><streetAddressLine>{}</streetAddressLine><city>{}</city><state>{}</state><postalCode>{}</postalCode><country>US</country></addr>"#,
        X(street),
        X(city),
        X(state),
        X(postal_code)
    )
}

/// Opens a section up to its title. The caller adds the text.
fn section(out: &mut String, root: &str, code: &str, name: &str, title: &str) -> fmt::Result {
    writeln!(
        out,
        r#"<component><section>{}<code code="{code}" codeSystem="{LOINC}" codeSystemName="LOINC" displayName="{name}"/><title>{title}</title>"#,
        template(root)
    )
}

fn end_section(out: &mut String) -> fmt::Result {
    writeln!(out, "</section></component>")
}

fn content(id: &str, text: &str) -> String {
    format!(r#"<content ID="{id}">{}</content>"#, X(text))
}

/// A complete `text` element with one table; cells are XML.
fn table(out: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> fmt::Result {
    out.push_str("<text>");
    rows_table(out, head, rows)?;
    writeln!(out, "</text>")
}

fn rows_table(out: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> fmt::Result {
    out.push_str("<table><thead><tr>");
    for name in head {
        write!(out, "<th>{name}</th>")?;
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            write!(out, "<td>{cell}</td>")?;
        }
        out.push_str("</tr>");
    }
    writeln!(out, "</tbody></table>")
}
