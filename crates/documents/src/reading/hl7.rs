//! HL7 v2 messages: segments and fields by name, results as tables, embedded documents as parts.
//!
//! Any message is shown as far as it can be read, valid or not.

mod patient;

pub(crate) use patient::patient;

use clinical::embedded::from_base64;
use clinical::hl7::escape::hex;
use clinical::hl7::separators::is_header;
use clinical::hl7::time::Precision;
use clinical::hl7::{Message, Segment, Time, Value, charset};
use encoding_rs::{UTF_8, WINDOWS_1252};

use super::hl7_names::{self, Form};
use super::hl7_standing;
use super::{Part, Reading, file_name, size_words};
use crate::error::ConversionError;
use crate::text;

/// Shown for a value that a message deletes (HL7 v2.5.1, 2.5.3.2).
const REMOVED: &str = "(removed)";

/// The message in a file, in the character set of its header. Text in UTF-8 or the common Western set is decoded like any
/// other text, because one bad byte must not change all accents.
fn message(content: &[u8]) -> Message {
    let declared = charset::declared(content);
    match declared.filter(|set| ![UTF_8, WINDOWS_1252].contains(set)) {
        Some(set) => Message::lenient(set.decode(content).0, set),
        None => Message::lenient(text::decode(content), declared.unwrap_or(UTF_8)),
    }
}

/// The remark about a segment that is cancelled, withdrawn or uncertain.
fn standing(segment: &Segment<'_>) -> Option<&'static str> {
    hl7_standing::standing(segment.name(), |number| component(segment, number, 1))
}

/// A component of the first repetition, without further subcomponents.
fn component(segment: &Segment<'_>, field: usize, number: usize) -> String {
    segment.field(field).component(number).subcomponent(1).text()
}

fn words(segment: &Segment<'_>, number: usize, form: Form) -> String {
    words_of(segment.name(), number, segment.field(number), form)
}

/// The text of a field, each repetition on a line.
fn words_of(segment: &str, number: usize, field: Value<'_>, form: Form) -> String {
    let repetitions = field.repetitions().map(|one| value(segment, number, one, form));
    repetitions.filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A field of running text: a repetition is a line, also an empty one, and every other separator is a part of the text.
fn running_text(field: Value<'_>) -> String {
    let line = |one: Value<'_>| match one.is_deleted() {
        true => REMOVED.to_owned(),
        false => one.printable().trim_end().to_owned(),
    };
    field.repetitions().map(line).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn value(segment: &str, number: usize, value: Value<'_>, form: Form) -> String {
    if value.is_deleted() {
        return REMOVED.to_owned();
    }
    // In plain text the separator is a character that the sender should have escaped.
    let between = match value.separators().subcomponent {
        separator if form == Form::Plain && separator != '\0' => separator,
        _ => ' ',
    };
    let read = |component: Value<'_>| {
        let parts = component.subcomponents().map(Value::printable);
        parts.collect::<Vec<_>>().join(between.encode_utf8(&mut [0; 4])).trim().to_owned()
    };
    let parts: Vec<String> = value.components().map(read).collect();
    let part = |number: usize| parts.get(number - 1).map(String::as_str).unwrap_or_default();
    let joined = || parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ");
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
        Form::Joined | Form::Plain => match hl7_names::code_words(segment, number, &joined()) {
            Some(words) => format!("{words} ({})", part(1)),
            None => joined(),
        },
    }
}

/// `20261117093000-0500` as `2026-11-17 09:30:00 -0500`; unchanged if it is not a time.
pub(super) fn time(raw: &str) -> String {
    let Some(time) = Time::parse(raw) else { return raw.to_owned() };
    let zone = raw.find(['+', '-']).map(|at| format!(" {}", &raw[at..])).unwrap_or_default();
    let form = match time.precision {
        Precision::Year => "%Y",
        Precision::Month => "%Y-%m",
        Precision::Day => "%Y-%m-%d",
        Precision::Hour | Precision::Minute => "%Y-%m-%d %H:%M",
        Precision::Second => "%Y-%m-%d %H:%M:%S",
    };
    format!("{}{}", time.local.format(form), if time.precision > Precision::Day { &zone } else { "" })
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

/// Reads one message or a batch of them.
pub(super) fn read(content: &[u8]) -> Result<Reading, ConversionError> {
    let message = message(content);
    let kind = message.segment("MSH").map(|msh| msh.field(9).raw).unwrap_or_default();
    let mut reading = Reading::new(format!("HL7 message {kind}").trim_end());
    let messages = message.segments().filter(|segment| segment.name() == "MSH").count();
    let mut number = 0;
    let mut results = Results::default();
    let mut list = message.segments().peekable();
    while let Some(segment) = list.next() {
        let name = segment.name();
        if name == "OBX" {
            results.add(&segment, &mut reading);
            continue;
        }
        if name == "NTE" && results.note(&segment) {
            continue;
        }
        results.finish(&mut reading);
        if name == "MSH" && messages > 1 {
            number += 1;
            reading.heading(1, &format!("Message {number} of {messages}"));
        }
        if name == "MSH"
            && let Some(words) = hl7_standing::event(&component(&segment, 9, 2))
        {
            reading.note(words);
        }
        if name == "NTE" {
            let mut notes = vec![words(&segment, 3, Form::Plain)];
            while let Some(next) = list.next_if(|next| next.name() == "NTE") {
                notes.push(words(&next, 3, Form::Plain));
            }
            reading.heading(3, "Note");
            reading.text(&notes.join("\n"));
            continue;
        }
        show(&segment, &mut reading);
    }
    results.finish(&mut reading);
    if message.is_cut() {
        reading.note("The file has more segments than are shown here.");
    }
    Ok(reading)
}

fn show(segment: &Segment<'_>, reading: &mut Reading) {
    let name = segment.name();
    if name.is_empty() {
        // Some senders break long text into lines.
        return reading.text(&segment.whole().printable());
    }
    let known = hl7_names::segment(name);
    let title = known.map(|(title, _)| title).unwrap_or("Other segment");
    let standing = standing(segment);
    let heading = format!("{title} · {name}");
    reading.heading(2, &standing.map_or(heading.clone(), |standing| format!("{standing}: {heading}")));
    let names = known.map(|(_, fields)| fields).unwrap_or_default();
    // The separators in MSH-1 and MSH-2 are of no use to a reader.
    let first = if is_header(name) { 3 } else { 1 };
    let facts = segment.fields().filter(|(number, _)| *number >= first).map(|(number, field)| {
        let named = names.iter().find(|(known, ..)| *known == number);
        let (label, form) = match named {
            Some((_, label, form)) => (format!("{label} · {number}"), *form),
            None => (format!("Field {number}"), Form::Joined),
        };
        let words = words_of(name, number, field, form);
        let standing = standing.filter(|_| hl7_standing::subject(name) == Some(number));
        (
            label,
            standing.filter(|_| !words.is_empty()).map_or(words.clone(), |said| format!("{said}: {words}")),
        )
    });
    reading.facts(facts.collect::<Vec<_>>());
}

/// Consecutive observations.
#[derive(Default)]
struct Results {
    rows: Vec<Vec<String>>,
    /// Observation and type of the last row; further lines of the same report are added to that row.
    last: Option<(String, String)>,
}

const RESULT_HEAD: [&str; 7] =
    ["Observation", "Value", "Units", "Reference range", "Flags", "Status", "Observed"];

impl Results {
    fn add(&mut self, segment: &Segment<'_>, reading: &mut Reading) {
        let kind = segment.field(2).raw.trim().to_ascii_uppercase();
        let observation = words(segment, 3, Form::Code);
        let value = match kind.as_str() {
            "ED" => document(segment, &observation, reading),
            "DT" | "TS" | "DTM" => words(segment, 5, Form::Time),
            "CE" | "CWE" | "CNE" => words(segment, 5, Form::Code),
            "XPN" => words(segment, 5, Form::Name),
            "XCN" => words(segment, 5, Form::Person),
            "TX" | "FT" => running_text(segment.field(5)),
            _ => words(segment, 5, Form::Plain),
        };
        let observation = match standing(segment) {
            Some(standing) => format!("{standing}: {observation}"),
            None => observation,
        };
        let is_line = matches!(kind.as_str(), "TX" | "FT" | "ST") && segment.field(6).raw.is_empty();
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
        let word = |field| words(segment, field, Form::Plain);
        let units = words(segment, 6, Form::Code);
        let observed = words(segment, 14, Form::Time);
        self.rows.push(vec![observation, value, units, word(7), word(8), word(11), observed]);
    }

    /// A note belongs to the observation before it.
    fn note(&mut self, segment: &Segment<'_>) -> bool {
        let Some(cell) = self.rows.last_mut().and_then(|row| row.get_mut(1)) else { return false };
        cell.push_str(&format!("\nNote: {}", words(segment, 3, Form::Plain)));
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
        // A long report does not fit into a column.
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

/// Adds the embedded document of OBX-5 (`source^type^subtype^encoding^data`) as a part, and returns the text for its cell.
fn document(segment: &Segment<'_>, title: &str, reading: &mut Reading) -> String {
    let field = segment.field(5);
    // The data after the name of its encoding, which is not always component 4.
    let encoded = |name: &str| {
        let at = field.components().position(|part| part.raw.trim().eq_ignore_ascii_case(name))?;
        Some(field.from_component(at + 2).unescaped())
    };
    let content = match (encoded("Base64"), encoded("Hex"), encoded("A")) {
        (Some(data), ..) => from_base64(&whole(&data, segment)),
        (_, Some(data), _) => from_hex(&data),
        (_, _, Some(data)) => Some(data.into_bytes()),
        _ => None,
    };
    let Some(content) = content.filter(|content| !content.is_empty()) else {
        return "An embedded document that cannot be read.".to_owned();
    };
    let size = size_words(content.len());
    let number = reading.parts.len() + 1;
    let words = component(segment, 3, 2);
    let name = file_name(&words.replace('/', "-"), &content, number);
    let part = Part { name: name.clone(), title: title.to_owned(), content, is_decoration: false };
    match reading.part(part) {
        Some(_) => format!("Document: {name}, {size}"),
        None => format!("Document that is not shown here, {size}"),
    }
}

/// Bytes of hexadecimal digits. Other characters and half of a last byte are left out.
fn from_hex(data: &str) -> Option<Vec<u8>> {
    let mut digits: String = data.chars().filter(char::is_ascii_hexdigit).collect();
    digits.truncate(digits.len() / 2 * 2);
    hex(&digits)
}

/// Base64 data without separators that the sender should have escaped: none of them is a digit.
fn whole(data: &str, segment: &Segment<'_>) -> String {
    let separators = segment.separators();
    data.replace([separators.component, separators.repetition, separators.subcomponent], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Block;

    fn lines(text: &str) -> String {
        read(text.as_bytes()).unwrap().plain_text()
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
            "MSH|^~\\&|\rOBX|1|NM|2345-7^Glucose^LN||104|mg/dL|70-99|H|||F\rNTE|1||fasting\rOBX|2|TX|X^Report||one\rOBX|3|TX|X^Report||two \\T\\ three\r"
                .as_bytes(),
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
    fn a_text_has_the_lines_that_the_separators_of_its_sender_make() {
        let text = |message: &str| {
            let reading = read(message.as_bytes()).unwrap();
            let cell = |block: &Block| match block {
                Block::Table { rows, .. } => rows.first().map(|row| row[1].clone()),
                _ => None,
            };
            reading.blocks.iter().find_map(cell).unwrap()
        };
        let other = "MSH|^!\\&|\rOBX|1|FT|X^Report||  pH ~7.4^a!!2nd\\R\\\rOBX|2|FT|X^Report||b\\.sp2\\c";
        assert_eq!(text(other), "  pH ~7.4^a\n\n2nd!\nb\n\nc");
        assert_eq!(text("MSH|^~\\&|\rOBX|1|TX|X||a~b!c\\.br\\d"), "a\nb!c\nd");
        assert_eq!(text("MSH|^~\\&|\rOBX|1|TX|x^Report||\"\"||||||F"), "(removed)");
        assert_eq!(text("MSH|^~\\&|\rOBX|1|FT|x^Report||a~\"\"||||||F"), "a\n(removed)");
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
        let reading = read(message.as_bytes()).unwrap();
        assert_eq!(reading.parts.len(), 1);
        assert_eq!(reading.parts[0].name, "Discharge-Summary.pdf");
        assert!(reading.parts[0].content.starts_with(b"%PDF-1.7"));
        assert!(reading.plain_text().contains("Document: Discharge-Summary.pdf, 9 bytes"));
        for digits in ["255044462d", "25-50:44 46.2d", "25504446\\X0D0A\\2d", "255044462d1"] {
            let message = format!("MSH|^~\\&|\nOBX|1|ED|x^Letter||^application^pdf^Hex^{digits}");
            assert_eq!(read(message.as_bytes()).unwrap().parts[0].content, b"%PDF-", "{digits}");
        }
        let broken = read(b"MSH|^~\\&|\nOBX|1|ED|x||^application^pdf^Base64^").unwrap();
        assert!(broken.parts.is_empty() && broken.plain_text().contains("cannot be read"));
    }

    #[test]
    fn escapes_are_undone_between_any_letters() {
        let text = lines("MSH|^~\\&\rNTE|1||Müller \\S\\ Söhne\\.br\\2\\X41\\ \\E\\ 5\\\rNTE|2||C:\\temp\\x");
        assert!(text.contains("Müller ^ Söhne\n2A \\ 5\\\nC:\\temp\\x"), "{text}");
    }

    #[test]
    fn the_character_set_of_the_header_decides_unless_the_text_is_utf_8() {
        let with = |charset: &str, name: &[u8]| {
            let head = format!("MSH|^~\\&{}{charset}\rPID|1||||", "|".repeat(16));
            read(&[head.as_bytes(), name].concat()).unwrap().plain_text()
        };
        assert!(with("8859/2", b"\xa3ukasz \\XA3\\").contains("Łukasz Ł"));
        assert!(with("8859/1", b"N\xfa\xf1ez").contains("Núñez"));
        for charset in ["8859/1", "8859/2", "8859/15", "KOI8"] {
            assert!(with(charset, "Núñez".as_bytes()).contains("Núñez"), "{charset}");
        }
        assert!(with("8859/2", b"\\XA3\\ukasz").contains("Łukasz"));
        assert!(with("UNICODE UTF-8", "Núñez \\XC3A9\\".as_bytes()).contains("Núñez é"));
        assert!(with("", b"N\xfa\xf1ez").contains("Núñez"));
    }

    #[test]
    fn a_batch_shows_each_message_and_other_separators_are_understood() {
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
