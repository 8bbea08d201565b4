//! Orders: ORC (4.5.1) and OBR (4.5.3).

use super::{ORDERS, entity, moment, short};
use crate::{
    Identifier,
    receive::{ack::Problem, message::named},
};
use chrono::NaiveDate;
use clinical::hl7::{Message, Segment};

const NO_ORDER: Problem = Problem::error(101, "ORC", "The message has no order");
const NO_NUMBER: Problem = Problem::error(101, "ORC^1^2", "The order has no number");
const UNKNOWN_CONTROL: Problem = Problem::error(103, "ORC^1^1", "This order control code is not known");
const TOO_MANY: Problem = Problem::error(102, "ORC", "The message has too many orders");

/// State of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderState {
    Active,
    Held,
    Completed,
    /// Stopped after it began.
    Discontinued,
    Cancelled,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The number of who ordered.
    pub placer: Option<Identifier>,
    /// The number of who carries it out. An order has at least one of both.
    pub filler: Option<Identifier>,
    /// The new state; `None` if it does not change.
    pub state: Option<OrderState>,
    /// What is ordered.
    pub name: Option<String>,
    pub date: Option<NaiveDate>,
}

/// The orders of a message.
pub(super) fn read(message: &Message) -> Result<Vec<Order>, Problem> {
    let mut orders: Vec<Order> = Vec::new();
    for segment in message.segments() {
        let is_full = orders.len() == ORDERS;
        match (segment.name(), orders.last_mut()) {
            ("ORC", _) if is_full => return Err(TOO_MANY),
            ("ORC", _) => orders.push(Order::read(segment)?),
            // The parts of an order have one number.
            ("OBR", Some(order)) => order.add_request(segment),
            ("RXO", Some(order)) => order.name = order.name.take().or_else(|| short(named(segment.field(1)))),
            ("TQ1", Some(order)) => {
                order.date = order.date.or_else(|| Some(moment(segment.field(7))?.local.date()));
            }
            _ => {}
        }
    }
    if orders.is_empty() {
        return Err(NO_ORDER);
    }
    match orders.iter().all(|order| order.placer.is_some() || order.filler.is_some()) {
        true => Ok(orders),
        false => Err(NO_NUMBER),
    }
}

impl Order {
    fn read(orc: Segment) -> Result<Self, Problem> {
        let control = orc.field(1).component(1).text().to_ascii_uppercase();
        let status = orc.field(5).component(1).text().to_ascii_uppercase();
        let day = |number: usize| Some(moment(orc.field(number))?.local.date());
        Ok(Self {
            placer: entity(orc.field(2)),
            filler: entity(orc.field(3)),
            state: state(&control, &status)?,
            name: None,
            date: day(9).or_else(|| day(15)),
        })
    }

    fn add_request(&mut self, obr: Segment) {
        self.placer = self.placer.take().or_else(|| entity(obr.field(2)));
        self.filler = self.filler.take().or_else(|| entity(obr.field(3)));
        self.name = self.name.take().or_else(|| short(named(obr.field(4))));
        self.date = self.date.or_else(|| Some(moment(obr.field(6))?.local.date()));
    }
}

/// The state after an event: that of the control code (ORC-1, table 0119), or if this says none, of the status (ORC-5,
/// table 0038).
fn state(control: &str, status: &str) -> Result<Option<OrderState>, Problem> {
    Ok(match control {
        "NW" | "RO" | "RL" | "OE" | "OR" | "NA" | "SN" => {
            Some(of_status(status).unwrap_or(OrderState::Active))
        }
        "CA" | "OC" | "CR" | "RP" | "RU" | "RQ" | "UA" => Some(OrderState::Cancelled),
        "DC" | "OD" | "DR" => Some(OrderState::Discontinued),
        "HD" | "OH" | "HR" => Some(OrderState::Held),
        "XO" | "XX" | "XR" | "SC" | "SR" | "SS" | "OK" | "RE" | "RR" | "CN" | "CH" | "PA" | "LI" | "UC"
        | "UD" | "UH" | "UM" | "UN" | "UR" | "UX" | "" => of_status(status),
        _ => return Err(UNKNOWN_CONTROL),
    })
}

fn of_status(status: &str) -> Option<OrderState> {
    match status {
        "CA" | "RP" | "ER" => Some(OrderState::Cancelled),
        "DC" => Some(OrderState::Discontinued),
        "HD" => Some(OrderState::Held),
        "CM" => Some(OrderState::Completed),
        "A" | "IP" | "SC" => Some(OrderState::Active),
        _ => None,
    }
}
