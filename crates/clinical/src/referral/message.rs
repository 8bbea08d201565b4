//! The HL7 v2.5.1 messages of a referral: OMG^O19 for requests, OSU^O51 for answers, SIU^S12 and S26 for
//! appointments.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::hl7::time::{day, written_with_offset};
use crate::hl7::{self, Segment, Time, Unreadable, Value, escape, patient_ids};

/// Longest message, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
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

    /// The action of a message type and event, with the order control and order status.
    fn of(kind: (&str, &str), control: &str, status: &str) -> Option<Self> {
        match kind {
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
        let time = written_with_offset(self.at);
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
            let start = self.appointment.map(written_with_offset).unwrap_or_default();
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
        let name = [last_name, first_name, middle_name].map(escape).join("^");
        let born = birth_date.map(|day| day.format("%Y%m%d").to_string()).unwrap_or_default();
        format!("PID|1||{id}||{name}||{born}|{}", escape(gender))
    }

    /// Parses a message; tolerates other line ends and unknown segments.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReferralError> {
        if bytes.len() > MAX_BYTES {
            return Err(ReferralError::TooLong);
        }
        let message = hl7::Message::read(bytes).map_err(|why| match why {
            Unreadable::NoHeader => ReferralError::NotHl7,
            Unreadable::TooLong => ReferralError::TooLong,
        })?;
        let header = message.header();
        let (order, schedule, request) =
            (message.segment("ORC"), message.segment("SCH"), message.segment("OBR"));
        let code = |segment: Option<Segment>, number: usize| {
            segment.map(|segment| segment.field(number).component(1).text()).unwrap_or_default()
        };
        let kind = [1, 2].map(|number| header.field(9).component(number).text());
        let action = Action::of((&kind[0], &kind[1]), &code(order, 1), &code(order, 5));
        let action = action.ok_or(ReferralError::NotAReferral)?;
        let ids = [(order, 2), (schedule, 26), (schedule, 1), (request, 2)];
        let mut ids = ids.into_iter().filter_map(|(segment, number)| Some(segment?.field(number)));
        let referral = ids.find(|id| !part(*id, 1).is_empty()).ok_or(ReferralError::NoReferral)?;
        let reason = request.map(|obr| obr.field(31)).or(schedule.map(|sch| sch.field(6)));
        let notes = message.segments().filter(|segment| segment.name() == "NTE");
        let notes: Vec<String> =
            notes.map(|nte| nte.field(3).lines().collect::<Vec<_>>().join("\n")).collect();
        Ok(Self {
            action,
            referral_id: part(referral, 1),
            assigner: part(referral, 3),
            sender: part(header.field(4), 1),
            receiver: part(header.field(6), 1),
            control_id: shortened(&header.field(10).text()),
            at: time(header.field(7).component(1)).unwrap_or_default(),
            patient: message.segment("PID").map(patient).unwrap_or_default(),
            due: message.segment("TQ1").and_then(|tq1| day(&tq1.field(8).component(1).text())),
            reason: reason.map(named).unwrap_or_default(),
            provider: request.map(|obr| named(obr.field(16))).unwrap_or_default(),
            appointment: schedule.and_then(|sch| time(sch.field(11).component(4))),
            note: shortened(&notes.join("\n")),
        })
    }
}

fn patient(pid: Segment) -> ReferredPatient {
    let id = patient_ids(pid).into_iter().next();
    let (id, realm) = id.map(|id| (shortened(&id.id), shortened(&id.oid))).unwrap_or_default();
    let name = pid.field(5);
    ReferredPatient {
        id,
        realm,
        last_name: part(name.component(1).subcomponent(1), 1),
        first_name: part(name, 2),
        middle_name: part(name, 3),
        birth_date: day(&pid.field(7).component(1).text()),
        gender: part(pid.field(8), 1),
    }
}

/// A component, counted from 1.
fn part(field: Value, number: usize) -> String {
    shortened(&field.component(number).text())
}

/// The text of a coded element or name, or otherwise its code.
fn named(field: Value) -> String {
    let parts = [2, 1].map(|number| part(field, number));
    parts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// Parses a time with its offset, or in UTC without one.
fn time(value: Value) -> Option<DateTime<Utc>> {
    Time::parse(&value.text())?.or_utc()
}

fn shortened(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}
