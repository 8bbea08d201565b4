//! The steps of a fax, as they are added to its workflow.

use crate::deliveries::STAGE;
use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, DbErr};
use serde::{Deserialize, Serialize};
use store::{Transaction, entities::fax_job};
use uuid::Uuid;
use workflow::{NewStep, StepType, names};

/// Name of all fax providers as the outside party of a step.
const PROVIDER: &str = "fax";

/// The recipient of a step, and its call.
#[derive(Serialize, Deserialize)]
pub struct FaxMeta {
    pub delivery_id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt_id: Option<Uuid>,
}

/// The step that renders the pages for a recipient.
pub fn render(delivery_id: Uuid, at: DateTime<Utc>) -> NewStep {
    step(names::RENDER_FAX, at, FaxMeta { delivery_id, attempt_id: None })
}

/// The step that submits them.
pub fn submit(delivery_id: Uuid, at: DateTime<Utc>) -> NewStep {
    step(names::SUBMIT_FAX, at, FaxMeta { delivery_id, attempt_id: None })
}

/// The step that tracks a call.
pub fn follow(delivery_id: Uuid, attempt_id: Uuid, at: DateTime<Utc>) -> NewStep {
    step(names::FOLLOW_FAX, at, FaxMeta { delivery_id, attempt_id: Some(attempt_id) })
}

fn step(kind: StepType, at: DateTime<Utc>, meta: FaxMeta) -> NewStep {
    let step = NewStep::new(STAGE, kind, at).with_meta(serde_json::json!(meta));
    if kind == names::RENDER_FAX { step } else { step.for_partner(PROVIDER) }
}

/// Stops waiting.
pub async fn rest(txn: &Transaction, delivery_id: Uuid) -> Result<(), DbErr> {
    let change = fax_job::ActiveModel {
        delivery_id: Set(delivery_id),
        waiting_since: Set(None),
        next_at: Set(None),
        waits_for: Set(None),
        ..Default::default()
    };
    change.update(txn).await.map(|_| ())
}
