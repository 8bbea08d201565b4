//! Fills the history of an organization: received and sent messages, their workflows with every attempt of their
//! steps, and events.

use crate::load::{Row, TRANSACTION, insert, settle};
use crate::{Practice, TestApp};
use ::workflow::{StepType, names};
use anyhow::Result;
use chrono::{DateTime, Duration, Utc};
use messaging::model::{Direction, Status};
use sea_orm::IntoActiveModel;
use serde_json::json;
use store::entities::{
    attachment, message,
    message_event::{self, EventType},
    step_attempt::{self, AttemptOutcome},
    workflow::{self, WorkflowStatus},
    workflow_step::{self, StepStatus},
};
use uuid::Uuid;

/// Attempts of the steps of each message: all except the last belong to its first step.
pub const ATTEMPTS: i32 = 5;
/// One of this many workflows failed. Odd, since every other one sends.
const FAILED: usize = 199;
const REASON: &str = "450 4.7.1 try again later";

/// Adds messages with their history.
pub async fn fill(app: &TestApp, practice: &Practice, messages: usize) -> Result<()> {
    let key = app.keys.data_key(practice.organization.id).await?;
    for begin in (0..messages).step_by(TRANSACTION) {
        let mut rows = Rows::default();
        for number in begin..messages.min(begin + TRANSACTION) {
            rows.add(Row::new(app, practice, &key, number, messages)?, number);
        }
        rows.write(app).await?;
    }
    settle(app).await
}

/// Adds workflows of an organization, each of which failed at a step that succeeds immediately when it is retried: it
/// waits for notices about a removed message. Returns the ids of the workflows.
pub async fn failed(app: &TestApp, organization_id: Uuid, count: usize) -> Result<Vec<Uuid>> {
    let at = app.clock.now() - Duration::hours(1);
    let mut ids = Vec::with_capacity(count);
    for begin in (0..count).step_by(TRANSACTION) {
        let mut rows = Rows::default();
        for _ in begin..count.min(begin + TRANSACTION) {
            let flow = flow(organization_id, names::SEND, Uuid::now_v7(), at, true);
            ids.push(flow.id);
            rows.steps.push(step(&flow, (0, names::AWAIT_NOTICES), StepStatus::Failed, 3));
            rows.workflows.push(flow);
        }
        rows.write(app).await?;
    }
    settle(app).await?;
    Ok(ids)
}

#[derive(Default)]
struct Rows {
    workflows: Vec<workflow::Model>,
    steps: Vec<workflow_step::Model>,
    attempts: Vec<step_attempt::Model>,
    messages: Vec<message::Model>,
    files: Vec<attachment::Model>,
    events: Vec<message_event::Model>,
}

impl Rows {
    fn add(&mut self, row: Row, number: usize) {
        let Row { mut message, file, .. } = row;
        let is_sent = number % 2 == 1;
        let kind = if is_sent { names::SEND } else { names::RECEIVE };
        let has_failed = number.is_multiple_of(FAILED);
        let flow = flow(message.organization_id, kind, message.id, message.received_at, has_failed);
        message.workflow_id = Some(flow.id);
        if is_sent {
            (message.direction, message.status) = (Direction::Release, Status::Sent);
        }
        let [first, second] = match is_sent {
            true => [names::DELIVER, names::AWAIT_NOTICES],
            false => [names::OPEN_MAIL, names::NOTIFY],
        };
        let ended = if has_failed { StepStatus::Failed } else { StepStatus::Completed };
        let next = if has_failed { StepStatus::Blocked } else { StepStatus::Completed };
        let steps = [step(&flow, (0, first), ended, ATTEMPTS - 1), step(&flow, (1, second), next, 1)];
        for number in 1..ATTEMPTS {
            let outcome = match (number == ATTEMPTS - 1, has_failed) {
                (false, _) => AttemptOutcome::Retrying,
                (true, true) => AttemptOutcome::Failed,
                (true, false) => AttemptOutcome::Completed,
            };
            self.attempts.push(attempt(&steps[0], number, outcome));
        }
        self.attempts.push(attempt(&steps[1], 1, AttemptOutcome::Completed));
        let kinds = if is_sent {
            [EventType::Processed, EventType::Delivered]
        } else {
            [EventType::Received, EventType::Processed]
        };
        self.events.extend(kinds.map(|event_type| message_event::Model {
            id: Uuid::now_v7(),
            organization_id: message.organization_id,
            message_id: message.id,
            event_type,
            at: message.received_at,
            user_id: None,
            user_name: String::new(),
        }));
        self.workflows.push(flow);
        self.steps.extend(steps);
        self.messages.push(message);
        self.files.push(file);
    }

    async fn write(self, app: &TestApp) -> Result<()> {
        insert::<workflow::Entity, workflow::ActiveModel>(app, active(self.workflows)).await?;
        insert::<workflow_step::Entity, workflow_step::ActiveModel>(app, active(self.steps)).await?;
        insert::<step_attempt::Entity, step_attempt::ActiveModel>(app, active(self.attempts)).await?;
        insert::<message::Entity, message::ActiveModel>(app, active(self.messages)).await?;
        insert::<attachment::Entity, attachment::ActiveModel>(app, active(self.files)).await?;
        insert::<message_event::Entity, message_event::ActiveModel>(app, active(self.events)).await
    }
}

fn active<A: sea_orm::ActiveModelTrait>(rows: Vec<impl IntoActiveModel<A>>) -> Vec<A> {
    rows.into_iter().map(IntoActiveModel::into_active_model).collect()
}

fn flow(
    organization_id: Uuid,
    kind: &str,
    object_id: Uuid,
    at: DateTime<Utc>,
    has_failed: bool,
) -> workflow::Model {
    workflow::Model {
        id: Uuid::now_v7(),
        organization_id,
        kind: kind.into(),
        channel: "Direct".into(),
        object_id,
        status: if has_failed { WorkflowStatus::Failed } else { WorkflowStatus::Completed },
        error: has_failed.then(|| REASON.to_owned()),
        created_at: at,
        started_at: Some(at),
        ended_at: Some(at),
    }
}

fn step(
    of: &workflow::Model,
    (stage, StepType { name, lane, .. }): (i32, StepType),
    status: StepStatus,
    attempts: i32,
) -> workflow_step::Model {
    let at = of.created_at;
    let was_tried = status != StepStatus::Blocked;
    workflow_step::Model {
        id: Uuid::now_v7(),
        workflow_id: of.id,
        organization_id: of.organization_id,
        stage,
        name: name.into(),
        status,
        lane,
        partner: String::new(),
        attempt: if was_tried { attempts } else { 0 },
        run_at: at,
        lease_owner: None,
        lease_until: None,
        started_at: was_tried.then_some(at),
        ended_at: was_tried.then_some(at),
        meta: json!({}),
        error: (status == StepStatus::Failed).then(|| REASON.to_owned()),
        retried_at: None,
        node: was_tried.then(|| "node-1".to_owned()),
        begun_at: was_tried.then_some(at),
        ended_process: false,
    }
}

fn attempt(of: &workflow_step::Model, number: i32, outcome: AttemptOutcome) -> step_attempt::Model {
    let is_good = outcome == AttemptOutcome::Completed;
    step_attempt::Model {
        workflow_id: of.workflow_id,
        id: Uuid::now_v7(),
        step_id: of.id,
        organization_id: of.organization_id,
        name: of.name.clone(),
        lane: of.lane,
        number,
        node: "node-1".into(),
        started_at: of.run_at,
        ended_at: of.run_at + Duration::milliseconds(40),
        outcome,
        cause: (!is_good).then(|| REASON.to_owned()),
    }
}
