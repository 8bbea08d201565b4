//! Plain text and HL7 v2 messages as PDF.

use super::ConversionError;
use crate::typeset::{Face, Ink, Look, Piece, Setting, Sheet, Typeset, Typesetter};

/// Most characters that are set; some 3,000 pages.
const MAX_CHARS: usize = 12_000_000;
const TAB: usize = 8;
const MONO: Look = Look::new(Face::Mono, 9.0);
/// Longest value of an HL7 field that is printed whole; longer ones are embedded files.
const MAX_FIELD: usize = 4_000;

const FAILED: ConversionError = ConversionError::Broken("the text cannot be set");

/// Monospaced, so that columns made with blanks stay columns; form feeds begin pages.
pub(super) fn text_to_pdf(text: &str) -> Result<Typeset, ConversionError> {
    if text.len() > MAX_CHARS {
        return Err(ConversionError::TooLarge);
    }
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    for (index, page) in text.trim_end().split('\x0c').enumerate() {
        if index > 0 {
            typesetter.new_page();
        }
        for line in page.replace("\r\n", "\n").split(['\n', '\r']) {
            let line = expand_tabs(line.trim_end());
            typesetter.paragraph(
                &[Piece::new(line, MONO)],
                Setting { leading: 1.25, after: 0.0, ..Setting::new(MONO) },
            );
        }
    }
    typesetter.finish("Text document", Some("")).ok_or(FAILED)
}

fn expand_tabs(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let blanks = if c == '\t' { TAB - column % TAB } else { 0 };
        match blanks {
            0 => out.push(c),
            _ => out.extend(std::iter::repeat_n(' ', blanks)),
        }
        column += blanks.max(1);
    }
    out
}

/// One block per segment: its name and meaning, then its fields as they are, embedded files left out.
pub(super) fn hl7_to_pdf(text: &str) -> Result<Typeset, ConversionError> {
    if text.len() > MAX_CHARS {
        return Err(ConversionError::TooLarge);
    }
    let head = Look::new(Face::SansBold, 9.5);
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    typesetter.heading(&title(text), Look::new(Face::SansBold, 15.0), 0.0, 0.0);
    typesetter.space(6.0);
    let framing = ['\x0b', '\x1c'];
    for segment in text.split(['\r', '\n']).map(|line| line.trim_matches(framing).trim_end()) {
        if segment.is_empty() {
            continue;
        }
        let name = segment.get(..3).unwrap_or(segment);
        let meaning = meaning(name).map(|words| format!("  {words}")).unwrap_or_default();
        let label = [Piece::new(name, head), Piece::new(meaning, Look::new(Face::Sans, 9.5).ink(Ink::GREY))];
        typesetter.need(36.0);
        typesetter.paragraph(&label, Setting { after: 1.0, ..Setting::new(head) });
        let fields = segment.split('|').map(shortened).collect::<Vec<_>>().join("|");
        let setting = Setting { indent: 12.0, leading: 1.25, after: 7.0, ..Setting::new(MONO) };
        typesetter.paragraph(&[Piece::new(fields, MONO)], setting);
    }
    typesetter.finish("HL7 message", Some("")).ok_or(FAILED)
}

fn shortened(field: &str) -> String {
    if field.len() <= MAX_FIELD {
        return field.to_owned();
    }
    let start: String = field.chars().take(60).collect();
    format!("{start}... ({} characters left out)", field.chars().count() - 60)
}

/// `HL7 message ORU^R01`, by MSH-9.
fn title(text: &str) -> String {
    let msh = text
        .split(['\r', '\n'])
        .map(|line| line.trim_start_matches('\x0b'))
        .find(|line| line.starts_with("MSH"));
    let kind = msh.and_then(|msh| msh.split('|').nth(8)).unwrap_or_default();
    format!("HL7 message {kind}").trim_end().to_owned()
}

/// Meaning of the segments that clinics exchange most (HL7 v2.5.1 chapter 2 to 12).
fn meaning(segment: &str) -> Option<&'static str> {
    Some(match segment {
        "FHS" | "BHS" => "Batch header",
        "MSH" => "Message header",
        "EVN" => "Event",
        "PID" => "Patient",
        "PD1" => "Patient, additional",
        "NK1" => "Next of kin",
        "PV1" => "Visit",
        "PV2" => "Visit, additional",
        "IN1" => "Insurance",
        "GT1" => "Guarantor",
        "AL1" => "Allergy",
        "DG1" => "Diagnosis",
        "ORC" => "Order",
        "OBR" => "Observation request",
        "OBX" => "Observation",
        "NTE" => "Note",
        "TXA" => "Document",
        "SCH" => "Appointment",
        "RXA" => "Immunization",
        "MSA" => "Acknowledgment",
        "ERR" => "Error",
        _ => return None,
    })
}
