//! Steps that completed although a recipient was permanently refused: only the delivery to that recipient failed.

use super::causes::{Failed, STEPS_MAX};
use chrono::{DateTime, Utc};
use platform::Result;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use store::entities::{
    delivery::{self, DeliveryKind, DeliveryState},
    message,
    workflow_step::{self, StepStatus},
};
use uuid::Uuid;
use workflow::names;

/// Maximum number of ids in one statement.
const CHUNK: usize = 500;

#[derive(FromQueryResult)]
struct Refused {
    message_id: Uuid,
    transmission_id: Option<Uuid>,
    reason: Option<String>,
    failed_at: Option<DateTime<Utc>>,
}

/// The steps with refused recipients, newest refusal first. With `workflows`, only theirs.
pub async fn steps(
    db: &impl ConnectionTrait,
    until: Option<DateTime<Utc>>,
    workflows: Option<&HashSet<Uuid>>,
) -> Result<Vec<Failed>> {
    let refused = refused(db, until).await?;
    let steps = steps_of(db, &refused).await?;
    let mut seen = HashSet::new();
    let failed = refused.into_iter().filter_map(|refused| {
        let &(id, workflow_id) = steps.get(&refused.transmission_id?)?;
        let is_wanted = workflows.is_none_or(|wanted| wanted.contains(&workflow_id));
        // A step may have several refused recipients, and is retried once.
        (is_wanted && seen.insert(id)).then_some(Failed {
            id,
            workflow_id,
            error: refused.reason,
            ended_at: refused.failed_at?,
        })
    });
    Ok(failed.collect())
}

/// Failed deliveries: a range of their index.
async fn refused(db: &impl ConnectionTrait, until: Option<DateTime<Utc>>) -> Result<Vec<Refused>> {
    use delivery::Column;
    let mut rows = delivery::Entity::find()
        .select_only()
        .columns([Column::MessageId, Column::TransmissionId, Column::Reason, Column::FailedAt])
        // In literals, for the index of failed deliveries.
        .filter(Expr::cust("failed_at IS NOT NULL"))
        .filter(Column::State.eq(DeliveryState::Failed))
        .filter(Column::Kind.eq(DeliveryKind::DirectMessage))
        .filter(Column::SentAt.is_null());
    if let Some(until) = until {
        rows = rows.filter(Column::FailedAt.lte(until));
    }
    let rows = rows.order_by_desc(Column::FailedAt).limit(STEPS_MAX);
    Ok(rows.into_model::<Refused>().all(db).await?)
}

/// The completed step of each transmission, with its workflow.
async fn steps_of(db: &impl ConnectionTrait, refused: &[Refused]) -> Result<HashMap<Uuid, (Uuid, Uuid)>> {
    let messages: HashSet<Uuid> = refused.iter().map(|refused| refused.message_id).collect();
    let messages: Vec<Uuid> = messages.into_iter().collect();
    let mut found = HashMap::new();
    for part in messages.chunks(CHUNK) {
        let workflows: Vec<Option<Uuid>> = message::Entity::find()
            .select_only()
            .column(message::Column::WorkflowId)
            .filter(message::Column::Id.is_in(part.iter().copied()))
            .filter(message::Column::DeletedAt.is_null())
            .into_tuple()
            .all(db)
            .await?;
        let steps: Vec<(Uuid, Uuid, Value)> = workflow_step::Entity::find()
            .select_only()
            .columns([
                workflow_step::Column::Id,
                workflow_step::Column::WorkflowId,
                workflow_step::Column::Meta,
            ])
            .filter(workflow_step::Column::WorkflowId.is_in(workflows.into_iter().flatten()))
            .filter(workflow_step::Column::Name.eq(names::DELIVER.name))
            .filter(workflow_step::Column::Status.eq(StepStatus::Completed))
            .into_tuple()
            .all(db)
            .await?;
        for (id, workflow_id, meta) in steps {
            let transmission = meta["transmission_id"].as_str().and_then(|id| id.parse().ok());
            found.extend(transmission.map(|transmission: Uuid| (transmission, (id, workflow_id))));
        }
    }
    Ok(found)
}
