//! The contents of a message: sender and recipient, patient, documents (MDM with content, ORU^R01), and results as
//! readable text.

use super::{
    File,
    ack::Problem,
    encapsulated::Embedded,
    file_name,
    hospital::Event,
    report::{plain, report},
};
use crate::{Confidentiality, Person};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use clinical::hl7::{
    Message, Segment, Time, Value, patient_ids,
    time::{Precision, day},
};

/// Longest MSH-10: 20 characters, and 199 from version 2.7 on.
const CONTROL_ID: usize = 199;

/// An application or facility with each of its names: the whole field, and its name and OID alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    /// Displayed name: the name, or otherwise the OID.
    pub shown: String,
    names: Vec<String>,
}

impl Party {
    fn of(value: Value) -> Self {
        let (name, oid) = (value.component(1).text(), value.component(2).text());
        let shown = if name.is_empty() { oid.clone() } else { name.clone() };
        let mut names: Vec<String> = [value.raw.trim(), &name, &oid].map(str::to_lowercase).into();
        names.retain(|name| !name.is_empty());
        names.dedup();
        Self { shown, names }
    }

    /// In lower case.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether it has this name, ignoring case.
    pub fn is(&self, name: &str) -> bool {
        self.names.contains(&name.trim().to_lowercase())
    }
}

/// Sender, recipient and kind of a message.
#[derive(Clone, Debug)]
pub struct Header {
    pub sending_application: Party,
    pub sending_facility: Party,
    pub receiving_application: Party,
    pub receiving_facility: Party,
    /// `MDM^T02`
    pub kind: String,
    /// What it is about; `None` if such messages are not accepted.
    pub subject: Option<Subject>,
    pub control_id: String,
    /// For training or debugging.
    pub is_test: bool,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Documents and results: [`Content`].
    Documents,
    /// Patients, visits or orders: [`super::hospital::Told`].
    Event(Event),
}

impl Subject {
    /// The subject of a message type and event.
    fn of(code: &str, event: &str) -> Result<Self, Problem> {
        match (code, event) {
            ("MDM", "T02" | "T04" | "T06" | "T08" | "T10") | ("ORU", "R01" | "") => Ok(Self::Documents),
            ("MDM" | "ORU", _) => {
                Err(Problem::rejected(201, "MSH^1^9", "Messages of this event are not accepted here"))
            }
            _ => match Event::of(code, event) {
                Some(event) => event.map(Self::Event),
                None => Err(Problem::rejected(200, "MSH^1^9", "Messages of this type are not accepted here")),
            },
        }
    }
}

/// The contents of a message.
#[derive(Clone, Debug)]
pub struct Content {
    pub patient: Person,
    /// Title of the document or of the first result.
    pub title: String,
    /// Prefix of the title: the effect of the document on an earlier one.
    pub change: &'static str,
    /// Time of sending, if it has a time zone.
    pub sent_at: Option<DateTime<Utc>>,
    pub files: Vec<File>,
    /// It has results whose values systems can read in the message itself.
    pub has_values: bool,
}

impl Header {
    /// Reads the header. Refuses unsupported kinds of messages, versions and character sets.
    pub fn read(message: &Message) -> (Self, Result<(), Problem>) {
        let msh = message.header();
        let kind = msh.field(9);
        let (code, event) = (kind.component(1).text(), kind.component(2).text());
        let processing = msh.field(11).component(1).text();
        let subject = Subject::of(&code, &event);
        let header = Self {
            sending_application: Party::of(msh.field(3)),
            sending_facility: Party::of(msh.field(4)),
            receiving_application: Party::of(msh.field(5)),
            receiving_facility: Party::of(msh.field(6)),
            kind: if event.is_empty() { code.clone() } else { format!("{code}^{event}") },
            subject: subject.ok(),
            control_id: msh.field(10).raw.trim().to_owned(),
            is_test: matches!(&*processing, "T" | "D"),
        };
        let version = msh.field(12).component(1).text();
        let problem = if header.control_id.is_empty() {
            Some(Problem::rejected(101, "MSH^1^10", "The message control id is missing"))
        } else if header.control_id.len() > CONTROL_ID {
            Some(Problem::rejected(102, "MSH^1^10", "The message control id is too long"))
        } else if let Err(problem) = subject {
            Some(problem)
        } else if !matches!(&*processing, "P" | "T" | "D" | "") {
            Some(Problem::rejected(202, "MSH^1^11", "This processing id is not known"))
        } else if !version.is_empty() && !version.starts_with("2.") {
            Some(Problem::rejected(203, "MSH^1^12", "This version is not accepted here"))
        } else if !message.knows_charset() {
            Some(Problem::rejected(103, "MSH^1^18", "This character set is not known here"))
        } else {
            None
        };
        (header, problem.map_or(Ok(()), Err))
    }
}

impl Content {
    pub fn read(message: &Message) -> Result<Self, Problem> {
        let pid = message.segment("PID");
        let pid = pid.ok_or(Problem::error(101, "PID", "The segment PID is missing"))?;
        let visit = message.segment("PV1").map(|pv1| pv1.field(19).component(1).text());
        let kind = message.header().field(9);
        let is_result = kind.component(1).raw.trim() == "ORU";
        let title = title(message);
        let embedded = Embedded::read(message, &title)?;
        let text = if is_result { report(message, &embedded) } else { plain(message, &embedded) };
        let mut files = embedded.files;
        let has_values = is_result && text.is_some();
        if let Some(text) = text {
            files.push(File {
                name: file_name(&title, "txt"),
                media_type: "text/plain".into(),
                title: title.clone(),
                created: None,
                confidentiality: None,
                content: Bytes::from(text),
            });
        }
        if files.is_empty() {
            return Err(Problem::error(101, "OBX^1^5", "The message has no document and no result"));
        }
        let created = message.segment("TXA").map_or_else(
            || message.segment("OBR").and_then(|obr| day(&obr.field(7).component(1).text())),
            |txa| day(&txa.field(4).component(1).text()),
        );
        let confidentiality = confidentiality(message);
        for file in &mut files {
            file.created = created;
            file.confidentiality = confidentiality;
        }
        Ok(Self {
            patient: person(pid, visit.unwrap_or_default()),
            title,
            change: match kind.component(2).raw.trim() {
                "T06" => "Addendum",
                "T08" => "Edited",
                "T10" => "Replacement",
                _ => "",
            },
            sent_at: Time::parse(&message.header().field(7).component(1).text()).and_then(|time| time.utc()),
            files,
            has_values,
        })
    }
}

/// TXA-18, the strictest of several. Table 0272 has R and V as other tables do, and U for normal.
fn confidentiality(message: &Message) -> Option<Confidentiality> {
    let codes = message.segments().filter(|segment| segment.name() == "TXA").map(|txa| txa.field(18));
    let codes = codes.map(|code| code.component(1).text()).filter(|code| !code.is_empty());
    codes.map(|code| Confidentiality::from_code(&code)).max()
}

/// Text of a coded element: its name, that of its alternate code, the original text, or otherwise its code.
pub(super) fn named(value: Value) -> String {
    let said = [2, 5, 9, 1, 4].map(|number| value.component(number).text());
    said.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// The document type: the first name, or otherwise the first code.
fn title(message: &Message) -> String {
    let places = [("OBR", 4), ("TXA", 2), ("OBX", 3)];
    let of = |component: usize| {
        let mut found = places.iter().filter_map(|(segment, number)| {
            Some(message.segment(segment)?.field(*number).component(component).text())
        });
        found.find(|title| !title.is_empty())
    };
    let title = of(2).or_else(|| of(1)).unwrap_or_else(|| "Document".into());
    title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

pub(super) fn person(pid: Segment, visit: String) -> Person {
    let (name, address) = (pid.field(5), pid.field(11));
    Person {
        ids: patient_ids(pid)
            .into_iter()
            .map(|id| (id.id, if id.oid.is_empty() { id.authority } else { id.oid }))
            .collect(),
        family: name.component(1).subcomponent(1).text(),
        given: name.component(2).text(),
        middle: name.component(3).text(),
        born: day(&pid.field(7).component(1).text()),
        sex: pid.field(8).component(1).text(),
        street: address.component(1).subcomponent(1).text(),
        city: address.component(3).text(),
        state: address.component(4).text(),
        postal_code: address.component(5).text(),
        phone: pid.field(13).component(1).text(),
        visit,
    }
}

/// The patient of a list of PID fields, as in ebXML metadata.
pub fn patient_of(pid: &str) -> Option<Person> {
    let message = Message::read(format!("MSH|^~\\&|\r{pid}").as_bytes()).ok()?;
    message.segment("PID").map(|pid| person(pid, String::new()))
}

/// A time in readable form, or unchanged if it cannot be parsed or has no day.
pub(super) fn moment_text(text: &str) -> String {
    match Time::parse(text) {
        Some(time) if time.precision > Precision::Day => time.local.format("%m/%d/%Y %H:%M").to_string(),
        Some(time) if time.precision == Precision::Day => time.local.format("%m/%d/%Y").to_string(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hl7::{self, Shape},
        samples::delivery,
    };
    use base64::{Engine, engine::general_purpose::STANDARD};
    use chrono::NaiveDate;
    use proptest::prelude::*;

    fn read(text: &str) -> Message {
        Message::read(text.as_bytes()).unwrap()
    }

    fn content(text: &str) -> Result<Content, Problem> {
        Content::read(&read(text))
    }

    #[test]
    fn what_our_own_side_sends_is_read_as_it_was() {
        let sent = delivery();
        for shape in [Shape::Mdm, Shape::Oru] {
            let message = Message::read(&hl7::message(&sent, &sent.documents[0], shape)).unwrap();
            let (header, verdict) = Header::read(&message);
            assert_eq!(verdict, Ok(()));
            assert!(header.sending_facility.is("larkfield & sons") && header.sending_facility.is("1.2.3.4"));
            assert!(header.receiving_facility.is("1.2.3.9") && !header.is_test);
            let content = Content::read(&message).unwrap();
            assert_eq!(content.patient, sent.patient);
            assert_eq!(content.files.len(), 1);
            assert_eq!(content.files[0].content, sent.documents[0].content);
            assert_eq!(content.files[0].media_type, "application/pdf");
            assert!(content.files[0].name.ends_with(".pdf"));
            assert_eq!(content.files[0].created, NaiveDate::from_ymd_opt(2026, 11, 19));
            let said = (shape == Shape::Mdm).then_some(Confidentiality::Restricted);
            assert_eq!(content.files[0].confidentiality, said, "a result has no place for it");
        }
    }

    #[test]
    fn a_result_without_a_file_becomes_a_text_that_people_can_read() {
        let result = content(
            "MSH|^~\\&|LAB|N|||20261120083000-0500||ORU^R01|1|P|2.5.1\rPID|1||77^^^&1.2&ISO||Tenney^Marisol||19610402|F\r\
             OBR|1|P1|F7|58410-2^Complete blood count^LN|||202611191530|||||||||^Osei^Ama|||||||||F\r\
             OBX|1|NM|718-7^Hemoglobin^LN||13.2|g/dL|12.0-16.0||||F\rOBX|2|NM|x^Platelets||90|10*3/uL|150-400|L|||C\r\
             NTE|1||Repeat in a week\rOBX|3|FT|c^Comment||Smear shows no \\.br\\abnormal cells||||||F",
        );
        let result = result.unwrap();
        assert!(result.has_values);
        assert_eq!(result.title, "Complete blood count");
        assert_eq!(result.sent_at.unwrap().to_rfc3339(), "2026-11-20T13:30:00+00:00");
        let text = String::from_utf8(result.files[0].content.to_vec()).unwrap();
        for line in [
            "Patient: Marisol Tenney",
            "Collected: 11/19/2026 15:30",
            "Ordered by: Ama Osei",
            "Hemoglobin  13.2    g/dL     12.0-16.0",
            "Platelets   90      10*3/uL  150-400    L Corrected",
            "  Repeat in a week",
            "Smear shows no \nabnormal cells",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_name_in_utf_8_is_read_even_if_the_header_says_otherwise() {
        for charset in ["8859/1", "8859/15", "UNICODE UTF-8"] {
            let text = format!(
                "MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5||||||{charset}\rPID|||1||Núñez^Zoë\rTXA|1|CN\rOBX|1|TX|||Señor"
            );
            let message = read(&text);
            assert_eq!(Header::read(&message).1, Ok(()), "{charset}");
            let content = Content::read(&message).unwrap();
            assert_eq!(content.patient.family, "Núñez", "{charset}");
            assert_eq!(content.files[0].content, "Señor\n", "{charset}");
        }
    }

    #[test]
    fn a_document_that_is_text_stays_text() {
        let note = content(
            "MSH|^~\\&|L|N|||1||MDM^T06|1|P|2.5\rPID|||1||A^B\rTXA|1|CN^Consultation\rOBX|1|TX|||First~Second\rOBX|2|TX|||Third",
        );
        let note = note.unwrap();
        assert_eq!((note.title.as_str(), note.change), ("Consultation", "Addendum"));
        assert_eq!(note.files[0].content, "First\nSecond\nThird\n");
        assert_eq!(note.files[0].name, "Consultation.txt");
        let other = content(
            "MSH|^!\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1||A^B\rTXA|1|CN\r\
             OBX|1|TX|||Weight!!  ~ 70 kg \\R\\\rOBX|2|FT|||Seen\\.br\\today\\.sp2\\Signed",
        );
        assert_eq!(
            other.unwrap().files[0].content,
            "Weight\n\n  ~ 70 kg !\nSeen\ntoday\n\nSigned\n",
            "a line ends where the sender's own signs say so"
        );
    }

    #[test]
    fn files_come_in_the_ways_that_senders_write_them() {
        let file = |obx: &str| {
            let text = format!(
                "MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1||A^B\rTXA|1|CN\rOBX|1|ED|x^Letter||{obx}"
            );
            content(&text).map(|c| (c.files[0].media_type.clone(), c.files[0].content.clone()))
        };
        let pdf = |text: &'static str| Ok(("application/pdf".to_owned(), Bytes::from(text)));
        assert_eq!(file("^application^pdf^Base64^UERG"), pdf("PDF"));
        assert_eq!(file("^AP^PDF^Base64^UE\r\nRG"), pdf("PDF"));
        assert_eq!(file("application^pdf^Base64^UERG"), pdf("PDF"));
        assert_eq!(file("^TEXT^pdf^Hex^504446"), pdf("PDF"));
        assert_eq!(file("^TEXT^plain^A^a\\T\\b").unwrap().1, "a&b");
        assert_eq!(file("^application^pdf^Base64^U*RG").unwrap_err().number, 102);
        assert_eq!(file("^application^pdf^Base64^").unwrap_err().number, 101);
        assert_eq!(content("MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1\rTXA|1").unwrap_err().number, 101);
        assert!(content("MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rOBX|1|TX|||x").is_err(), "there is no patient");
    }

    fn files(lines: &[&str]) -> Vec<(String, String)> {
        let head = "MSH|^~\\&|L|N|||1||ORU^R01|1|P|2.5.1\rPID|1||7||Tenney^Marisol\rOBR|1|||x^Chest x-ray";
        let all: Vec<&str> = [head].into_iter().chain(lines.iter().copied()).collect();
        let content = content(&all.join("\r")).unwrap();
        content
            .files
            .into_iter()
            .map(|f| (f.name, String::from_utf8_lossy(&f.content).into_owned()))
            .collect()
    }

    /// A PDF with text, and its Base64.
    fn pdf() -> (String, String) {
        let pdf = format!("%PDF-1.4\n{}\n%%EOF\n", "1 0 obj <</Type/Page>> endobj ".repeat(9));
        let digits = STANDARD.encode(&pdf);
        (pdf, digits)
    }

    #[test]
    fn a_link_beside_a_result_is_told_and_costs_nothing_of_it() {
        let links = "OBX|2|RP|IMG^Images^L||https://pacs.hawthorn.example/v/77^PACS^Application^DICOM||||||F";
        let told =
            files(&["OBX|1|TX|IMP^Impression||There is a 9 mm nodule in the left upper lobe.||||||F", links]);
        assert!(told[0].1.contains("9 mm nodule"));
        assert!(told[0].1.contains("https://pacs.hawthorn.example/v/77 (PACS, DICOM)"), "{}", told[0].1);
        let note = content(&format!(
            "MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1\rTXA|1|CN\rOBX|1|TX|||Seen\r{links}"
        ));
        assert_eq!(
            note.unwrap().files[0].content,
            "Seen\nImages: https://pacs.hawthorn.example/v/77 (PACS, DICOM)\n"
        );
    }

    #[test]
    fn a_file_in_several_segments_or_repetitions_is_one() {
        let (pdf, digits) = pdf();
        for length in [76, 100, 122] {
            let pieces: Vec<&str> = (0..digits.len())
                .step_by(length)
                .map(|at| &digits[at..digits.len().min(at + length)])
                .collect();
            let each = |kind: &str, begin: &str| {
                let line = |piece: &&str| format!("OBX|1|{kind}|x^Report||{begin}{piece}");
                pieces.iter().map(line).collect::<Vec<_>>().join("\r")
            };
            let marked = "^application^pdf^Base64^";
            for lines in [
                each("ED", marked),
                each("ED", "^^^^"),
                each("TX", ""),
                each("ST", ""),
                format!("OBX|1|ED|x^Report||{marked}{}", pieces.join(&format!("~{marked}"))),
                format!("OBX|1|ED|x^Report||{marked}{}", pieces.join("~")),
                format!("OBX|1|TX|x^Report||{}", pieces.join("~")),
                format!("OBX|1|FT|x^Report||{}", pieces.join("\\.br\\")),
            ] {
                assert_eq!(files(&[&lines]), [("Report.pdf".to_owned(), pdf.clone())], "{length}: {lines}");
            }
        }
        // Each piece is padded separately.
        let padded: Vec<String> = pdf
            .as_bytes()
            .chunks(50)
            .map(|bytes| format!("OBX|1|ED|x^Report||^AP^PDF^Base64^{}", STANDARD.encode(bytes)))
            .collect();
        assert_eq!(files(&[&padded.join("\r")]), [("Report.pdf".to_owned(), pdf.clone())]);
        let two = format!("OBX|1|ED|x^Report||^AP^PDF^Base64^{digits}");
        assert_eq!(files(&[&two, &two]).len(), 2, "each begins as a file");
        assert_eq!(
            files(&[&two, "OBR|2", "OBX|1|ED|y^Other||^AP^PDF^Base64^UERG"]).len(),
            2,
            "of another order"
        );
    }

    #[test]
    fn base64_that_stands_as_text_is_the_file_and_words_stay_words() {
        let (pdf, digits) = pdf();
        for field in [digits.clone(), format!("^AP^PDF^Base64^{digits}")] {
            let found =
                files(&[&format!("OBX|1|TX|x^Report as PDF||{field}"), "OBX|2|TX|x^Report as PDF||Normal"]);
            assert_eq!(found[0], ("Report as PDF.pdf".to_owned(), pdf.clone()));
            assert!(found[1].1.contains("Report as PDF") && found[1].1.contains("Normal"), "{}", found[1].1);
        }
        for words in ["Unremarkable", "Base64", "see^Base64^note", &"ACGT".repeat(30), "JVBERi0="] {
            let found = files(&[&format!("OBX|1|TX|x^Sequence||{words}")]);
            assert_eq!(found.len(), 1);
            assert!(found[0].0.ends_with(".txt") && found[0].1.contains(words), "{}", found[0].1);
        }
        let bare = format!("OBX|1|TX|x^Report||{}", digits.trim_end_matches('='));
        assert_eq!(files(&[&bare])[0].0, "Report.pdf", "without padding");
    }

    #[test]
    fn a_file_of_no_type_is_called_by_what_it_is() {
        let (pdf, digits) = pdf();
        for field in [
            format!("^^^^{digits}"),
            digits.clone(),
            format!("^Base64^{digits}"),
            format!("^AP^Octet-stream^Base64^{digits}"),
        ] {
            assert_eq!(
                files(&[&format!("OBX|1|ED|1516||{field}")]),
                [("1516.pdf".to_owned(), pdf.clone())],
                "{field}"
            );
        }
    }

    #[test]
    fn a_coded_result_says_the_words_that_it_was_made_of() {
        let said = |value: &str| {
            let text = files(&[&format!("OBX|1|CWE|634-6^Organism||{value}|||A|||F")]).remove(0).1;
            let row =
                text.lines().find_map(|line| line.strip_prefix("Organism  ")).expect("a row").to_owned();
            row.split("  ").next().unwrap_or_default().to_owned()
        };
        assert_eq!(said("^^^^^^^^Lactobacillus, heavy growth"), "Lactobacillus, heavy growth");
        assert_eq!(said("1^Yeast^L^^^^^^No yeast"), "Yeast (No yeast)");
        assert_eq!(said("1^Yeast^L^^^^^^yeast"), "Yeast");
        assert_eq!(said("^^^12^Yeast^L"), "Yeast");
        assert_eq!(said("12^^L"), "12");
    }

    #[test]
    fn a_long_text_keeps_what_takes_it_back() {
        let text = files(&["OBX|1|TX|IMP^Impression||There is a 9 mm nodule in the left upper lobe.||||||W"])
            .remove(0)
            .1;
        let note = content("MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1\rTXA|1|CN\rOBX|1|TX|||Nodule||||||W");
        assert_eq!(note.unwrap().files[0].content, "Withdrawn:\nNodule\n");
        assert!(text.contains("Impression (Withdrawn):\nThere is"), "{text}");
    }

    #[test]
    fn the_number_of_the_record_comes_first_and_a_social_security_number_is_none() {
        let ids = |pid: &str| patient_of(pid).unwrap().ids.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids("PID|1||901441234^^^SSA^SS~5^^^X^DL~8^^^HAW~70412^^^HAW^MR"), ["70412", "8"]);
        assert_eq!(ids("PID|1||901441234^^^&2.16.840.1.113883.4.1&ISO"), Vec::<String>::new());
        assert_eq!(ids("PID|1|44^^^HAW|"), ["44"]);
        assert_eq!(ids("PID|1||||Brindlecombe|||||||||||||70412^^^HAW"), ["70412"]);
    }

    #[test]
    fn a_file_that_is_cut_within_its_padding_is_whole() {
        // In two pieces, and in five whose lengths look like three digits without padding.
        for (more, length) in [(40, 67), (256, 71)] {
            let bytes = [&b"%PDF-1.7 "[..], &vec![7; more]].concat();
            let digits = STANDARD.encode(&bytes);
            assert!(digits.ends_with("==") && digits.len() % length == 1);
            let pieces = digits.as_bytes().chunks(length).map(|piece| String::from_utf8_lossy(piece));
            let segments: Vec<String> =
                pieces.map(|piece| format!("OBX|1|ED|x||^AP^PDF^Base64^{piece}")).collect();
            let text = format!("MSH|^~\\&|L|N|||1||ORU^R01|1|P|2.5\rPID|||1\r{}", segments.join("\r"));
            assert_eq!(&content(&text).unwrap().files[0].content[..], &bytes[..]);
        }
    }

    #[test]
    fn what_is_not_taken_is_rejected_with_the_number_for_it() {
        let number = |header: &str| Header::read(&read(header)).1.err().map(|p| (p.is_rejected, p.number));
        let with = |kind: &str, id: &str, processing: &str, rest: &str| {
            number(&format!("MSH|^~\\&|L|N|||1||{kind}|{id}|{processing}|{rest}"))
        };
        assert_eq!(with("MDM^T02^MDM_T02", "1", "P", "2.5.1"), None);
        assert_eq!(with("ORU^R01", "1", "T^T", "2.3"), None);
        assert_eq!(with("ORU", "1", "P", "2.2"), None, "there was one event only");
        assert_eq!(with("ORU^R02", "1", "P", "2.3"), Some((true, 201)));
        assert_eq!(with("ADT^A01^ADT_A01", "1", "P", "2.5"), None);
        assert_eq!(with("ADT^A99", "1", "P", "2.5"), Some((true, 201)));
        assert_eq!(with("DFT^P03", "1", "P", "2.5"), Some((true, 200)));
        assert_eq!(with("MDM^T01", "1", "P", "2.5"), Some((true, 201)));
        assert_eq!(with("MDM^T02", "", "P", "2.5"), Some((true, 101)));
        assert_eq!(with("MDM^T02", "1", "X", "2.5"), Some((true, 202)));
        assert_eq!(with("MDM^T02", "1", "P", "3"), Some((true, 203)));
        assert_eq!(number("MSH|^~\\&|Ñ|N|||1||MDM^T02|1|P|2.5||||||BIG-5"), Some((true, 103)));
    }

    proptest! {
        #[test]
        fn nothing_breaks_the_reader(
            kind in "(MDM\\^T02|ORU\\^R01)", lines in prop::collection::vec("(PID|TXA|OBX|OBR|NTE)[ -~é]{0,60}", 0..8),
        ) {
            let message = read(&format!("MSH|^~\\&|L|N|||1||{kind}|1|P|2.5\r{}", lines.join("\r")));
            let _ = Header::read(&message);
            if let Ok(content) = Content::read(&message) {
                prop_assert!(!content.files.is_empty());
            }
        }

        #[test]
        fn a_file_comes_out_as_it_went_in_however_it_is_cut(
            rest in prop::collection::vec(any::<u8>(), 30..400), length in 60usize..200, kind in "(ED|TX)",
        ) {
            let bytes = [&b"%PDF-1.7 "[..], &rest].concat();
            let digits = STANDARD.encode(&bytes);
            let begin = if kind == "ED" { "^AP^PDF^Base64^" } else { "" };
            let pieces = digits.as_bytes().chunks(length).map(|piece| {
                format!("OBX|1|{kind}|x||{begin}{}", String::from_utf8_lossy(piece))
            });
            let text = format!("MSH|^~\\&|L|N|||1||ORU^R01|1|P|2.5\rPID|||1\r{}", pieces.collect::<Vec<_>>().join("\r"));
            let found = content(&text).unwrap();
            prop_assert_eq!(found.files.len(), 1);
            prop_assert_eq!(&found.files[0].content[..], &bytes[..]);
        }

        #[test]
        fn times_are_read_or_not(text in "[0-9+.é-]{0,20}") {
            let _ = moment_text(&text);
        }
    }
}
