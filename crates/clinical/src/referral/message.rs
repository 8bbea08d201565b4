//! The HL7 v2.5.1 messages of a referral: OMG^O19 for requests, OSU^O51 for answers, SIU^S12 and S26 for
//! appointments.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::record_number::{Identifier, best_first};

/// Longest message, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
const MAX_SEGMENTS: usize = 2_000;
/// Longest text of a field, in characters.
const TEXT_MAX: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReferralError {
    #[error("this is not an HL7 v2 message")]
    NotHl7,
    #[error("this message is not about a referral")]
    NotAReferral,
    #[error("the message does not say which referral it is about")]
    NoReferral,
    #[error("the message is too long")]
    TooLong,
}

/// Kind of a referral message (transactions PCC-55 to PCC-61).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Action {
    Request,
    Accept,
    Decline,
    /// The initiator cancels the request.
    Cancel,
    /// Interim information during the referral.
    Interim,
    /// The result, which closes the loop.
    Outcome,
    Appointment,
    NoShow,
}

impl Action {
    /// MSH-9.
    fn kind(self) -> &'static str {
        match self {
            Self::Request => "OMG^O19^OMG_O19",
            Self::Appointment => "SIU^S12^SIU_S12",
            Self::NoShow => "SIU^S26^SIU_S12",
            _ => "OSU^O51^OSU_O51",
        }
    }

    /// ORC-1 and ORC-5.
    fn order(self) -> (&'static str, &'static str) {
        match self {
            Self::Request => ("NW", ""),
            Self::Accept => ("SC", "IP"),
            Self::Decline => ("OC", "CA"),
            Self::Cancel => ("DC", "CA"),
            Self::Interim => ("SC", "A"),
            Self::Outcome => ("SC", "CM"),
            Self::Appointment | Self::NoShow => ("", ""),
        }
    }

    fn of(kind: &str, control: &str, status: &str) -> Option<Self> {
        let mut parts = kind.split('^');
        match (parts.next()?, parts.next()?) {
            ("OMG", "O19") if control == "NW" => Some(Self::Request),
            ("OMG", "O19") if matches!(control, "CA" | "DC") => Some(Self::Cancel),
            ("SIU", "S12" | "S13" | "S14") => Some(Self::Appointment),
            ("SIU", "S26") => Some(Self::NoShow),
            ("OSU", "O51") => match (control, status) {
                (_, "CM") => Some(Self::Outcome),
                ("DC", "CA") => Some(Self::Cancel),
                (_, "CA") => Some(Self::Decline),
                (_, "A") => Some(Self::Interim),
                (_, "IP" | "SC") => Some(Self::Accept),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The patient of a referral.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferredPatient {
    /// Medical record number at the initiator, and the OID of its authority.
    pub id: String,
    pub realm: String,
    pub last_name: String,
    pub first_name: String,
    pub middle_name: String,
    pub birth_date: Option<NaiveDate>,
    /// M, F or another code of table 0001.
    pub gender: String,
}

/// A message of a referral.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub action: Action,
    /// Referral id shared by all messages of the referral (ORC-2), and the OID of its assigner.
    pub referral_id: String,
    pub assigner: String,
    /// OIDs of the organizations.
    pub sender: String,
    pub receiver: String,
    /// MSH-10.
    pub control_id: String,
    pub at: DateTime<Utc>,
    pub patient: ReferredPatient,
    /// Due date of the result.
    pub due: Option<NaiveDate>,
    /// Reason for the referral.
    pub reason: String,
    /// Referring provider.
    pub provider: String,
    pub appointment: Option<DateTime<Utc>>,
    /// Note of the sender: reason for declining, instructions for the patient.
    pub note: String,
}

impl Message {
    pub fn write(&self) -> String {
        let referral = format!("{}^^{}^ISO", escape(&self.referral_id), escape(&self.assigner));
        let time = self.at.format("%Y%m%d%H%M%S+0000");
        let header = format!(
            "MSH|^~\\&||{}^ISO||{}^ISO|{time}||{}|{}|P|2.5.1|||NE|NE|||||360X",
            escape(&self.sender),
            escape(&self.receiver),
            self.action.kind(),
            escape(&self.control_id),
        );
        let patient = self.patient_segment();
        let note = (!self.note.is_empty()).then(|| format!("NTE|1||{}", escape(&self.note)));
        let (control, status) = self.action.order();
        let mut segments = vec![header];
        if matches!(self.action, Action::Appointment | Action::NoShow) {
            let start =
                self.appointment.map(|at| at.format("%Y%m%d%H%M%S+0000").to_string()).unwrap_or_default();
            let reason = escape(&self.reason);
            segments.push(format!(
                "SCH|{referral}|{referral}||||^{reason}|||||^^^{start}{}{referral}",
                "|".repeat(15)
            ));
            segments.extend(note);
            segments.push(patient);
        } else {
            segments.push(patient);
            segments.push(format!("ORC|{control}|{referral}|||{status}||||{time}"));
            if self.action == Action::Request {
                let due = self.due.map(|day| day.format("%Y%m%d").to_string()).unwrap_or_default();
                segments.push(format!("TQ1|1|||||||{due}"));
            }
            let mut order = vec![String::new(); 32];
            order[0] = "OBR".into();
            order[1] = "1".into();
            order[2] = referral;
            order[4] = "57133-1^Referral note^LN".into();
            order[16] = format!("^{}", escape(&self.provider));
            order[31] = format!("^{}", escape(&self.reason));
            segments.push(order.join("|"));
            segments.extend(note);
        }
        segments.join("\r") + "\r"
    }

    fn patient_segment(&self) -> String {
        let ReferredPatient { id, realm, last_name, first_name, middle_name, birth_date, gender } =
            &self.patient;
        let id =
            if id.is_empty() { String::new() } else { format!("{}^^^&{}&ISO^MR", escape(id), escape(realm)) };
        let name = [last_name, first_name, middle_name].map(|part| escape(part)).join("^");
        let born = birth_date.map(|day| day.format("%Y%m%d").to_string()).unwrap_or_default();
        format!("PID|1||{id}||{name}||{born}|{}", escape(gender))
    }

    /// Parses a message; tolerates other line ends and unknown segments.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReferralError> {
        if bytes.len() > MAX_BYTES {
            return Err(ReferralError::TooLong);
        }
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches(['\u{feff}', '\u{b}']);
        if !text.starts_with("MSH|^~\\&") {
            return Err(ReferralError::NotHl7);
        }
        let lines = text.split(['\r', '\n']).filter(|line| !line.trim().is_empty());
        let segments: Vec<Segment<'_>> = lines.take(MAX_SEGMENTS).map(Segment::new).collect();
        let find = |name: &str| segments.iter().find(|s| s.name() == name);
        let header = &segments[0];
        let order = find("ORC");
        let of_order = |number: usize| order.map(|o| o.field(number)).unwrap_or_default();
        let schedule = find("SCH");
        let action =
            Action::of(header.header(9), of_order(1), of_order(5)).ok_or(ReferralError::NotAReferral)?;
        let request = find("OBR");
        let referral = match (order, schedule) {
            (Some(order), _) if !order.field(2).is_empty() => order.field(2),
            (_, Some(schedule)) if !schedule.field(26).is_empty() => schedule.field(26),
            (_, Some(schedule)) => schedule.field(1),
            _ => request.map(|r| r.field(2)).unwrap_or_default(),
        };
        let (referral_id, assigner) = (part(referral, 1), part(referral, 3));
        if referral_id.is_empty() {
            return Err(ReferralError::NoReferral);
        }
        let reason = match (request, schedule) {
            (Some(request), _) => named(request.field(31)),
            (None, Some(schedule)) => named(schedule.field(6)),
            _ => String::new(),
        };
        let notes: Vec<String> =
            segments.iter().filter(|s| s.name() == "NTE").map(|s| unescape(s.field(3))).collect();
        Ok(Self {
            action,
            referral_id,
            assigner,
            sender: part(header.header(4), 1),
            receiver: part(header.header(6), 1),
            control_id: unescape(header.header(10)),
            at: time(header.header(7)).unwrap_or_default(),
            patient: find("PID").map(patient).unwrap_or_default(),
            due: find("TQ1").and_then(|tq| day(tq.field(8))),
            reason,
            provider: request.map(|r| named(r.field(16))).unwrap_or_default(),
            appointment: schedule.and_then(|s| time(&part(s.field(11), 4))),
            note: shortened(&notes.join("\n")),
        })
    }
}

/// A segment and its fields.
struct Segment<'a>(Vec<&'a str>);

impl<'a> Segment<'a> {
    fn new(line: &'a str) -> Self {
        Self(line.split('|').collect())
    }

    fn name(&self) -> &'a str {
        self.0[0]
    }

    /// The first repetition of a field; empty if there is none.
    fn field(&self, number: usize) -> &'a str {
        self.0.get(number).and_then(|field| field.split('~').next()).unwrap_or_default()
    }

    /// Like [`Self::field`], for MSH, whose first field is the separator itself.
    fn header(&self, number: usize) -> &'a str {
        self.0.get(number - 1).copied().unwrap_or_default()
    }
}

fn patient(segment: &Segment<'_>) -> ReferredPatient {
    let (id, name) = (record_number(segment), segment.field(5));
    let realm = realm(id);
    ReferredPatient {
        id: part(id, 1),
        realm: unescape(realm),
        last_name: part(name, 1),
        first_name: part(name, 2),
        middle_name: part(name, 3),
        birth_date: day(segment.field(7)),
        gender: unescape(segment.field(8)),
    }
}

/// The record number; empty if there is none.
fn record_number<'a>(segment: &Segment<'a>) -> &'a str {
    let kind = |id: &&str| {
        let (number, kind) = (part(id, 1), part(id, 5));
        let name = id.split('^').nth(3).and_then(|authority| authority.split('&').next()).unwrap_or_default();
        Identifier { id: &number, authorities: [name, realm(id)], kind: &kind, is_own: false }.kind()
    };
    let best = |number: usize| {
        let all = segment.0.get(number).copied().unwrap_or_default().split('~');
        best_first(all.filter(|id| !part(id, 1).is_empty()), kind).into_iter().next()
    };
    [3, 2, 4, 18].into_iter().find_map(best).unwrap_or_default()
}

/// The OID of an identifier's authority.
fn realm(id: &str) -> &str {
    id.split('^').nth(3).and_then(|authority| authority.split('&').nth(1)).unwrap_or_default()
}

/// A component, counted from 1.
fn part(field: &str, number: usize) -> String {
    unescape(field.split('^').nth(number - 1).unwrap_or_default())
}

/// The text of a coded element or name, or otherwise its code.
fn named(field: &str) -> String {
    let parts: Vec<String> = field.split('^').map(unescape).collect();
    match parts.get(1).filter(|text| !text.is_empty()) {
        Some(text) => text.clone(),
        None => parts.into_iter().next().unwrap_or_default(),
    }
}

fn day(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.get(..8)?, "%Y%m%d").ok()
}

/// Parses a time with its offset, or in UTC without one.
fn time(text: &str) -> Option<DateTime<Utc>> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let local = match digits.len() {
        8 => NaiveDate::parse_from_str(&digits, "%Y%m%d").ok()?.and_hms_opt(0, 0, 0)?,
        12 => NaiveDateTime::parse_from_str(&format!("{digits}00"), "%Y%m%d%H%M%S").ok()?,
        14 => NaiveDateTime::parse_from_str(&digits, "%Y%m%d%H%M%S").ok()?,
        _ => return None,
    };
    let minutes = text.find(['+', '-']).and_then(|at| {
        let (sign, rest) = (if text.as_bytes()[at] == b'-' { -1 } else { 1 }, text.get(at + 1..at + 5)?);
        let (hours, minutes) = (rest.get(..2)?.parse::<i64>().ok()?, rest.get(2..)?.parse::<i64>().ok()?);
        Some(sign * (hours * 60 + minutes))
    });
    local.and_utc().checked_sub_signed(chrono::Duration::minutes(minutes.unwrap_or_default()))
}

fn shortened(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}

/// Escapes text for a field (HL7 v2.5.1, 2.7).
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' => out.push_str("\\F\\"),
            '^' => out.push_str("\\S\\"),
            '&' => out.push_str("\\T\\"),
            '~' => out.push_str("\\R\\"),
            '\\' => out.push_str("\\E\\"),
            '\r' | '\n' => out.push_str("\\.br\\"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at + 1..].find('\\') else {
            rest = &rest[at..];
            break;
        };
        match &rest[at + 1..at + 1 + end] {
            "F" => out.push('|'),
            "S" => out.push('^'),
            "T" => out.push('&'),
            "R" => out.push('~'),
            "E" => out.push('\\'),
            ".br" => out.push('\n'),
            _ => {}
        }
        rest = &rest[at + end + 2..];
    }
    out.push_str(rest);
    shortened(&out.replace(|c: char| c.is_control() && c != '\n', ""))
}
