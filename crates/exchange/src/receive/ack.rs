//! Answers to HL7 v2 messages, in original and in enhanced mode (HL7 v2.5.1, 2.9).

use chrono::{DateTime, Utc};
use clinical::hl7::{Message, Segment, time};

/// A problem of a message, described without quoting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The same message will never be accepted. Otherwise its content is invalid, or the problem is local.
    pub is_rejected: bool,
    /// Code of table 0357.
    pub number: u16,
    /// Segment and field.
    pub place: &'static str,
    pub words: &'static str,
}

impl Problem {
    /// AR: an unsupported kind of message, or an unknown sender.
    pub const fn rejected(number: u16, place: &'static str, words: &'static str) -> Self {
        Self { is_rejected: true, number, place, words }
    }

    /// AE: invalid content, or a temporary local problem.
    pub const fn error(number: u16, place: &'static str, words: &'static str) -> Self {
        Self { is_rejected: false, number, place, words }
    }

    /// A local problem; the sender should try again.
    pub const fn ours(words: &'static str) -> Self {
        Self::error(207, "", words)
    }
}

/// The acknowledgements of a message: one in original mode; in enhanced mode those requested in its header, first the
/// accept and then the application acknowledgement. A refused message gets one at most.
pub fn answers(
    message: &Message,
    verdict: Result<(), Problem>,
    now: DateTime<Utc>,
    id: &str,
) -> Vec<Vec<u8>> {
    let header = message.header();
    let asked = |number: usize| header.field(number).raw.trim().to_ascii_uppercase();
    let (accept, application) = (asked(15), asked(16));
    let is_known = |condition: &String| matches!(condition.as_str(), "AL" | "NE" | "SU" | "ER");
    let wants = |condition: &str| match condition {
        "" | "NE" => false,
        "SU" => verdict.is_ok(),
        "ER" => verdict.is_err(),
        // An unknown condition still gets an answer.
        _ => true,
    };
    let code = |is_enhanced: bool| match (is_enhanced, verdict) {
        (false, Ok(())) => "AA",
        (true, Ok(())) => "CA",
        (false, Err(problem)) => {
            if problem.is_rejected {
                "AR"
            } else {
                "AE"
            }
        }
        (true, Err(problem)) => {
            if problem.is_rejected {
                "CR"
            } else {
                "CE"
            }
        }
    };
    let mut codes = Vec::new();
    if !is_known(&accept) && !is_known(&application) {
        codes.push(code(false));
    } else {
        if wants(&accept) {
            codes.push(code(true));
        }
        if wants(&application) && (codes.is_empty() || verdict.is_ok()) {
            codes.push(code(false));
        }
    }
    let each = codes.into_iter().enumerate();
    each.map(|(at, code)| written(header, code, verdict.err(), now, &format!("{id}{at}"))).collect()
}

/// The answer to bytes that are not a message.
pub fn unreadable(now: DateTime<Utc>, id: &str) -> Vec<u8> {
    let at = time::written(now);
    format!("MSH|^~\\&|CAREPOST||||{at}||ACK|{id}|P|2.5.1\rMSA|AR||No HL7 message\rERR|||100^Segment sequence error^HL70357|E\r")
        .into_bytes()
}

fn written(header: Segment, code: &str, problem: Option<Problem>, now: DateTime<Utc>, id: &str) -> Vec<u8> {
    let raw = |number: usize| header.field(number).raw.trim();
    // With the sender's separators, so that its ids are returned unchanged.
    let separators = header.separators();
    let (field, component, encoding) = (separators.field, separators.component, raw(2));
    let version = raw(12);
    let is_new = version >= "2.5";
    let event = header.field(9).component(2).raw;
    let kind = if version < "2.3.1" || event.is_empty() {
        "ACK".to_owned()
    } else {
        format!("ACK{component}{event}{component}ACK")
    };
    let separator = String::from(field);
    let msh = [
        "MSH",
        encoding,
        raw(5),
        raw(6),
        raw(3),
        raw(4),
        &time::written(now),
        "",
        &kind,
        id,
        raw(11),
        version,
    ]
    .join(separator.as_str());
    // Newer versions have the text in ERR and no MSA-3.
    let words = problem.filter(|_| !is_new).map_or("", |problem| problem.words);
    let mut lines =
        vec![msh, ["MSA", code, raw(10), words].join(separator.as_str()).trim_end_matches(field).to_owned()];
    if let Some(problem) = problem.filter(|_| is_new) {
        let place = problem.place.replace('^', &component.to_string());
        let number = format!("{}{component}{}{component}HL70357", problem.number, meaning(problem.number));
        lines.push(["ERR", "", &place, &number, "E", "", "", "", problem.words].join(separator.as_str()));
    }
    let mut text = lines.join("\r");
    text.push('\r');
    text.into_bytes()
}

/// Text of a code of table 0357.
fn meaning(number: u16) -> &'static str {
    match number {
        100 => "Segment sequence error",
        101 => "Required field missing",
        102 => "Data type error",
        103 => "Table value not found",
        200 => "Unsupported message type",
        201 => "Unsupported event code",
        202 => "Unsupported processing id",
        203 => "Unsupported version id",
        204 => "Unknown key identifier",
        205 => "Duplicate key identifier",
        _ => "Application internal error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, hl7};
    use chrono::TimeZone;

    const UNKNOWN: Problem = Problem::rejected(204, "MSH^1^3", "The sender is not known here");

    fn answered(header: &str, verdict: Result<(), Problem>) -> Vec<String> {
        let now = Utc.with_ymd_and_hms(2026, 11, 20, 9, 0, 0).unwrap();
        let read = Message::read(header.as_bytes()).unwrap();
        answers(&read, verdict, now, "A").into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    }

    #[test]
    fn an_answer_goes_back_where_the_message_came_from_and_names_it() {
        let header = r"MSH|^~\&|LAB|NORTH|CP|LARK|20261120||MDM^T02^MDM_T02|ID\T\7|P|2.5.1";
        assert_eq!(
            answered(header, Ok(())),
            ["MSH|^~\\&|CP|LARK|LAB|NORTH|20261120090000||ACK^T02^ACK|A0|P|2.5.1\rMSA|AA|ID\\T\\7\r"]
        );
        let refused = answered(header, Err(UNKNOWN));
        assert!(
            refused[0].contains(
                "\rMSA|AR|ID\\T\\7\rERR||MSH^1^3|204^Unknown key identifier^HL70357|E||||The sender"
            )
        );
        // Our own sending side reads it.
        let read = hl7::ack(refused[0].as_bytes()).unwrap();
        assert_eq!(read.control_id, r"ID\T\7");
        assert!(matches!(read.outcome, Outcome::Refused(why) if why.contains("AR with error 204")));
    }

    #[test]
    fn an_old_version_is_answered_with_the_words_beside_the_code() {
        let refused = answered(r"MSH|^~\&|LAB||||||ORU^R01|1|P|2.3", Err(UNKNOWN));
        assert!(refused[0].contains("||ACK|A0|P|2.3\rMSA|AR|1|The sender is not known here\r"));
        assert!(!refused[0].contains("ERR"));
    }

    #[test]
    fn in_enhanced_mode_there_is_what_the_header_asks_for() {
        let codes = |accept: &str, application: &str, verdict| {
            let header = format!(r"MSH|^~\&|L||||||MDM^T02|1|P|2.5.1|||{accept}|{application}");
            let code = |text: &String| text.split("MSA|").nth(1).map(|msa| msa[..2].to_owned());
            answered(&header, verdict).iter().filter_map(code).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(codes("AL", "NE", Ok(())), "CA");
        assert_eq!(codes("AL", "AL", Ok(())), "CA AA");
        assert_eq!(codes("AL", "AL", Err(UNKNOWN)), "CR");
        assert_eq!(codes("NE", "AL", Err(Problem::ours("Try again"))), "AE");
        assert_eq!(codes("ER", "NE", Ok(())), "");
        assert_eq!(codes("ER", "NE", Err(UNKNOWN)), "CR");
        assert_eq!(codes("NE", "SU", Ok(())), "AA");
        assert_eq!(codes("", "", Err(Problem::ours("Try again"))), "AE");
    }

    #[test]
    fn a_condition_that_is_not_known_is_answered_all_the_same() {
        let answers = |conditions: &str| {
            answered(&format!(r"MSH|^~\&|L||||||MDM^T02|1|P|2.5.1|||{conditions}"), Ok(())).join(" ")
        };
        assert!(answers("XX").contains("MSA|AA|1"), "it is no enhanced mode");
        assert!(answers("XX|NE").contains("MSA|CA|1"));
        assert!(answers("al|YES").contains("MSA|AA|1"));
        assert!(answers("NE|YES").contains("MSA|AA|1"));
    }

    #[test]
    fn other_separators_come_back() {
        let answer = answered("MSH#*~\\&#LAB#N#C#L###ORU*R01#9#P#2.4", Ok(()));
        assert!(answer[0].starts_with("MSH#*~\\&#C#L#LAB#N#"));
        assert!(answer[0].contains("#ACK*R01*ACK#"));
        assert!(answer[0].ends_with("\rMSA#AA#9\r"));
    }
}
