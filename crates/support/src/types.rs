//! Requests and answers.

use chrono::{DateTime, Utc};
use platform::{Result, text::Rule};
use serde::{Deserialize, Serialize};
use store::{
    entities::support_ticket::{Model, TicketState},
    keys::DataKey,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

platform::text! {
    pub TicketSubject = Rule::line(1, 150).says("Please say in a few words what it is about.");
    pub TicketDetails = Rule::lines(1, 4000).says("Please describe what you need, without patient data.");
}

#[derive(Deserialize, ToSchema)]
pub struct TicketForm {
    /// One of the offered areas.
    pub area: String,
    /// 1 not operational, 2 feature not working as expected, 3 enhancement request, 4 question.
    #[schema(minimum = 1, maximum = 4)]
    pub severity: i32,
    pub subject: TicketSubject,
    pub details: TicketDetails,
}

/// A ticket, for its author.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    pub id: Uuid,
    pub area: String,
    pub severity: i32,
    pub subject: String,
    pub details: String,
    pub state: TicketState,
    /// Whether it was sent by e-mail; otherwise operators find it in their console.
    pub is_mailed: bool,
    pub created_at: DateTime<Utc>,
}

pub fn details_context(id: Uuid) -> String {
    format!("support_ticket.details:{id}")
}

pub fn open_details(key: &DataKey, row: &Model) -> Result<String> {
    let details = key.open(&details_context(row.id), &row.sealed_details)?;
    Ok(String::from_utf8_lossy(&details).into_owned())
}

impl Ticket {
    pub fn open(key: &DataKey, row: Model) -> Result<Self> {
        Ok(Self {
            details: open_details(key, &row)?,
            id: row.id,
            area: row.area,
            severity: row.severity,
            subject: row.subject,
            state: row.state,
            is_mailed: row.is_mailed,
            created_at: row.created_at,
        })
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct TicketQuery {
    pub page: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// Choices for a ticket, and its delivery.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketChoices {
    pub areas: Vec<String>,
    /// Whether tickets are sent to the operators by e-mail.
    pub is_mailed: bool,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct AdminTicketQuery {
    /// Open, InProgress or Closed; all when absent.
    #[param(value_type = Option<String>)]
    pub state: Option<TicketState>,
    pub page: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// A ticket, for operators.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminTicket {
    pub id: Uuid,
    pub area: String,
    pub severity: i32,
    pub subject: String,
    pub state: TicketState,
    pub is_mailed: bool,
    pub created_at: DateTime<Utc>,
    pub organization_name: String,
    pub user_name: String,
    pub full_name: String,
    /// Host name under which the product was used.
    pub host: String,
    /// Send it back when saving.
    pub version: i32,
}

/// A ticket with its text.
#[derive(Serialize, ToSchema)]
pub struct AdminTicketDetails {
    #[serde(flatten)]
    pub ticket: AdminTicket,
    pub details: String,
}

#[derive(Deserialize, ToSchema)]
pub struct TicketChange {
    #[schema(value_type = String)]
    pub state: TicketState,
    /// The version that was read.
    pub version: Option<i32>,
}
