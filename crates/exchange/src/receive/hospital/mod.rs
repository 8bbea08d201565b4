//! Events of an EHR about its patients, visits and orders: ADT (HL7 v2.5.1, chapter 3), ORM and OMG (chapter 4), SIU
//! (chapter 10).
//!
//! A field that is empty says nothing, and `""` deletes what an earlier event said (2.5.3.2): [`Said`].

mod orders;
mod people;
mod visits;

pub use orders::{Order, OrderState};
pub use people::{Address, Name, Reported};
pub use visits::{Visit, VisitEvent};

use super::ack::Problem;
use crate::Identifier;
use chrono::{DateTime, Utc};
pub use clinical::hl7::Time;
use clinical::hl7::{Message, Segment, Value};

/// Most orders of a message.
const ORDERS: usize = 200;

const UNKNOWN_EVENT: Problem =
    Problem::rejected(201, "MSH^1^9", "Messages of this event are not accepted here");

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A28, A31: the patient alone.
    Patient,
    /// Most of ADT: a visit that was begun, changed or ended.
    Visit(VisitEvent),
    /// SIU: a visit ahead.
    Appointment(VisitEvent),
    /// A40, and its predecessors A18, A30, A34 and A36: a record was merged into another one.
    Merge,
    /// A47: the record number was changed.
    Renumber,
    /// ORM, OMG.
    Orders,
    /// A60: allergies, which nothing here depends on.
    Nothing,
}

impl Event {
    /// The event of a message type (MSH-9.1 and MSH-9.2); `None` for a type that is not about patients, visits or orders.
    pub fn of(code: &str, event: &str) -> Option<Result<Self, Problem>> {
        let known = match (code, event) {
            ("ADT", "A28" | "A31") => Self::Patient,
            ("ADT", "A01" | "A04" | "A06" | "A07") => Self::Visit(VisitEvent::Begun),
            ("ADT", "A02" | "A08" | "A12") => Self::Visit(VisitEvent::Changed),
            ("ADT", "A03") => Self::Visit(VisitEvent::Ended),
            ("ADT", "A05" | "A14") => Self::Visit(VisitEvent::Planned),
            ("ADT", "A11" | "A27" | "A38") => Self::Visit(VisitEvent::Cancelled),
            ("ADT", "A13") => Self::Visit(VisitEvent::Resumed),
            ("ADT", "A18" | "A30" | "A34" | "A36" | "A40") => Self::Merge,
            ("ADT", "A47") => Self::Renumber,
            ("ADT", "A60") => Self::Nothing,
            ("SIU", "S12" | "S13") => Self::Appointment(VisitEvent::Planned),
            ("SIU", "S14") => Self::Appointment(VisitEvent::Changed),
            ("SIU", "S15" | "S17") => Self::Appointment(VisitEvent::Cancelled),
            ("SIU", "S26") => Self::Appointment(VisitEvent::NoShow),
            // Before version 2.3 there was one event only.
            ("ORM", "O01" | "") | ("OMG", "O19") => Self::Orders,
            ("ADT" | "SIU" | "ORM" | "OMG", _) => return Some(Err(UNKNOWN_EVENT)),
            _ => return None,
        };
        Some(Ok(known))
    }
}

/// What a field says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Said<T> {
    /// Nothing: what is known stays.
    #[default]
    Nothing,
    /// What is known is deleted.
    Deleted,
    Value(T),
}

impl<T> Said<T> {
    /// Changes what is known.
    pub fn put(self, known: &mut Option<T>) {
        match self {
            Self::Nothing => {}
            Self::Deleted => *known = None,
            Self::Value(value) => *known = Some(value),
        }
    }

    /// Reads a field that is neither empty nor deleted; nothing if it cannot be read.
    fn read<'a>(value: Value<'a>, read: impl FnOnce(Value<'a>) -> Option<T>) -> Self {
        if value.is_deleted() {
            Self::Deleted
        } else if value.is_empty() {
            Self::Nothing
        } else {
            read(value).map_or(Self::Nothing, Self::Value)
        }
    }

    /// This, or if it says nothing, another field.
    fn or(self, other: impl FnOnce() -> Self) -> Self {
        if matches!(self, Self::Nothing) { other() } else { self }
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// When it was recorded (EVN-2, with the offset of MSH-7 if it has none), or otherwise sent (MSH-7); local times count
    /// as UTC. `None` if neither can be read.
    pub at: Option<DateTime<Utc>>,
    /// The patient, for a merge the one that remains.
    pub patient: Reported,
    pub what: What,
}

/// What an event says besides the patient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Nothing else.
    Patient,
    Visit(Box<Visit>),
    Orders {
        /// The visit at which they were ordered.
        visit: Option<Identifier>,
        orders: Vec<Order>,
    },
    /// The records with these numbers were merged into that of the patient.
    Merge {
        gone: Vec<Identifier>,
    },
    /// The patient had this number before.
    Renumber {
        old: Identifier,
    },
    /// The event changes nothing.
    Nothing,
}

impl Told {
    /// Reads an event.
    pub fn read(message: &Message) -> Result<Self, Problem> {
        let kind = message.header().field(9);
        let (code, event) = (kind.component(1).text(), kind.component(2).text());
        let event = Event::of(&code, &event).unwrap_or(Err(UNKNOWN_EVENT))?;
        let pid = message.segment("PID");
        let pid = pid.ok_or(Problem::error(101, "PID", "The segment PID is missing"))?;
        let patient = Reported::read(pid)?;
        let what = match event {
            Event::Patient => What::Patient,
            Event::Visit(event) => {
                Visit::of_admission(message, event).map_or(What::Patient, |visit| What::Visit(visit.into()))
            }
            Event::Appointment(event) => What::Visit(Visit::of_schedule(message, event)?.into()),
            Event::Merge => What::Merge { gone: people::prior(message, &patient)? },
            Event::Renumber => {
                let old = people::prior(message, &patient)?.into_iter().next();
                What::Renumber { old: old.ok_or(people::NO_PRIOR)? }
            }
            Event::Orders => What::Orders { visit: visits::number(message), orders: orders::read(message)? },
            Event::Nothing => What::Nothing,
        };
        let read = |value: Value| Time::parse(&value.component(1).text());
        let sent = read(message.header().field(7));
        let recorded = message.segment("EVN").and_then(|evn| read(evn.field(2)));
        // Both are of the same clock.
        let offset = sent.and_then(|time| time.offset);
        let recorded = recorded.map(|time| Time { offset: time.offset.or(offset), ..time });
        let at = recorded.and_then(|time| time.or_utc()).or_else(|| sent?.or_utc());
        Ok(Self { at, patient, what })
    }
}

/// A time of a field, if it has a day.
fn moment(value: Value) -> Option<Time> {
    Time::parse(&value.component(1).text()).filter(|time| time.day().is_some())
}

/// A text of limited length.
fn short(text: String) -> Option<String> {
    const LIMIT: usize = 255;
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LIMIT).collect();
    Some(text).filter(|text| !text.is_empty())
}

/// An identifier of the type CX; `None` without a number.
fn extended(value: Value) -> Option<Identifier> {
    let assigner = value.component(4);
    identifier(
        value.component(1),
        [assigner.subcomponent(1).text(), assigner.subcomponent(2).text()],
        value.component(5).text(),
    )
}

/// An identifier of the type EI; `None` without a number.
fn entity(value: Value) -> Option<Identifier> {
    identifier(value.component(1), [value.component(2).text(), value.component(3).text()], String::new())
}

fn identifier(number: Value, [authority, oid]: [String; 2], kind: String) -> Option<Identifier> {
    let [authority, oid, kind] = [authority, oid, kind].map(|text| short(text).unwrap_or_default());
    short(number.text()).map(|number| Identifier { number, authority, oid, kind })
}

/// The name of a person (XCN, XPN with a number before it), as people write it; the number if there is no name.
fn person_name(value: Value) -> Option<String> {
    let [given, family] = [value.component(3).text(), value.component(2).subcomponent(1).text()];
    let name = [given, family].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    short(name).or_else(|| short(value.component(1).text()))
}

/// A field of the first segment of this name; empty if there is none.
fn field<'a>(message: &'a Message, segment: &str, number: usize) -> Option<Value<'a>> {
    message.segment(segment).map(|segment: Segment<'a>| segment.field(number))
}

#[cfg(test)]
mod tests;
