//! Rules that file into charts: the connection that they may use, and the workflow of a message. What the workflow does
//! is in [`crate::charts`].

use super::terms::FileToChart;
use chrono::{DateTime, Utc};
use platform::{Result, integrations};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Iterable, QueryFilter};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        integration::{self, Authentication, Capability, IntegrationType},
        message,
    },
};
use uuid::Uuid;
use workflow::{Lane, NewStep, NewWorkflow, StepType};

/// Files the documents of a message by a rule.
pub const WORKFLOW: &str = "RuleFilingWorkflow";
/// Looks the patient up and files, or says why not.
pub const FILE_BY_RULE: StepType = StepType::new("FileByRule", Lane::Webhooks);

const PERSONAL: &str = "Each person signs in at this EHR, so a rule cannot file there. Please choose a connection that signs in \
     with a key pair.";
const UNFIT: &str =
    "This connection cannot find patients and take documents. Please test it first, or choose another one.";

/// Parameters of the step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    pub rule_id: Uuid,
    /// The reviewer on arrival. If somebody assigns it otherwise, the message is left to people.
    pub assigned_to: Option<Uuid>,
}

/// Schedules the filing of an arriving message.
pub async fn enqueue(
    txn: &Transaction,
    of: &message::Model,
    rule_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let wanted = Wanted { rule_id, assigned_to: of.assigned_to };
    let new = NewWorkflow {
        organization_id: of.organization_id,
        kind: WORKFLOW.into(),
        object_id: of.id,
        steps: vec![NewStep::new(0, FILE_BY_RULE, now).with_meta(json!(wanted))],
    };
    workflow::enqueue(txn, now, new).await.map(drop)
}

fn is_able(row: &integration::Model) -> bool {
    row.can(Capability::DocumentUpload) && row.can(Capability::PatientLookup)
}

/// Why a rule may not use a connection; `None` if it may.
pub async fn refusal(
    conn: &impl ConnectionTrait,
    organization_id: Uuid,
    filing: &FileToChart,
) -> Result<Option<&'static str>> {
    let row = integration::Entity::find_by_id(filing.integration_id)
        .filter(integration::Column::OrganizationId.eq(organization_id))
        .one(conn)
        .await?;
    Ok(match row {
        Some(row) if row.settings.authentication == Authentication::Person => Some(PERSONAL),
        Some(row) if is_able(&row) => None,
        _ => Some(UNFIT),
    })
}

/// The connections of an organization, to say which rules cannot file.
pub struct Connections {
    rows: HashMap<Uuid, integration::Model>,
    /// Kinds that operators allow.
    allowed: Vec<IntegrationType>,
}

impl Connections {
    pub async fn read(conn: &impl ConnectionTrait, organization_id: Uuid) -> Result<Self> {
        let own = integration::Column::OrganizationId.eq(organization_id);
        let rows = integration::Entity::find().filter(own).all(conn).await?;
        let mut allowed = Vec::new();
        for kind in IntegrationType::iter().filter(|kind| rows.iter().any(|row| row.kind == *kind)) {
            if integrations::is_allowed(conn, kind.grant(), organization_id).await? {
                allowed.push(kind);
            }
        }
        Ok(Self { rows: rows.into_iter().map(|row| (row.id, row)).collect(), allowed })
    }

    /// Why a rule cannot file at the moment; empty if it can.
    pub fn problem(&self, filing: &FileToChart) -> String {
        let Some(row) = self.rows.get(&filing.integration_id) else {
            return "The connection was deleted, so this rule files nothing.".into();
        };
        let name = &row.name;
        match row {
            row if !self.allowed.contains(&row.kind) => {
                format!(
                    "The operator of this installation no longer allows {name}, so this rule files nothing."
                )
            }
            row if !row.is_enabled => format!("{name} is switched off, so this rule files nothing."),
            row if row.settings.authentication == Authentication::Person => {
                format!("Each person signs in at {name}, so this rule files nothing.")
            }
            row if !is_able(row) => {
                format!("{name} cannot find patients and take documents, so this rule files nothing.")
            }
            _ => String::new(),
        }
    }
}
