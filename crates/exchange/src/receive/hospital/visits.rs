//! Visits: PV1 and PV2 (3.4.3, 3.4.4), and visits ahead: SCH and the segments of its resources (10.6).

use super::{Said, entity, extended, field, moment, person_name, short};
use crate::{
    Identifier,
    receive::{ack::Problem, message::named},
};
use clinical::hl7::{Message, Time, Value};

const NO_APPOINTMENT: Problem = Problem::error(101, "SCH^1^2", "The appointment has no number");

/// What happened to a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitEvent {
    /// It is ahead.
    Planned,
    Begun,
    /// Something about it changed, but not its state.
    Changed,
    Ended,
    /// It was ended by mistake, and goes on.
    Resumed,
    Cancelled,
    NoShow,
}

/// A visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    pub event: VisitEvent,
    /// PV1-19.
    pub number: Option<Identifier>,
    /// SCH-2, or otherwise SCH-1. A visit has this or a number, or both.
    pub appointment: Option<Identifier>,
    /// Code of table 0004, such as `I`.
    pub class: Said<String>,
    pub begins: Said<Time>,
    pub ends: Said<Time>,
    /// Name of the clinician.
    pub provider: Said<String>,
    pub location: Said<String>,
    pub reason: Said<String>,
}

/// The number of the visit of a message.
pub(super) fn number(message: &Message) -> Option<Identifier> {
    field(message, "PV1", 19).and_then(extended)
}

impl Visit {
    /// The visit of an ADT message; `None` without a number.
    pub(super) fn of_admission(message: &Message, event: VisitEvent) -> Option<Self> {
        let number = number(message)?;
        let ends = match event {
            VisitEvent::Resumed => Said::Deleted,
            _ => said(message, "PV1", 45, moment),
        };
        Some(Self {
            event,
            number: Some(number),
            appointment: None,
            class: said(message, "PV1", 2, |value| short(value.component(1).text())),
            begins: said(message, "PV1", 44, moment),
            ends,
            provider: said(message, "PV1", 7, person_name),
            location: said(message, "PV1", 3, place),
            reason: said(message, "PV2", 3, |value| short(named(value))),
        })
    }

    /// The visit ahead of an SIU message.
    pub(super) fn of_schedule(message: &Message, event: VisitEvent) -> Result<Self, Problem> {
        let appointment =
            [2, 1].into_iter().find_map(|number| field(message, "SCH", number).and_then(entity));
        let number = number(message);
        if appointment.is_none() && number.is_none() {
            return Err(NO_APPOINTMENT);
        }
        let timing = |number: usize| {
            move |value: Value| {
                let time = Time::parse(&value.component(number).text());
                time.filter(|time| time.day().is_some())
            }
        };
        let begins = said(message, "SCH", 11, timing(4))
            .or(|| said(message, "TQ1", 7, moment))
            .or(|| said(message, "AIS", 4, moment))
            .or(|| said(message, "AIP", 6, moment))
            .or(|| said(message, "AIL", 6, moment))
            .or(|| said(message, "PV1", 44, moment));
        Ok(Self {
            event,
            number,
            appointment,
            class: said(message, "PV1", 2, |value| short(value.component(1).text())),
            begins,
            ends: said(message, "SCH", 11, timing(5)).or(|| said(message, "TQ1", 8, moment)),
            provider: said(message, "AIP", 3, person_name).or(|| said(message, "PV1", 7, person_name)),
            location: said(message, "AIL", 3, place).or(|| said(message, "PV1", 3, place)),
            reason: said(message, "SCH", 7, |value| short(named(value)))
                .or(|| said(message, "SCH", 8, |value| short(named(value))))
                .or(|| said(message, "PV2", 3, |value| short(named(value)))),
        })
    }
}

fn said<T>(
    message: &Message,
    segment: &str,
    number: usize,
    read: impl FnOnce(Value) -> Option<T>,
) -> Said<T> {
    field(message, segment, number).map_or(Said::Nothing, |value| Said::read(value, read))
}

/// A location (PL): point of care, room and bed; its description or facility if there is no point of care.
fn place(value: Value) -> Option<String> {
    let text = |number: usize| value.component(number).subcomponent(1).text();
    let parts: Vec<String> = [1, 2, 3].map(text).into_iter().filter(|part| !part.is_empty()).collect();
    short(parts.join(" ")).or_else(|| short(text(9))).or_else(|| short(text(4)))
}
