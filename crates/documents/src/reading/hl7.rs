//! HL7 v2 messages: segments and fields by name, results as tables, embedded documents as parts.
//!
//! Read leniently and not by a parser of valid messages: what came is shown, whole or not.

mod patient;

pub(crate) use patient::patient;

use clinical::embedded::from_base64;

use super::hl7_names::{self, Form};
use super::hl7_standing;
use super::{Part, Reading, file_name, size_words};
use crate::error::ConversionError;

/// Most line breaks that one escape stands for.
const MAX_BLANK_LINES: usize = 20;
/// Most segments that are read.
const MAX_SEGMENTS: usize = 20_000;
/// What interface engines leave around messages (MLLP).
const FRAMING: [char; 4] = ['\x0b', '\x1c', '\u{feff}', ' '];

/// The signs of MSH-1 and MSH-2.
#[derive(Debug, Clone, Copy)]
struct Signs {
    field: char,
    component: char,
    repetition: char,
    escape: char,
    part: char,
}

impl Default for Signs {
    fn default() -> Self {
        Self { field: '|', component: '^', repetition: '~', escape: '\\', part: '&' }
    }
}

impl Signs {
    /// The signs that a header (MSH, FHS, BHS) declares; the usual ones where it declares none.
    fn of(header: &str) -> Self {
        let mut signs = header.chars().skip(3);
        let usual = Self::default();
        let Some(field) = signs.next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()) else {
            return usual;
        };
        let mut next = |usual| signs.next().filter(|c| *c != field && !c.is_alphanumeric()).unwrap_or(usual);
        Self {
            field,
            component: next(usual.component),
            repetition: next(usual.repetition),
            escape: next(usual.escape),
            part: next(usual.part),
        }
    }
}

/// A line of a message.
struct Segment<'a> {
    name: &'a str,
    /// Fields by number: the first is the name, and in headers the second is the sign of fields itself.
    fields: Vec<&'a str>,
    signs: Signs,
}

impl<'a> Segment<'a> {
    fn field(&self, number: usize) -> &'a str {
        self.fields.get(number).copied().unwrap_or_default()
    }

    /// A component of the first repetition, unescaped.
    fn component(&self, field: usize, component: usize) -> String {
        let first = self.field(field).split(self.signs.repetition).next().unwrap_or_default();
        let raw = first.split(self.signs.component).nth(component - 1).unwrap_or_default();
        unescaped(raw.split(self.signs.part).next().unwrap_or_default(), self.signs)
    }

    /// What takes back, ends or weakens what it says.
    fn standing(&self) -> Option<&'static str> {
        hl7_standing::standing(self.name, |field| self.component(field, 1))
    }

    fn words(&self, field: usize, form: Form) -> String {
        let raw = self.field(field);
        // The delimiters of MSH-2 are no components.
        let repetitions = raw.split(self.signs.repetition).map(|one| self.value(field, one, form));
        repetitions.filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// A field of running text: a repetition is a line, also an empty one, and every other sign is a part of the text.
    fn lines(&self, field: usize) -> String {
        let repetitions = self.field(field).split(self.signs.repetition);
        let lines = repetitions.map(|line| unescaped(line, self.signs).trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    fn value(&self, field: usize, raw: &str, form: Form) -> String {
        // Two quotes take back what an earlier message said (chapter 2.5.3.2).
        if raw.trim() == "\"\"" {
            return "(removed)".to_owned();
        }
        // Parts of a component stand side by side. In plain text the sign is one that should have been escaped.
        let between = if form == Form::Plain { self.signs.part } else { ' ' };
        let read = |part: &str| {
            let parts = part.split(self.signs.part).map(|part| unescaped(part, self.signs));
            parts.collect::<Vec<_>>().join(between.encode_utf8(&mut [0; 4])).trim().to_owned()
        };
        let parts: Vec<String> = raw.split(self.signs.component).map(read).collect();
        let part = |number: usize| parts.get(number - 1).map(String::as_str).unwrap_or_default();
        let joined = |signs: &str| {
            parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(signs)
        };
        match form {
            Form::Time => time(part(1)),
            Form::Code => code(part(1), part(2), part(3)),
            Form::Name => person(part(1), part(2), part(3), part(4), part(5), part(6)),
            Form::Person => {
                let name = person(part(2), part(3), part(4), part(5), part(6), part(7));
                match (name.is_empty(), part(1)) {
                    (true, id) => id.to_owned(),
                    (false, "") => name,
                    (false, id) => format!("{name} ({id})"),
                }
            }
            Form::Address => address(&parts),
            Form::Phone => phone(&parts),
            Form::Id => id(&parts),
            Form::Joined | Form::Plain => match hl7_names::code_words(self.name, field, &joined(" ")) {
                Some(words) => format!("{words} ({})", part(1)),
                None => joined(" "),
            },
        }
    }
}

/// Text without escapes. The library that we send with takes numbers of characters for those of bytes here.
fn unescaped(text: &str, signs: Signs) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(signs.escape) {
        out.push_str(before);
        let Some((name, after)) = behind.split_once(signs.escape).filter(|(name, _)| name.len() <= 60) else {
            out.push(signs.escape);
            rest = behind;
            continue;
        };
        rest = after;
        match name {
            "F" => out.push(signs.field),
            "S" => out.push(signs.component),
            "T" => out.push(signs.part),
            "R" => out.push(signs.repetition),
            "E" => out.push(signs.escape),
            "H" | "N" => {}
            ".br" | ".ce" => out.push('\n'),
            lines if lines.starts_with(".sp") => {
                let count: usize = lines[3..].trim_start_matches('+').parse().unwrap_or(1);
                out.extend(std::iter::repeat_n('\n', count.clamp(1, MAX_BLANK_LINES)));
            }
            hex if hex.starts_with('X') && hex[1..].bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                let digits = hex.as_bytes()[1..].as_chunks::<2>().0;
                let bytes: Vec<u8> = digits
                    .iter()
                    .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                    .collect();
                out.push_str(&String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n"));
            }
            // Other formatting, such as `.in+5`.
            format if format.starts_with('.') => out.push('\n'),
            // No escape, but a sign on both sides of some words.
            words => {
                out.push(signs.escape);
                out.push_str(words);
                out.push(signs.escape);
            }
        }
    }
    out.push_str(rest);
    out
}

/// `20261117093000-0500` as `2026-11-17 09:30 -0500`; as it stands where it is no time.
pub(super) fn time(raw: &str) -> String {
    let digits = raw.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = raw.split_at(digits);
    let zone = rest.find(['+', '-']).map(|at| format!(" {}", &rest[at..])).unwrap_or_default();
    match digits.len() {
        6 => format!("{}-{}", &digits[..4], &digits[4..]),
        8.. if !digits.len().is_multiple_of(2) => raw.to_owned(),
        8.. => {
            let day = format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..8]);
            match digits.len() {
                8 => day,
                10 => format!("{day} {}:00{zone}", &digits[8..10]),
                12 => format!("{day} {}:{}{zone}", &digits[8..10], &digits[10..12]),
                _ => format!("{day} {}:{}:{}{zone}", &digits[8..10], &digits[10..12], &digits[12..14]),
            }
        }
        _ => raw.to_owned(),
    }
}

fn code(code: &str, words: &str, system: &str) -> String {
    match (code, words, system) {
        ("", words, _) => words.to_owned(),
        (code, "", _) => code.to_owned(),
        (code, words, "") => format!("{words} ({code})"),
        (code, words, system) => format!("{words} ({code}, {system})"),
    }
}

fn person(family: &str, given: &str, middle: &str, suffix: &str, prefix: &str, degree: &str) -> String {
    let name = [prefix, given, middle, family, suffix, degree];
    name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn address(parts: &[String]) -> String {
    let part = |at: usize| parts.get(at).map(|part| part.trim()).filter(|part| !part.is_empty());
    let street = [part(0), part(1)].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let place = [part(2), part(3), part(4)].into_iter().flatten().collect::<Vec<_>>().join(" ");
    [street.as_str(), place.as_str(), part(5).unwrap_or_default()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

fn phone(parts: &[String]) -> String {
    let part = |at: usize| parts.get(at).map(String::as_str).unwrap_or_default();
    let number = match part(0) {
        "" => [part(4), part(5), part(6)].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" "),
        number => number.to_owned(),
    };
    let number = if number.is_empty() { part(11).to_owned() } else { number };
    [number.as_str(), part(3)].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ")
}

/// `8842 (MR, Larkfield)`.
fn id(parts: &[String]) -> String {
    let part = |at: usize| parts.get(at).map(String::as_str).unwrap_or_default();
    let about = match parts.len() {
        // A place or an application (HD): its name, and an OID.
        ..=3 => [part(1), ""],
        _ => [part(4), part(3)],
    };
    let about = about.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ");
    match (part(0), about.as_str()) {
        (id, "") => id.to_owned(),
        ("", about) => about.to_owned(),
        (id, about) => format!("{id} ({about})"),
    }
}

/// The segments of a file, with the signs of the header before each. A line that begins no segment has no name and one field:
/// some senders break long texts.
fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut signs = Signs::default();
    let mut found = Vec::new();
    let lines =
        text.split(['\r', '\n']).map(|line| line.trim_matches(FRAMING)).filter(|line| !line.is_empty());
    for line in lines.take(MAX_SEGMENTS) {
        let name = line
            .get(..3)
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            .unwrap_or_default();
        let is_header = matches!(name, "MSH" | "FHS" | "BHS");
        if is_header {
            signs = Signs::of(line);
        }
        let is_segment = !name.is_empty() && line[3..].chars().next().is_none_or(|sign| sign == signs.field);
        if !is_segment {
            found.push(Segment { name: "", fields: vec!["", line], signs });
            continue;
        }
        let mut fields: Vec<_> = line.split(signs.field).collect();
        if is_header {
            // MSH-1 is the sign itself.
            fields.insert(1, "");
        }
        found.push(Segment { name, fields, signs });
    }
    found
}

/// Reads one message or a batch of them.
pub(super) fn read(text: &str) -> Result<Reading, ConversionError> {
    let segments = segments(text);
    let kind = segments.iter().find(|s| s.name == "MSH").map(|s| s.field(9)).unwrap_or_default();
    let mut reading = Reading::new(format!("HL7 message {kind}").trim_end());
    let messages = segments.iter().filter(|segment| segment.name == "MSH").count();
    let mut number = 0;
    let mut results = Results::default();
    let mut list = segments.iter().peekable();
    while let Some(segment) = list.next() {
        if segment.name == "OBX" {
            results.add(segment, &mut reading);
            continue;
        }
        if segment.name == "NTE" && results.note(segment) {
            continue;
        }
        results.finish(&mut reading);
        if segment.name == "MSH" && messages > 1 {
            number += 1;
            reading.heading(1, &format!("Message {number} of {messages}"));
        }
        if segment.name == "MSH"
            && let Some(words) = hl7_standing::event(&segment.component(9, 2))
        {
            reading.note(words);
        }
        if segment.name == "NTE" {
            let mut notes = vec![segment.words(3, Form::Plain)];
            while let Some(next) = list.next_if(|next| next.name == "NTE") {
                notes.push(next.words(3, Form::Plain));
            }
            reading.heading(3, "Note");
            reading.text(&notes.join("\n"));
            continue;
        }
        show(segment, &mut reading);
    }
    results.finish(&mut reading);
    if segments.len() == MAX_SEGMENTS {
        reading.note("The file has more segments than are shown here.");
    }
    Ok(reading)
}

fn show(segment: &Segment<'_>, reading: &mut Reading) {
    if segment.name.is_empty() {
        return reading.text(&unescaped(segment.field(1), segment.signs));
    }
    let known = hl7_names::segment(segment.name);
    let words = known.map(|(words, _)| words).unwrap_or("Other segment");
    let standing = segment.standing();
    let heading = format!("{words} · {}", segment.name);
    reading.heading(2, &standing.map_or(heading.clone(), |standing| format!("{standing}: {heading}")));
    let names = known.map(|(_, fields)| fields).unwrap_or_default();
    // The signs of MSH-1 and MSH-2 say nothing to a reader.
    let first = if matches!(segment.name, "MSH" | "FHS" | "BHS") { 3 } else { 1 };
    let facts = (first..segment.fields.len()).map(|number| {
        let named = names.iter().find(|(known, ..)| *known == number);
        let (label, form) = match named {
            Some((_, label, form)) => (format!("{label} · {number}"), *form),
            None => (format!("Field {number}"), Form::Joined),
        };
        let words = segment.words(number, form);
        let standing = standing.filter(|_| hl7_standing::subject(segment.name) == Some(number));
        (
            label,
            standing.filter(|_| !words.is_empty()).map_or(words.clone(), |said| format!("{said}: {words}")),
        )
    });
    reading.facts(facts.collect::<Vec<_>>());
}

/// Observations that stand one after the other.
#[derive(Default)]
struct Results {
    rows: Vec<Vec<String>>,
    /// Code and kind of the last row, to which further lines of a report are added.
    last: Option<(String, String)>,
}

const RESULT_HEAD: [&str; 7] =
    ["Observation", "Value", "Units", "Reference range", "Flags", "Status", "Observed"];

impl Results {
    fn add(&mut self, segment: &Segment<'_>, reading: &mut Reading) {
        let kind = segment.field(2).trim().to_ascii_uppercase();
        let observation = segment.words(3, Form::Code);
        let value = match kind.as_str() {
            "ED" => document(segment, &observation, reading),
            "DT" | "TS" | "DTM" => segment.words(5, Form::Time),
            "CE" | "CWE" | "CNE" => segment.words(5, Form::Code),
            "XPN" => segment.words(5, Form::Name),
            "XCN" => segment.words(5, Form::Person),
            "TX" | "FT" => segment.lines(5),
            _ => segment.words(5, Form::Plain),
        };
        let observation = match segment.standing() {
            Some(standing) => format!("{standing}: {observation}"),
            None => observation,
        };
        let is_line = matches!(kind.as_str(), "TX" | "FT" | "ST") && segment.field(6).is_empty();
        let of = (observation.clone(), kind);
        if is_line
            && self.last.as_ref() == Some(&of)
            && let Some(cell) = self.rows.last_mut().and_then(|row| row.get_mut(1))
        {
            cell.push('\n');
            cell.push_str(&value);
            return;
        }
        self.last = is_line.then_some(of);
        let word = |field| segment.words(field, Form::Plain);
        let units = segment.words(6, Form::Code);
        let observed = segment.words(14, Form::Time);
        self.rows.push(vec![observation, value, units, word(7), word(8), word(11), observed]);
    }

    /// A note belongs to the observation before it.
    fn note(&mut self, segment: &Segment<'_>) -> bool {
        let Some(cell) = self.rows.last_mut().and_then(|row| row.get_mut(1)) else { return false };
        cell.push_str(&format!("\nNote: {}", segment.words(3, Form::Plain)));
        self.last = None;
        true
    }

    fn finish(&mut self, reading: &mut Reading) {
        self.last = None;
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        reading.heading(2, "Observations · OBX");
        // A report of many lines would be squeezed into a column.
        let is_report = |row: &[String]| row[1].lines().count() > 12 && row[2].is_empty();
        let mut table = Vec::new();
        for row in rows {
            if is_report(&row) {
                reading.table(&RESULT_HEAD, std::mem::take(&mut table));
                reading.heading(3, &row[0]);
                reading.text(&row[1]);
            } else {
                table.push(row);
            }
        }
        reading.table(&RESULT_HEAD, table);
    }
}

/// Takes an embedded document out of OBX-5 (`source^type^subtype^encoding^data`) and says where it is.
fn document(segment: &Segment<'_>, title: &str, reading: &mut Reading) -> String {
    let signs = segment.signs;
    let parts: Vec<&str> = segment.field(5).split(signs.component).collect();
    let encoded = |name: &str| parts.iter().position(|part| part.trim().eq_ignore_ascii_case(name));
    let content = match (encoded("Base64"), encoded("Hex"), encoded("A")) {
        // The data may be torn by separators that the sender should have escaped; no sign of base64 is one.
        (Some(at), ..) => {
            let data = parts[at + 1..].concat().replace([signs.repetition, signs.part], "");
            from_base64(&without_escapes(&data, signs))
        }
        (_, Some(at), _) => hex_content(&parts[at + 1..].concat()),
        (_, _, Some(at)) => {
            let own = signs.component.encode_utf8(&mut [0; 4]).to_owned();
            Some(unescaped(&parts[at + 1..].join(own.as_str()), signs).into_bytes())
        }
        _ => None,
    };
    let Some(content) = content.filter(|content| !content.is_empty()) else {
        return "An embedded document that cannot be read.".to_owned();
    };
    let size = size_words(content.len());
    let number = reading.parts.len() + 1;
    let words = segment.component(3, 2);
    let name = file_name(&words.replace('/', "-"), &content, number);
    let part = Part { name: name.clone(), title: title.to_owned(), content, is_decoration: false };
    match reading.part(part) {
        Some(_) => format!("Document: {name}, {size}"),
        None => format!("Document that is not shown here, {size}"),
    }
}

/// Base64 with line breaks as HL7 escapes them.
fn without_escapes(text: &str, signs: Signs) -> String {
    if text.contains(signs.escape) { unescaped(text, signs) } else { text.to_owned() }
}

fn hex_content(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.as_chunks::<2>().0.iter();
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Block;

    fn lines(text: &str) -> String {
        read(text).unwrap().plain_text()
    }

    #[test]
    fn fields_have_names_and_their_values_words() {
        let text = lines(
            "MSH|^~\\&|LAB^1.2.3^ISO|Q|||20261117093000-0500||ORU^R01|C1|P|2.5.1\rPID|1||8842^^^Larkfield^MR||Pruitt^Desmond^K||19610314|M|||5 Elm St^^Salem^OR^97301\r\
             PV1|1|O|||||77^Okafor^Ada^^^Dr\rZZZ|own^words",
        );
        for words in [
            "HL7 message ORU^R01",
            "Time of message · 7: 2026-11-17 09:30:00 -0500",
            "Identifiers · 3: 8842 (MR, Larkfield)",
            "Name · 5: Desmond K Pruitt",
            "Date of birth · 7: 1961-03-14",
            "Sex · 8: Male (M)",
            "Address · 11: 5 Elm St, Salem OR 97301",
            "Patient class · 2: Outpatient (O)",
            "Attending provider · 7: Dr Ada Okafor (77)",
            "Other segment · ZZZ",
            "Field 1: own words",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn results_are_a_table_and_lines_of_a_report_one_text() {
        let reading = read(
            "MSH|^~\\&|\rOBX|1|NM|2345-7^Glucose^LN||104|mg/dL|70-99|H|||F\rNTE|1||fasting\rOBX|2|TX|X^Report||one\rOBX|3|TX|X^Report||two \\T\\ three\r",
        );
        let reading = reading.unwrap();
        let rows = reading.blocks.iter().find_map(|block| match block {
            Block::Table { rows, .. } => Some(rows.clone()),
            _ => None,
        });
        let rows = rows.unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0][..2], ["Glucose (2345-7, LN)", "104\nNote: fasting"]);
        assert!(rows[0].contains(&"High (H)".to_owned()) && rows[0].contains(&"Final (F)".to_owned()));
        assert_eq!(rows[1][1], "one\ntwo & three");
    }

    #[test]
    fn a_text_has_the_lines_that_the_signs_of_its_sender_make() {
        let text = |message: &str| {
            let reading = read(message).unwrap();
            let cell = |block: &Block| match block {
                Block::Table { rows, .. } => rows.first().map(|row| row[1].clone()),
                _ => None,
            };
            reading.blocks.iter().find_map(cell).unwrap()
        };
        let other = "MSH|^!\\&|\rOBX|1|FT|X^Report||  pH ~7.4^a!!2nd\\R\\\rOBX|2|FT|X^Report||b\\.sp2\\c";
        assert_eq!(text(other), "  pH ~7.4^a\n\n2nd!\nb\n\nc");
        assert_eq!(text("MSH|^~\\&|\rOBX|1|TX|X||a~b!c\\.br\\d"), "a\nb!c\nd");
    }

    #[test]
    fn what_was_withdrawn_cancelled_or_refused_is_said_where_it_is_shown() {
        let text = lines(
            "MSH|^~\\&|||||||ORU^R01\rORC|OC|P1\rOBR|1|P1||24331-1^Lipid panel^LN|||||||||||||||||||||X\r\
             OBX|1|NM|2345-7^Glucose^LN||104|mg/dL||||| W\rOBX|2|NM|718-7^Hemoglobin^LN||9|g/dL|||||D\r\
             OBX|3|NM|x^Sodium||139||||||C\rOBX|4|TX|r^Report||Nodule||||||F\rOBX|5|TX|r^Report||No nodule||||||W\r\
             RXA|0|1|20261117||140^Influenza vaccine^CVX|999||||||||||||PATOBJ^Patient objection||RE",
        );
        for words in [
            "Cancelled: Order · ORC",
            "Order control · 1: Order cancelled (OC)",
            "Service · 4: Cancelled: Lipid panel (24331-1, LN)",
            "Result status · 25: Cancelled, no results (X)",
            "Withdrawn: Glucose (2345-7, LN)\t104",
            "Wrong, withdrawn (W)",
            "Withdrawn: Hemoglobin (718-7, LN)\t9",
            "Corrected: Sodium (x)",
            "\nReport (r)\tNodule",
            "Withdrawn: Report (r)\tNo nodule",
            "Vaccine · 5: Refused, not given: Influenza vaccine (140, CVX)",
            "Completion · 20: Refused (RE)",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(lines("MSH|^~\\&|\rPID|1||8||Poe^Ada|||\"\"").contains("Sex · 8: (removed)"));
        let cancelled = lines("MSH|^~\\&|||||||SIU^S15\rSCH|1||||||||||||||||||||||||Cancelled^Cancelled");
        assert!(cancelled.contains("This message cancels an appointment."), "{cancelled}");
        assert!(cancelled.contains("Cancelled: Appointment · SCH"), "{cancelled}");
    }

    #[test]
    fn embedded_documents_become_parts() {
        let message = "MSH|^~\\&|\nTXA|1|DS\nOBX|1|ED|18842-5^Discharge/Summary^LN||^application^pdf^Base64^JVBERi0x\\X0D0A\\LjcK||||||F";
        let reading = read(message).unwrap();
        assert_eq!(reading.parts.len(), 1);
        assert_eq!(reading.parts[0].name, "Discharge-Summary.pdf");
        assert!(reading.parts[0].content.starts_with(b"%PDF-1.7"));
        assert!(reading.plain_text().contains("Document: Discharge-Summary.pdf, 9 bytes"));
        let broken = read("MSH|^~\\&|\nOBX|1|ED|x||^application^pdf^Base64^").unwrap();
        assert!(broken.parts.is_empty() && broken.plain_text().contains("cannot be read"));
    }

    #[test]
    fn escapes_are_undone_whatever_letters_stand_around_them() {
        let signs = Signs::default();
        assert_eq!(
            unescaped("Müller \\S\\ Söhne\\.br\\2\\X41\\ \\E\\ 5\\", signs),
            "Müller ^ Söhne\n2A \\ 5\\"
        );
        assert_eq!(unescaped("C:\\temp\\x", signs), "C:\\temp\\x");
    }

    #[test]
    fn a_batch_shows_each_message_and_other_signs_are_understood() {
        let text =
            lines("FHS|^~\\&|A\nMSH#*~\\&#LAB\nPID#1##7##Roe*Ines\nMSH|^~\\&|LAB\nPID|1||8||Poe^Ada\nFTS|1");
        for words in ["Message 1 of 2", "Ines Roe", "Message 2 of 2", "Ada Poe"] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn times_are_shown_as_far_as_they_go() {
        assert_eq!(time("2026"), "2026");
        assert_eq!(time("202611"), "2026-11");
        assert_eq!(time("20261117"), "2026-11-17");
        assert_eq!(time("202611170930"), "2026-11-17 09:30");
        assert_eq!(time("20261117093011.1234+0100"), "2026-11-17 09:30:11 +0100");
        assert_eq!(time("soon"), "soon");
    }
}
