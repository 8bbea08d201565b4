//! Documents for the charts of an EHR that speaks HL7 v2: as a notification (MDM, HL7 v2.5.1, chapter 9) or as a result
//! (ORU^R01, chapter 7), and the message that takes one back.

use super::{Shape, confidentiality_status, content_line, document_kind, facility, pid_line};
use crate::{Document, Facility, Identifier, Person};
use chrono::{DateTime, Utc};
use clinical::hl7::{escape, time};

/// What happens to a document in the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filing {
    /// It is added: MDM^T02, or a final result.
    Added,
    /// It replaces one that was added: MDM^T10, or a corrected result.
    Replaced,
    /// It was added by mistake: MDM^T11, or a result that was wrong.
    Cancelled,
}

impl Filing {
    fn event(self) -> &'static str {
        match self {
            Self::Added => "T02",
            Self::Replaced => "T10",
            Self::Cancelled => "T11",
        }
    }
}

/// A patient with the numbers by which the EHR knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbered {
    /// The record number first.
    pub identifiers: Vec<Identifier>,
    /// Name, birth date, sex, address and telephone; `ids` and `visit` are not written.
    pub person: Person,
}

/// The number of a visit (PV1-19).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitNumber {
    pub number: Identifier,
    /// Class as the EHR wrote it (PV1-2); `U` if it is not known.
    pub class: String,
}

/// The numbers of an order: of who ordered it, and of who carries it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderNumbers {
    pub placer: Option<Identifier>,
    pub filler: Option<Identifier>,
}

/// The person who is to review a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reviewer {
    pub id: String,
    pub family: String,
    pub given: String,
}

/// A document for a chart.
#[derive(Clone, Debug)]
pub struct ChartDocument {
    /// When it is sent.
    pub at: DateTime<Utc>,
    pub from: Facility,
    pub to: Facility,
    /// MSH-5; may be empty.
    pub receiving_application: String,
    pub patient: Numbered,
    pub visit: Option<VisitNumber>,
    pub orders: Vec<OrderNumbers>,
    pub reviewer: Option<Reviewer>,
    /// Name of the sender of the document; may be empty.
    pub author: String,
    pub document: Document,
    /// Marked as a test, so that the EHR does not file it.
    pub is_test: bool,
}

/// MSH-10: the same on every attempt, and another one for each document and what happens to it. At most 20 characters.
pub fn control_id(document: &Document, filing: Filing, shape: Shape) -> String {
    let mixed = document.id.as_u128();
    // Its end is random, its beginning a timestamp.
    let digits = (mixed as u64) ^ ((mixed >> 64) as u64).rotate_left(7);
    let shape = match shape {
        Shape::Mdm => 'M',
        Shape::Oru => 'O',
    };
    let filing = match filing {
        Filing::Added => 'A',
        Filing::Replaced => 'R',
        Filing::Cancelled => 'C',
    };
    format!("C{shape}{filing}{digits:016X}")
}

/// The message for a document of a chart.
pub fn message(chart: &ChartDocument, filing: Filing, shape: Shape) -> Vec<u8> {
    let ChartDocument { document, .. } = chart;
    let event = filing.event();
    let code = match (shape, filing) {
        (Shape::Oru, _) => "ORU^R01^ORU_R01".to_owned(),
        // A cancellation has no content, like T01.
        (Shape::Mdm, Filing::Cancelled) => format!("MDM^{event}^MDM_T01"),
        (Shape::Mdm, _) => format!("MDM^{event}^MDM_T02"),
    };
    let at = time::written_with_offset(chart.at);
    let mut lines = vec![format!(
        r"MSH|^~\&|CAREPOST|{}|{}|{}|{at}||{code}|{}|{}|2.5.1||||||UNICODE UTF-8",
        facility(&chart.from),
        escape(&chart.receiving_application),
        facility(&chart.to),
        control_id(document, filing, shape),
        if chart.is_test { "T" } else { "P" },
    )];
    if shape == Shape::Mdm {
        lines.push(format!("EVN|{event}|{at}"));
    }
    let ids: Vec<String> = chart.patient.identifiers.iter().map(identifier).collect();
    lines.push(pid_line(&chart.patient.person, &ids.join("~")));
    lines.push(pv1(chart));
    let kind = document_kind(document);
    match shape {
        Shape::Mdm => lines.push(txa(chart, filing)),
        Shape::Oru => lines.extend(result(chart, filing, &kind)),
    }
    match (filing, shape) {
        (Filing::Cancelled, Shape::Mdm) => {}
        (Filing::Cancelled, Shape::Oru) => lines.push(format!("OBX|1|ED|{kind}|1|\"\"||||||W")),
        (Filing::Replaced, Shape::Oru) => lines.push(content_line(document, &kind, "C")),
        (Filing::Added | Filing::Replaced, _) => lines.push(content_line(document, &kind, "F")),
    }
    let mut text = lines.join("\r");
    text.push('\r');
    text.into_bytes()
}

fn identifier(id: &Identifier) -> String {
    let scheme = if id.oid.is_empty() { "" } else { "ISO" };
    let authority = match (id.authority.as_str(), id.oid.as_str()) {
        (name, "") => escape(name),
        (name, oid) => format!("{}&{}&{scheme}", escape(name), escape(oid)),
    };
    let written = format!("{}^^^{authority}^{}", escape(&id.number), escape(&id.kind));
    written.trim_end_matches('^').to_owned()
}

fn pv1(chart: &ChartDocument) -> String {
    let Some(visit) = &chart.visit else { return "PV1|1|U".into() };
    let class = if visit.class.is_empty() { "U".into() } else { escape(&visit.class) };
    format!("PV1|1|{class}{}{}", "|".repeat(17), identifier(&visit.number))
}

/// XCN: number and name.
fn reviewer(of: &Reviewer) -> String {
    let written = [&of.id, &of.family, &of.given].map(escape).join("^");
    written.trim_end_matches('^').to_owned()
}

fn txa(chart: &ChartDocument, filing: Filing) -> String {
    let document = &chart.document;
    let created = time::written_with_offset(document.created_at);
    // A code without components (IS), unlike in OBX and OBR.
    let kind = document.kind.as_ref().map_or(&document.title, |kind| &kind.code);
    let reviewer = chart.reviewer.as_ref().map(reviewer).unwrap_or_default();
    let author = if chart.author.is_empty() { String::new() } else { format!("^{}", escape(&chart.author)) };
    let orders = |number: fn(&OrderNumbers) -> &Option<Identifier>| -> String {
        chart
            .orders
            .iter()
            .filter_map(|order| number(order).as_ref().map(entity))
            .collect::<Vec<_>>()
            .join("~")
    };
    let fields = [
        "TXA".to_owned(),
        "1".into(),
        escape(kind),
        "AP".into(),
        created,
        reviewer.clone(),
        String::new(),
        String::new(),
        String::new(),
        author,
        reviewer,
        String::new(),
        document.id.simple().to_string(),
        String::new(),
        orders(|order| &order.placer),
        orders(|order| &order.filler),
        escape(&document.file_name),
        "LA".into(),
        confidentiality_status(document.confidentiality).to_owned(),
        // Table 0273: available, or deleted.
        if filing == Filing::Cancelled { "CA".into() } else { "AV".into() },
    ];
    fields.join("|")
}

/// ORC and OBR. A result answers one order, so the first of several counts.
fn result(chart: &ChartDocument, filing: Filing, kind: &str) -> Vec<String> {
    let document = &chart.document;
    let (id, created) = (document.id.simple(), time::written_with_offset(document.created_at));
    let order = chart.orders.first().cloned().unwrap_or_default();
    let placer = order.placer.as_ref().map(entity).unwrap_or_default();
    let (sent, to_status) = (time::written_with_offset(chart.at), "|".repeat(15));
    let status = if filing == Filing::Added { "F" } else { "C" };
    let mut obr = format!("OBR|1|{placer}|{id}|{kind}|||{created}{to_status}{sent}|||{status}");
    if let Some(reviewer) = chart.reviewer.as_ref().map(reviewer) {
        // OBR-28: copies of the result.
        obr = format!("{obr}|||{reviewer}");
    }
    let orc = (!placer.is_empty()).then(|| format!("ORC|RE|{placer}|{id}"));
    orc.into_iter().chain([obr]).collect()
}

/// EI: a number with its namespace.
fn entity(id: &Identifier) -> String {
    let scheme = if id.oid.is_empty() { "" } else { "ISO" };
    let written = format!("{}^{}^{}^{scheme}", escape(&id.number), escape(&id.authority), escape(&id.oid));
    written.trim_end_matches('^').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{receive::message::Content, samples::delivery};
    use clinical::hl7::Message;
    // Another reader than our own.
    use hl7_parser::Message as Foreign;

    fn id(number: &str, authority: &str, oid: &str, kind: &str) -> Identifier {
        Identifier { number: number.into(), authority: authority.into(), oid: oid.into(), kind: kind.into() }
    }

    fn chart() -> ChartDocument {
        let delivery = delivery();
        ChartDocument {
            at: delivery.at,
            from: delivery.from,
            to: delivery.to,
            receiving_application: "EHR|1".into(),
            patient: Numbered {
                identifiers: vec![id("70412", "HAW", "1.2.840.9", "MR"), id("8^1", "ELM", "", "PI")],
                person: delivery.patient,
            },
            visit: Some(VisitNumber { number: id("V1", "HAW", "", "VN"), class: "E".into() }),
            orders: vec![
                OrderNumbers { placer: Some(id("O1", "EHR", "", "")), filler: Some(id("F1", "LAB", "", "")) },
                OrderNumbers { placer: Some(id("O2", "", "", "")), filler: None },
            ],
            reviewer: Some(Reviewer { id: "12".into(), family: "Osei".into(), given: "Ama".into() }),
            author: "Northgate & Sons".into(),
            document: delivery.documents[0].clone(),
            is_test: false,
        }
    }

    fn text(chart: &ChartDocument, filing: Filing, shape: Shape) -> String {
        String::from_utf8(message(chart, filing, shape)).unwrap()
    }

    #[test]
    fn a_document_names_patient_visit_orders_and_reviewer_as_the_ehr_knows_them() {
        let text = text(&chart(), Filing::Added, Shape::Mdm);
        let read = Foreign::parse(text.trim()).unwrap();
        let field = |segment: &str, number| read.segment(segment).unwrap().field(number).unwrap().raw_value();
        assert_eq!(field("MSH", 9), "MDM^T02^MDM_T02");
        assert_eq!(field("MSH", 5), r"EHR\F\1");
        assert_eq!(field("MSH", 10), control_id(&chart().document, Filing::Added, Shape::Mdm));
        assert_eq!(field("PID", 3), r"70412^^^HAW&1.2.840.9&ISO^MR~8\S\1^^^ELM^PI");
        assert_eq!((field("PV1", 2), field("PV1", 19)), ("E", "V1^^^HAW^VN"));
        assert_eq!((field("TXA", 5), field("TXA", 10)), ("12^Osei^Ama", "12^Osei^Ama"));
        assert_eq!(field("TXA", 9), r"^Northgate \T\ Sons");
        assert_eq!(field("TXA", 12), "00000000000000000000000000000008");
        assert_eq!((field("TXA", 14), field("TXA", 15)), ("O1^EHR~O2", "F1^LAB"));
        assert_eq!((field("TXA", 17), field("TXA", 18), field("TXA", 19)), ("LA", "R", "AV"));
        assert_eq!(field("OBX", 5), "^application^pdf^Base64^JVBERi0xLjcgbWFkZSB1cA==");
    }

    #[test]
    fn a_cancellation_names_the_same_document_and_has_no_content() {
        let text = text(&chart(), Filing::Cancelled, Shape::Mdm);
        let read = Foreign::parse(text.trim()).unwrap();
        let field = |segment: &str, number| read.segment(segment).unwrap().field(number).unwrap().raw_value();
        assert_eq!((field("MSH", 9), field("EVN", 1)), ("MDM^T11^MDM_T01", "T11"));
        assert_eq!(field("TXA", 12), "00000000000000000000000000000008");
        assert_eq!(field("TXA", 19), "CA");
        assert!(read.segment("OBX").is_none());
    }

    #[test]
    fn a_result_answers_its_order_and_is_withdrawn_as_wrong() {
        let added = text(&chart(), Filing::Added, Shape::Oru);
        let read = Foreign::parse(added.trim()).unwrap();
        let field = |segment: &str, number| read.segment(segment).unwrap().field(number).unwrap().raw_value();
        assert_eq!((field("ORC", 1), field("ORC", 2)), ("RE", "O1^EHR"));
        assert_eq!((field("OBR", 2), field("OBR", 3)), ("O1^EHR", "00000000000000000000000000000008"));
        assert_eq!((field("OBR", 25), field("OBR", 28)), ("F", "12^Osei^Ama"));
        assert_eq!(field("OBX", 11), "F");
        let wrong = text(&chart(), Filing::Cancelled, Shape::Oru);
        assert!(wrong.contains("|\"\"||||||W\r") && !wrong.contains("Base64"), "{wrong}");
        let replaced = text(&chart(), Filing::Replaced, Shape::Oru);
        assert!(replaced.contains("Base64") && replaced.ends_with("||||||C\r"), "{replaced}");
    }

    #[test]
    fn the_least_that_is_known_makes_a_message_that_our_own_reader_reads() {
        let bare = ChartDocument {
            visit: None,
            orders: Vec::new(),
            reviewer: None,
            author: String::new(),
            receiving_application: String::new(),
            ..chart()
        };
        for shape in [Shape::Mdm, Shape::Oru] {
            let written = message(&bare, Filing::Added, shape);
            let content = Content::read(&Message::read(&written).unwrap()).unwrap();
            assert_eq!(content.patient.ids[0].0, "70412");
            assert_eq!(content.patient.visit, "");
            assert_eq!(content.files[0].content, bare.document.content);
        }
        assert!(!text(&bare, Filing::Added, Shape::Oru).contains("ORC"));
        assert!(text(&bare, Filing::Replaced, Shape::Mdm).contains("MDM^T10^MDM_T02"));
    }

    #[test]
    fn a_control_id_is_one_for_each_document_and_event() {
        let document = chart().document;
        let mut all = std::collections::BTreeSet::new();
        for filing in [Filing::Added, Filing::Replaced, Filing::Cancelled] {
            for shape in [Shape::Mdm, Shape::Oru] {
                let id = control_id(&document, filing, shape);
                assert!(id.len() <= 20 && all.insert(id.clone()), "{id}");
                let again = ChartDocument { at: chart().at + chrono::Duration::hours(2), ..chart() };
                assert!(text(&again, filing, shape).contains(&format!("|{id}|")));
            }
        }
    }
}
