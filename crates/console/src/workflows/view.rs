//! Workflows with their messages and steps, read for a whole page at once.

use super::types::{AttachmentEvent, Run, RunAttempt, RunKind, RunMessage, RunStep, RunStepStatus, span};
use chrono::{DateTime, Utc};
use platform::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::collections::HashMap;
use store::entities::{
    attachment, attachment_number, message,
    message::{Direction, SourceType},
    message_number, organization, step_attempt, workflow,
    workflow_step::{self, StepStatus},
};
use uuid::Uuid;

/// Maximum number of rows of each kind on a page.
const ROWS_MAX: u64 = 5_000;

/// Origin of a message. Received ones name their channel; sent ones are made here.
pub fn origin(message: &message::Model) -> &'static str {
    match (message.direction, message.source_type) {
        (Direction::Release, _) => "Release",
        (Direction::Intake, SourceType::Fax) => "Fax",
        (Direction::Intake, SourceType::DirectMessage) => "Direct",
        (Direction::Intake, SourceType::Upload) => "Upload",
        (Direction::Intake, SourceType::Triage) => "Triage",
        (Direction::Intake, SourceType::Interface) => "Interface",
    }
}

/// The workflows in the shape of the API; other kinds are left out. Attempts are read for a single workflow only.
pub async fn views(
    db: &impl ConnectionTrait,
    rows: Vec<workflow::Model>,
    now: DateTime<Utc>,
    with_attempts: bool,
) -> Result<Vec<Run>> {
    let mut messages = messages(db, &rows).await?;
    let mut attempts = if with_attempts { attempts(db, &rows).await? } else { HashMap::new() };
    let mut steps = steps(db, &rows).await?;
    let names = names(db, &rows).await?;
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(kind) = RunKind::of(&row.kind) else { continue };
        let steps = steps.remove(&row.id).unwrap_or_default();
        let (hisp_message_id, mail_message) = messages.remove(&row.id).unzip();
        views.push(Run {
            id: row.id,
            kind,
            status: row.status.into(),
            channel: row.channel,
            created_time: row.created_at,
            ended_time: row.ended_at,
            name: current(&steps).unwrap_or_default(),
            organization_id: row.organization_id,
            organization_name: names.get(&row.organization_id).cloned(),
            hisp_message_id: hisp_message_id.flatten(),
            correlation_id: row.object_id,
            workflow_id: row.id,
            command: if kind == RunKind::MessageSendWorkflow { "Send" } else { "Receive" },
            duration: row.started_at.map(|start| span(start, row.ended_at.unwrap_or(now))),
            error: row.error,
            mail_message,
            steps: steps
                .into_iter()
                .map(|step| {
                    let attempts = attempts.remove(&step.id).unwrap_or_default();
                    step_view(step, attempts)
                })
                .collect(),
        });
    }
    Ok(views)
}

/// The name of a workflow's current or last step.
fn current(steps: &[workflow_step::Model]) -> Option<String> {
    let has_ended =
        |step: &&workflow_step::Model| matches!(step.status, StepStatus::Completed | StepStatus::Skipped);
    let open = steps.iter().find(|step| !has_ended(step)).or(steps.last());
    open.map(|step| step.name.clone())
}

fn step_view(step: workflow_step::Model, attempts: Vec<RunAttempt>) -> RunStep {
    let is_waiting = matches!(step.status, StepStatus::Pending | StepStatus::Blocked);
    let meta = if step.partner.is_empty() {
        step.lane.to_string()
    } else {
        format!("{}, {}", step.lane, step.partner)
    };
    RunStep {
        id: step.id,
        status: RunStepStatus::of(step.status, step.error.as_deref()),
        step_name: step.name,
        attempt: step.attempt,
        next_time: is_waiting.then_some(step.run_at),
        start_time: step.started_at,
        end_time: step.ended_at,
        elapsed: step.started_at.zip(step.ended_at).map(|(start, end)| span(start, end)),
        meta,
        node: step.node,
        error: step.error,
        attempts,
    }
}

async fn steps(
    db: &impl ConnectionTrait,
    rows: &[workflow::Model],
) -> Result<HashMap<Uuid, Vec<workflow_step::Model>>> {
    use workflow_step::Column;
    let all = workflow_step::Entity::find()
        .filter(Column::WorkflowId.is_in(rows.iter().map(|row| row.id)))
        .order_by_asc(Column::Stage)
        .order_by_asc(Column::Id)
        .limit(ROWS_MAX)
        .all(db)
        .await?;
    let mut of: HashMap<Uuid, Vec<_>> = HashMap::new();
    for step in all {
        of.entry(step.workflow_id).or_default().push(step);
    }
    Ok(of)
}

async fn attempts(
    db: &impl ConnectionTrait,
    rows: &[workflow::Model],
) -> Result<HashMap<Uuid, Vec<RunAttempt>>> {
    use step_attempt::Column;
    let all = step_attempt::Entity::find()
        .filter(Column::WorkflowId.is_in(rows.iter().map(|row| row.id)))
        .order_by_asc(Column::StartedAt)
        .order_by_asc(Column::Id)
        .limit(ROWS_MAX)
        .all(db)
        .await?;
    let mut of: HashMap<Uuid, Vec<_>> = HashMap::new();
    for row in all {
        of.entry(row.step_id).or_default().push(RunAttempt {
            number: row.number,
            node: row.node,
            start_time: row.started_at,
            end_time: row.ended_at,
            elapsed: span(row.started_at, row.ended_at),
            outcome: row.outcome,
            cause: row.cause,
        });
    }
    Ok(of)
}

async fn names(db: &impl ConnectionTrait, rows: &[workflow::Model]) -> Result<HashMap<Uuid, String>> {
    use organization::Column;
    let named: Vec<(Uuid, String)> = organization::Entity::find()
        .select_only()
        .columns([Column::Id, Column::Name])
        .filter(Column::Id.is_in(rows.iter().map(|row| row.organization_id)))
        .into_tuple()
        .all(db)
        .await?;
    Ok(named.into_iter().collect())
}

/// The message of each workflow, and its id at the other side: a workflow that sends refers to its message, a
/// received message refers to its workflow.
async fn messages(
    db: &impl ConnectionTrait,
    rows: &[workflow::Model],
) -> Result<HashMap<Uuid, (Option<String>, RunMessage)>> {
    let of_kind = |kind: RunKind| rows.iter().filter(move |row| row.kind == kind.name());
    let sent: Vec<Uuid> = of_kind(RunKind::MessageSendWorkflow).map(|row| row.object_id).collect();
    let received: Vec<Uuid> = of_kind(RunKind::MessageReceiveWorkflow).map(|row| row.id).collect();
    // Two queries, since SQLite would read every message for a combined condition.
    let select = async |column: message::Column, ids: Vec<Uuid>| {
        message::Entity::find().filter(column.is_in(ids)).limit(ROWS_MAX).all(db).await
    };
    let mut found = select(message::Column::Id, sent).await?;
    found.append(&mut select(message::Column::WorkflowId, received).await?);
    let numbers = numbers(db, found.iter().map(|message| message.id)).await?;
    let mut files = files(db, found.iter().map(|message| message.id)).await?;
    let by_id: HashMap<Uuid, &message::Model> = found.iter().map(|message| (message.id, message)).collect();
    let by_workflow: HashMap<Uuid, &message::Model> =
        found.iter().filter_map(|message| Some((message.workflow_id?, message))).collect();
    let mut of = HashMap::new();
    for row in rows {
        let message = match RunKind::of(&row.kind) {
            Some(RunKind::MessageSendWorkflow) => by_id.get(&row.object_id),
            _ => by_workflow.get(&row.id),
        };
        let Some(message) = message else { continue };
        let view = RunMessage {
            mail_message_id: numbers.get(&message.id).copied().unwrap_or_default(),
            message_id: message.id,
            tenant_id: message.organization_id,
            sender: message.from_address.clone(),
            mail_to: message.to_address.clone(),
            origin: origin(message).into(),
            attachment_events: files.remove(&message.id).unwrap_or_default(),
        };
        of.insert(row.id, (message.rfc_message_id.clone(), view));
    }
    Ok(of)
}

async fn numbers(db: &impl ConnectionTrait, ids: impl Iterator<Item = Uuid>) -> Result<HashMap<Uuid, i64>> {
    let rows =
        message_number::Entity::find().filter(message_number::Column::MessageId.is_in(ids)).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.message_id, row.number)).collect())
}

async fn files(
    db: &impl ConnectionTrait,
    ids: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, Vec<AttachmentEvent>>> {
    let mut of: HashMap<Uuid, Vec<_>> = HashMap::new();
    for (number, file) in numbered_files(db, ids).await? {
        of.entry(file.message_id).or_default().push(AttachmentEvent {
            mail_attachment_id: number,
            size: file.size_bytes,
            preview_status: file.preview_state.to_string(),
            has_pdf_content: file.mime_type == "application/pdf" || file.pdf_blob_id.is_some(),
            has_cda_content: file.kind == "cda",
            has_hl7_content: file.kind.starts_with("hl7"),
            mime_type: file.mime_type,
        });
    }
    Ok(of)
}

/// The files of messages with their numbers, in order.
pub async fn numbered_files(
    db: &impl ConnectionTrait,
    messages: impl Iterator<Item = Uuid>,
) -> Result<Vec<(i64, attachment::Model)>> {
    let files = attachment::Entity::find()
        .filter(attachment::Column::MessageId.is_in(messages))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::MessageId)
        .order_by_asc(attachment::Column::Position)
        .order_by_asc(attachment::Column::Id)
        .limit(ROWS_MAX)
        .all(db)
        .await?;
    let numbers: HashMap<Uuid, i64> = attachment_number::Entity::find()
        .filter(attachment_number::Column::AttachmentId.is_in(files.iter().map(|file| file.id)))
        .all(db)
        .await?
        .into_iter()
        .map(|row| (row.attachment_id, row.number))
        .collect();
    Ok(files.into_iter().filter_map(|file| Some((*numbers.get(&file.id)?, file))).collect())
}
