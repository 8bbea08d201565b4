//! HL7 v2.5.1 messages with documents (MDM^T02, ORU^R01), and their acknowledgements.

pub mod chart;

use crate::{Confidentiality, Delivery, Document, Facility, Outcome, Person};
use base64::{Engine, engine::general_purpose::STANDARD};
use clinical::hl7::{Message, escape, time};

/// Largest acknowledgement, in bytes.
pub const ACK_LIMIT: usize = 64 << 10;

/// Kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A document notification with its content.
    Mdm,
    /// A result.
    Oru,
}

/// MSH-10 of one document of a delivery: the same on every attempt, at most 20 characters.
pub fn control_id(delivery: &Delivery, document: &Document) -> String {
    let mixed = delivery.id.as_u128().rotate_left(17) ^ document.id.as_u128();
    // The ends of both ids are random, their beginnings are timestamps.
    format!("CP{:016X}", (mixed as u64) ^ ((mixed >> 64) as u64))
}

/// The message for one document.
pub fn message(delivery: &Delivery, document: &Document, shape: Shape) -> Vec<u8> {
    let code = match shape {
        Shape::Mdm => "MDM^T02^MDM_T02",
        Shape::Oru => "ORU^R01^ORU_R01",
    };
    let (at, created) = (time::written(delivery.at), time::written(document.created_at));
    let processing = if delivery.is_test { "T" } else { "P" };
    let mut lines = vec![format!(
        r"MSH|^~\&|CAREPOST|{}||{}|{at}||{code}|{}|{processing}|2.5.1||||||UNICODE UTF-8",
        facility(&delivery.from),
        facility(&delivery.to),
        control_id(delivery, document),
    )];
    if shape == Shape::Mdm {
        lines.push(format!("EVN|T02|{at}"));
    }
    lines.push(pid(&delivery.patient));
    let location = escape(&delivery.location);
    let to_visit = "|".repeat(16);
    lines.push(format!("PV1|1|U|^^^{location}{to_visit}{}", escape(&delivery.patient.visit)));
    let kind = document_kind(document);
    let id = document.id.simple();
    lines.push(match shape {
        Shape::Mdm => {
            let name = escape(&document.file_name);
            // A code without components (IS), unlike in OBX and OBR.
            let kind = document.kind.as_ref().map_or(&document.title, |kind| &kind.code);
            let status = confidentiality_status(document.confidentiality);
            format!("TXA|1|{}|AP|{created}||||||||{id}||||{name}|LA|{status}|AV", escape(kind))
        }
        Shape::Oru => format!("OBR|1||{id}|{kind}|||{created}{}{at}|||F", "|".repeat(15)),
    });
    lines.push(content_line(document, &kind, "F"));
    let mut text = lines.join("\r");
    text.push('\r');
    text.into_bytes()
}

/// The type of a document (CWE), or its title if that is not known.
fn document_kind(document: &Document) -> String {
    match &document.kind {
        Some(kind) => format!("{}^{}^LN", escape(&kind.code), escape(&kind.name)),
        None => format!("^{}", escape(&document.title)),
    }
}

/// Code of table 0272, whose code for normal is "usual control".
fn confidentiality_status(confidentiality: Confidentiality) -> &'static str {
    match confidentiality {
        Confidentiality::Normal => "U",
        other => other.code(),
    }
}

fn facility(facility: &Facility) -> String {
    match (facility.name.trim(), facility.oid.trim()) {
        ("", "") => String::new(),
        (name, "") => escape(name),
        (name, oid) => format!("{}^{}^ISO", escape(name), escape(oid)),
    }
}

fn pid(patient: &Person) -> String {
    let ids: Vec<_> =
        patient.ids.iter().map(|(id, oid)| format!("{}^^^&{}&ISO", escape(id), escape(oid))).collect();
    pid_line(patient, &ids.join("~"))
}

/// A PID segment with these identifiers.
fn pid_line(patient: &Person, ids: &str) -> String {
    let born = patient.born.map(|day| day.format("%Y%m%d").to_string()).unwrap_or_default();
    let [family, given, middle, sex] =
        [&patient.family, &patient.given, &patient.middle, &patient.sex].map(escape);
    let [street, city, state, postal, phone] =
        [&patient.street, &patient.city, &patient.state, &patient.postal_code, &patient.phone].map(escape);
    format!(
        "PID|1||{ids}||{family}^{given}^{middle}||{born}|{sex}|||{street}^^{city}^{state}^{postal}||{phone}"
    )
}

/// An OBX segment with the content of a document, and its status of table 0085.
fn content_line(document: &Document, kind: &str, status: &str) -> String {
    if document.media_type.starts_with("text/plain") {
        let text = String::from_utf8_lossy(&document.content);
        let lines: Vec<_> = text.lines().map(escape).collect();
        return format!("OBX|1|TX|{kind}|1|{}||||||{status}", lines.join("~"));
    }
    let (kind_of_data, subtype) =
        document.media_type.split_once('/').unwrap_or(("application", "octet-stream"));
    let data = STANDARD.encode(&document.content);
    format!("OBX|1|ED|{kind}|1|^{}^{}^Base64^{data}||||||{status}", escape(kind_of_data), escape(subtype))
}

/// An acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// MSA-2: MSH-10 of the acknowledged message.
    pub control_id: String,
    pub outcome: Outcome,
}

/// Parses an acknowledgement; `None` if it is not one.
pub fn ack(frame: &[u8]) -> Option<Ack> {
    if frame.len() > ACK_LIMIT {
        return None;
    }
    let message = Message::read(frame).ok()?;
    let msa = message.segment("MSA")?;
    // As it was sent: an escape in it comes back as one.
    let control_id = Some(msa.field(2).raw.trim().to_owned()).filter(|id| !id.is_empty())?;
    let outcome = match msa.field(1).raw.trim() {
        "AA" | "CA" => Outcome::Accepted,
        code @ ("AE" | "CE" | "AR" | "CR") => Outcome::Refused(refusal(code, &message)),
        _ => return None,
    };
    Some(Ack { control_id, outcome })
}

/// Description of a refusal with only its code of table 0357: the other side's text may name the patient.
fn refusal(code: &str, message: &Message) -> String {
    let why = match code {
        "AE" | "CE" => "the message contains a value that it does not accept",
        _ => "it does not take such messages",
    };
    let error = message.segment("ERR").map(|err| err.field(3).raw).unwrap_or_default();
    match error.chars().take_while(char::is_ascii_digit).take(4).collect::<String>() {
        number if number.is_empty() => format!("The endpoint answered {code}: {why}."),
        number => format!("The endpoint answered {code} with error {number}: {why}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::delivery;
    // Another reader than our own.
    use hl7_parser::Message as Foreign;
    use proptest::prelude::*;

    fn parsed(shape: Shape) -> String {
        let delivery = delivery();
        String::from_utf8(message(&delivery, &delivery.documents[0], shape)).unwrap()
    }

    #[test]
    fn a_document_travels_in_a_notification_whose_text_cannot_break_its_fields() {
        let text = parsed(Shape::Mdm);
        let read = Foreign::parse(text.trim()).unwrap();
        let field = |segment: &str, number| read.segment(segment).unwrap().field(number).unwrap().raw_value();
        assert_eq!(field("MSH", 9), "MDM^T02^MDM_T02");
        assert_eq!(field("MSH", 4), r"Larkfield \T\ Sons^1.2.3.4^ISO");
        assert_eq!(field("MSH", 6), "^1.2.3.9^ISO");
        assert_eq!(field("PID", 3), r"MRN\S\7^^^&1.2.3.4.5&ISO");
        assert_eq!(field("PV1", 3), "^^^rrh");
        assert_eq!(field("TXA", 2), "18842-5");
        assert_eq!(field("TXA", 12), "00000000000000000000000000000008");
        assert_eq!((field("TXA", 17), field("TXA", 18), field("TXA", 19)), ("LA", "R", "AV"));
        assert_eq!(field("OBX", 5), "^application^pdf^Base64^JVBERi0xLjcgbWFkZSB1cA==");
        assert_eq!(field("OBX", 11), "F");
    }

    #[test]
    fn a_result_carries_the_document_too() {
        let text = parsed(Shape::Oru);
        let read = Foreign::parse(text.trim()).unwrap();
        let field = |segment: &str, number| read.segment(segment).unwrap().field(number).unwrap().raw_value();
        assert_eq!(field("OBR", 4), "18842-5^Discharge summary^LN");
        assert_eq!(field("OBR", 25), "F");
        assert_eq!(field("OBX", 2), "ED");
    }

    #[test]
    fn the_control_id_is_the_same_on_every_attempt_and_another_for_each_document() {
        let mut delivery = delivery();
        let first = control_id(&delivery, &delivery.documents[0]);
        delivery.at += chrono::Duration::hours(2);
        assert_eq!(control_id(&delivery, &delivery.documents[0]), first);
        assert!(first.len() <= 20);
        let mut other = delivery.documents[0].clone();
        other.id = uuid::Uuid::from_u128(9);
        assert_ne!(control_id(&delivery, &other), first);
    }

    #[test]
    fn acknowledgements_say_whom_they_answer_and_never_quote() {
        let read = |text: &str| ack(text.as_bytes());
        let accepted = read("MSH|^~\\&|E|N|C|L|20261120||ACK|1|P|2.5\r\nMSA|AA|CP7F31\r\n").unwrap();
        assert_eq!((accepted.control_id.as_str(), accepted.outcome), ("CP7F31", Outcome::Accepted));
        let refused =
            read("MSH|^~\\&|E|N|C|L|20261120||ACK|1|P|2.5\nMSA|AE|CP1|Tenney unknown\nERR||PID^3|204^x|E");
        let Outcome::Refused(why) = refused.unwrap().outcome else { panic!("refused") };
        assert_eq!(
            why,
            "The endpoint answered AE with error 204: the message contains a value that it does not accept."
        );
        assert!(matches!(read("MSH|^~\\&\rMSA|AR|1").unwrap().outcome, Outcome::Refused(_)));
        for none in ["", "MSH|^~\\&|", "hello", "MSH|^~\\&|x\rMSA|ZZ|1", "MSH|^~\\&|x\rMSA|AA"] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn whatever_stands_in_a_field_is_read_back_as_it_was(title in "[ -~]{0,40}") {
            let mut delivery = delivery();
            delivery.patient.family = title.clone();
            let text = String::from_utf8(message(&delivery, &delivery.documents[0], Shape::Mdm)).unwrap();
            let read = Foreign::parse(text.trim()).unwrap();
            let family = read.segment("PID").unwrap().field(5).unwrap().component(1).map(|c| c.raw_value()).unwrap_or("");
            prop_assert_eq!(read.separators.decode(family).to_string(), title);
        }

        #[test]
        fn no_answer_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = ack(&bytes);
        }
    }
}
