//! What a message says: who sends it to whom, the patient, documents (MDM with content, ORU^R01), and results as a text that
//! people can read.

use super::{
    File,
    ack::Problem,
    extension, file_name,
    text::{Message, Segment, Value, hex},
};
use crate::{Confidentiality, Person};
use bytes::Bytes;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use clinical::embedded::from_base64;
use std::fmt::Write;

/// Files of a message.
const FILES: usize = 100;
/// MSH-10 is at most 20 characters long, and 199 from version 2.7 on.
const CONTROL_ID: usize = 199;

/// An application or a facility, by each of its names: as it stands, and its name and OID alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Party {
    /// For people: the name, or else the OID.
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

    /// Whether it goes by this name, in either case.
    pub fn is(&self, name: &str) -> bool {
        self.names.contains(&name.trim().to_lowercase())
    }
}

/// Who sends what to whom.
#[derive(Clone, Debug)]
pub struct Header {
    pub sending_application: Party,
    pub sending_facility: Party,
    pub receiving_application: Party,
    pub receiving_facility: Party,
    /// `MDM^T02`
    pub kind: String,
    pub control_id: String,
    /// For training or debugging.
    pub is_test: bool,
}

/// What a message brings.
#[derive(Clone, Debug)]
pub struct Content {
    pub patient: Person,
    /// Of the document or of the first result.
    pub title: String,
    /// A word before the title: what a document does to an earlier one.
    pub change: &'static str,
    /// Where the sender says it with its time zone.
    pub sent_at: Option<DateTime<Utc>>,
    pub files: Vec<File>,
    /// Some of it is a result whose values systems can read in the message itself.
    pub has_values: bool,
}

impl Header {
    /// Refuses what is not taken at all: other kinds of messages, versions, character sets.
    pub fn read(message: &Message) -> (Self, Result<(), Problem>) {
        let msh = message.header();
        let kind = msh.field(9);
        let (code, event) = (kind.component(1).text(), kind.component(2).text());
        let processing = msh.field(11).component(1).text();
        let header = Self {
            sending_application: Party::of(msh.field(3)),
            sending_facility: Party::of(msh.field(4)),
            receiving_application: Party::of(msh.field(5)),
            receiving_facility: Party::of(msh.field(6)),
            kind: if event.is_empty() { code.clone() } else { format!("{code}^{event}") },
            control_id: msh.field(10).raw.trim().to_owned(),
            is_test: matches!(&*processing, "T" | "D"),
        };
        let version = msh.field(12).component(1).text();
        let problem = if header.control_id.is_empty() {
            Some(Problem::rejected(101, "MSH^1^10", "The message control id is missing"))
        } else if header.control_id.len() > CONTROL_ID {
            Some(Problem::rejected(102, "MSH^1^10", "The message control id is too long"))
        } else if !matches!(&*code, "MDM" | "ORU") {
            Some(Problem::rejected(200, "MSH^1^9", "Messages of this type are not taken here"))
        } else if !matches!(
            (&*code, &*event),
            ("MDM", "T02" | "T04" | "T06" | "T08" | "T10") | ("ORU", "R01")
        ) {
            Some(Problem::rejected(201, "MSH^1^9", "Messages of this event are not taken here"))
        } else if !matches!(&*processing, "P" | "T" | "D" | "") {
            Some(Problem::rejected(202, "MSH^1^11", "This processing id is not known"))
        } else if !version.is_empty() && !version.starts_with("2.") {
            Some(Problem::rejected(203, "MSH^1^12", "This version is not taken here"))
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
        let mut files = embedded(message, &title)?;
        let text = if is_result { report(message) } else { plain(message) };
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
            || message.segment("OBR").and_then(|obr| date(&obr.field(7).component(1).text())),
            |txa| date(&txa.field(4).component(1).text()),
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
            sent_at: moment(&message.header().field(7).component(1).text()),
            files,
            has_values,
        })
    }
}

/// TXA-18, the strictest where there are several: table 0272 has R and V as other tables do, and U for what is normal.
fn confidentiality(message: &Message) -> Option<Confidentiality> {
    let codes = message.segments().filter(|segment| segment.name() == "TXA").map(|txa| txa.field(18));
    let codes = codes.map(|code| code.component(1).text()).filter(|code| !code.is_empty());
    codes.map(|code| Confidentiality::from_code(&code)).max()
}

/// Text of a coded element: its name, or else its code.
fn named(value: Value) -> String {
    let name = value.component(2).text();
    if name.is_empty() { value.component(1).text() } else { name }
}

/// What kind of document it is: the first name, or else the first code.
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

/// The files of OBX segments.
fn embedded(message: &Message, title: &str) -> Result<Vec<File>, Problem> {
    let mut files: Vec<File> = Vec::new();
    let file_of_txa = message.segment("TXA").map(|txa| txa.field(16).component(1).text());
    let own_name = file_of_txa.filter(|name| name.contains('.') && name.len() < 200);
    for obx in message.segments().filter(|segment| segment.name() == "OBX") {
        match obx.field(2).raw.trim() {
            "ED" => {}
            "RP" => {
                return Err(Problem::error(
                    102,
                    "OBX^1^2",
                    "Documents have to be in the message, not referred to",
                ));
            }
            _ => continue,
        }
        for value in obx.field(5).repetitions().filter(|value| !value.is_empty()) {
            if files.len() == FILES {
                return Err(Problem::error(102, "OBX", "The message has too many documents"));
            }
            let (media_type, content) = data(value)?;
            let of_obx = named(obx.field(3));
            let title = if of_obx.is_empty() { title.to_owned() } else { of_obx };
            let name = match &own_name {
                Some(name) if files.is_empty() => name.replace(['/', '\\'], "_"),
                _ => file_name(&title, extension(&media_type)),
            };
            files.push(File { name, media_type, title, created: None, confidentiality: None, content });
        }
    }
    Ok(files)
}

/// Encapsulated data: source, type, subtype, encoding, data.
fn data(value: Value) -> Result<(String, Bytes), Problem> {
    let parts: Vec<Value> = value.components().collect();
    let part = |number: usize| parts.get(number).map(|part| part.text()).unwrap_or_default();
    // Some leave the source out.
    let last = parts.len().saturating_sub(1);
    let (encoding, kind, subtype) = match last {
        0..=2 => (String::new(), String::new(), part(1)),
        3 => (part(2), part(0), part(1)),
        _ => (part(3), part(1), part(2)),
    };
    let raw = parts.get(last.min(4)).copied();
    let raw =
        raw.filter(|raw| !raw.is_empty()).ok_or(Problem::error(101, "OBX^1^5", "The document is empty"))?;
    let broken = Problem::error(102, "OBX^1^5", "The document cannot be decoded");
    let content = match encoding.to_ascii_lowercase().as_str() {
        "a" => raw.text().into_bytes(),
        "hex" => hex(&raw.text()).ok_or(broken)?,
        _ => from_base64(&raw.text()).ok_or(broken)?,
    };
    if content.is_empty() {
        return Err(Problem::error(101, "OBX^1^5", "The document is empty"));
    }
    Ok((media_type(&kind, &subtype), content.into()))
}

/// By table 0191 and 0291, or as a media type is written.
fn media_type(kind: &str, subtype: &str) -> String {
    let subtype = subtype.trim().to_ascii_lowercase();
    let known = match subtype.as_str() {
        "pdf" => "application/pdf",
        "tiff" | "tif" => "image/tiff",
        "jpeg" | "jpg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "rtf" => "text/rtf",
        "plain" | "txt" | "text" => "text/plain",
        "html" => "text/html",
        "xml" | "cda" | "x-hl7-cda-level-one" => "text/xml",
        _ => "",
    };
    let is_token =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c));
    match known {
        "" if subtype.contains('/') && subtype.split('/').all(is_token) => subtype,
        "" if is_token(kind) && is_token(&subtype) => format!("{}/{subtype}", kind.to_ascii_lowercase()),
        "" => "application/octet-stream".into(),
        known => known.into(),
    }
}

fn is_text(obx: &Segment) -> bool {
    matches!(obx.field(2).raw.trim(), "TX" | "FT" | "ST")
}

/// The text of a document that travels as text, in one segment or line by line in many.
fn plain(message: &Message) -> Option<String> {
    let mut text = String::new();
    for obx in message.segments().filter(|segment| segment.name() == "OBX" && is_text(segment)) {
        for line in obx.field(5).lines() {
            text.push_str(&line);
            text.push('\n');
        }
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| format!("{text}\n"))
}

/// Results with their patient, as a table that people can read; `None` where all that came is files.
fn report(message: &Message) -> Option<String> {
    let is_value = |segment: &Segment| segment.name() == "OBX" && segment.field(2).raw.trim() != "ED";
    message.segments().find(is_value)?;
    let mut text = message.segment("PID").map(heading).unwrap_or_default();
    let mut rows: Vec<[String; 5]> = Vec::new();
    for segment in message.segments() {
        match segment.name() {
            "OBR" => {
                table(&mut text, &mut rows);
                order(&mut text, segment);
            }
            "OBX" if is_value(&segment) => {
                let row = row(segment);
                // Long texts stand by themselves, and under a name that is said once.
                if row[1].contains('\n') || row[1].chars().count() > 40 {
                    table(&mut text, &mut rows);
                    let _ = writeln!(text, "{}:\n{}\n", row[0], row[1]);
                } else {
                    rows.push(row);
                }
            }
            "NTE" => {
                table(&mut text, &mut rows);
                for line in segment.field(3).repetitions() {
                    let _ = writeln!(text, "  {}", line.text());
                }
            }
            _ => {}
        }
    }
    table(&mut text, &mut rows);
    Some(text)
}

fn heading(pid: Segment) -> String {
    let patient = person(pid, String::new());
    let name = [patient.given.as_str(), &patient.middle, &patient.family];
    let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let mut text = format!("Patient: {name}\n");
    if let Some(born) = patient.born {
        let _ = writeln!(text, "Born: {}", born.format("%m/%d/%Y"));
    }
    if let Some((id, _)) = patient.ids.first() {
        let _ = writeln!(text, "Patient ID: {id}");
    }
    text
}

fn order(text: &mut String, obr: Segment) {
    let _ = writeln!(text, "\n{}", named(obr.field(4)));
    let at = |number: usize| moment_text(&obr.field(number).component(1).text());
    let said = [
        ("Order", obr.field(2).component(1).text()),
        ("Accession", obr.field(3).component(1).text()),
        ("Collected", at(7)),
        ("Reported", at(22)),
        ("Ordered by", provider(obr.field(16))),
        ("Status", status(&obr.field(25).text()).to_owned()),
    ];
    for (label, value) in said.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "{label}: {value}");
    }
}

fn provider(value: Value) -> String {
    let (family, given) = (value.component(2).subcomponent(1).text(), value.component(3).text());
    format!("{given} {family}").trim().to_owned()
}

fn status(code: &str) -> &str {
    match code {
        "F" => "Final",
        "P" => "Preliminary",
        "C" => "Corrected",
        "X" => "Cancelled",
        "R" => "Not verified",
        "I" | "S" | "O" => "Pending",
        other => other,
    }
}

/// Name, value, unit, range, flag.
fn row(obx: Segment) -> [String; 5] {
    let values = obx.field(5).repetitions().map(|value| match obx.field(2).raw.trim() {
        "TX" | "FT" => value.lines().collect(),
        "CE" | "CWE" | "CNE" | "CF" => named(value),
        "SN" => [1, 2, 3, 4].map(|number| value.component(number).text()).join(""),
        "DT" | "TS" | "DTM" => moment_text(&value.component(1).text()),
        _ => value.text(),
    });
    let value = values.collect::<Vec<_>>().join("\n");
    let flag = obx.field(8).component(1).text();
    let state = obx.field(11).text();
    let flag = match &*state {
        "C" | "P" | "X" | "W" | "D" => format!("{flag} {}", status(&state)).trim().to_owned(),
        _ => flag,
    };
    let name = named(obx.field(3));
    [name, value.trim_end().to_owned(), obx.field(6).component(1).text(), obx.field(7).text(), flag]
}

/// Writes rows in columns.
fn table(text: &mut String, rows: &mut Vec<[String; 5]>) {
    if rows.is_empty() {
        return;
    }
    rows.insert(0, ["Test", "Result", "Unit", "Reference", "Flag"].map(str::to_owned));
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().min(40);
    let widths: [usize; 5] = std::array::from_fn(width);
    text.push('\n');
    for row in rows.drain(..) {
        let cells = row.iter().zip(widths).filter(|(_, width)| *width > 0);
        let line = cells.map(|(cell, width)| format!("{cell:width$}")).collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
}

fn person(pid: Segment, visit: String) -> Person {
    let (name, address) = (pid.field(5), pid.field(11));
    let ids = pid.field(3).repetitions().filter_map(|id| {
        let authority = id.component(4);
        let realm = authority.subcomponent(2).text();
        let realm = if realm.is_empty() { authority.subcomponent(1).text() } else { realm };
        Some((id.component(1).text(), realm)).filter(|(id, _)| !id.is_empty())
    });
    Person {
        ids: ids.take(20).collect(),
        family: name.component(1).subcomponent(1).text(),
        given: name.component(2).text(),
        middle: name.component(3).text(),
        born: date(&pid.field(7).component(1).text()),
        sex: pid.field(8).component(1).text(),
        street: address.component(1).subcomponent(1).text(),
        city: address.component(3).text(),
        state: address.component(4).text(),
        postal_code: address.component(5).text(),
        phone: pid.field(13).component(1).text(),
        visit,
    }
}

/// The patient of a list of PID fields, as ebXML metadata have it.
pub fn patient_of(pid: &str) -> Option<Person> {
    let message = Message::read(format!("MSH|^~\\&|\r{pid}").as_bytes()).ok()?;
    message.segment("PID").map(|pid| person(pid, String::new()))
}

/// `YYYYMMDD…`; less than a day says nothing.
pub fn date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.get(..8)?, "%Y%m%d").ok()
}

/// A point in time, by the zone that it names.
fn moment(text: &str) -> Option<DateTime<Utc>> {
    let at = text.find(['+', '-'])?;
    let zone: FixedOffset = text[at..].parse().ok()?;
    local(&text[..at])?.and_local_timezone(zone).single().map(|at| at.to_utc())
}

fn local(text: &str) -> Option<NaiveDateTime> {
    let digits = text.split('.').next().unwrap_or_default();
    let day = date(digits)?;
    let number = |from: usize| digits.get(from..from + 2).map_or(Some(0), |two| two.parse().ok());
    Some(day.and_time(NaiveTime::from_hms_opt(number(8)?, number(10)?, number(12)?)?))
}

/// As people write it, or as it came.
fn moment_text(text: &str) -> String {
    match local(text.split(['+', '-']).next().unwrap_or_default()) {
        Some(at) if text.len() > 8 => at.format("%m/%d/%Y %H:%M").to_string(),
        Some(at) => at.format("%m/%d/%Y").to_string(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hl7::{self, Shape},
        samples::delivery,
    };
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
        assert_eq!(
            content("MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1\rOBX|1|RP|||x").unwrap_err().number,
            102
        );
        assert_eq!(content("MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rPID|||1\rTXA|1").unwrap_err().number, 101);
        assert!(content("MSH|^~\\&|L|N|||1||MDM^T02|1|P|2.5\rOBX|1|TX|||x").is_err(), "there is no patient");
    }

    #[test]
    fn what_is_not_taken_is_rejected_with_the_number_for_it() {
        let number = |header: &str| Header::read(&read(header)).1.err().map(|p| (p.is_rejected, p.number));
        let with = |kind: &str, id: &str, processing: &str, rest: &str| {
            number(&format!("MSH|^~\\&|L|N|||1||{kind}|{id}|{processing}|{rest}"))
        };
        assert_eq!(with("MDM^T02^MDM_T02", "1", "P", "2.5.1"), None);
        assert_eq!(with("ORU^R01", "1", "T^T", "2.3"), None);
        assert_eq!(with("ADT^A01", "1", "P", "2.5"), Some((true, 200)));
        assert_eq!(with("MDM^T01", "1", "P", "2.5"), Some((true, 201)));
        assert_eq!(with("MDM^T02", "", "P", "2.5"), Some((true, 101)));
        assert_eq!(with("MDM^T02", "1", "X", "2.5"), Some((true, 202)));
        assert_eq!(with("MDM^T02", "1", "P", "3"), Some((true, 203)));
        assert_eq!(with("MDM^T02", "1", "P", "2.5||||||BIG-5"), Some((true, 103)));
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
        fn times_are_read_or_not(text in "[0-9+.é-]{0,20}") {
            let _ = (moment(&text), moment_text(&text), date(&text));
        }
    }
}
