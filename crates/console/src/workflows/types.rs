//! Requests and answers of the API.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use store::entities::{step_attempt::AttemptOutcome, workflow::WorkflowStatus, workflow_step::StepStatus};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::names;

/// Direction of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunType {
    Intake,
    Release,
}

/// Kind of a workflow, by its name in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RunKind {
    MessageSendWorkflow,
    MessageReceiveWorkflow,
}

impl RunKind {
    pub const ALL: [Self; 2] = [Self::MessageSendWorkflow, Self::MessageReceiveWorkflow];

    pub fn name(self) -> &'static str {
        match self {
            Self::MessageSendWorkflow => names::SEND,
            Self::MessageReceiveWorkflow => names::RECEIVE,
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl From<RunType> for RunKind {
    fn from(direction: RunType) -> Self {
        match direction {
            RunType::Intake => Self::MessageReceiveWorkflow,
            RunType::Release => Self::MessageSendWorkflow,
        }
    }
}

/// Channel of messages. A message through both is found under each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RunChannel {
    Direct,
    Fax,
    /// Inbound HL7 v2 and XDR.
    Interface,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RunStatus {
    /// No step has started yet.
    Pending,
    Running,
    Completed,
    /// A step failed permanently.
    Failed,
}

impl RunStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
        }
    }
}

impl From<WorkflowStatus> for RunStatus {
    fn from(status: WorkflowStatus) -> Self {
        match status {
            WorkflowStatus::Pending => Self::Pending,
            WorkflowStatus::Running => Self::Running,
            WorkflowStatus::Completed => Self::Completed,
            WorkflowStatus::Failed => Self::Failed,
        }
    }
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RunsQuery {
    #[param(inline)]
    pub status: Option<RunStatus>,
    #[param(inline)]
    pub r#type: Option<RunType>,
    #[param(inline)]
    pub channel: Option<RunChannel>,
    /// Id of the previous page's last workflow, instead of `pageNumber`: continues after it, also beyond row 10,000
    pub cursor: Option<Uuid>,
    /// From 1
    pub page_number: Option<u64>,
    /// 20 by default, at most 100
    pub page_size: Option<u64>,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RunsSearch {
    pub paging: RunsPaging,
    pub sorting: RunsSorting,
    pub filters: RunsFilters,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RunsPaging {
    /// Id of the previous page's last workflow, instead of `pageNumber`: continues after it, also beyond row 10,000
    pub cursor: Option<Uuid>,
    /// From 1
    pub page_number: Option<u64>,
    /// 20 by default, at most 100
    pub page_size: Option<u64>,
}

/// Newest first by default.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RunsSorting {
    pub oldest_first: bool,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RunsFilters {
    pub status: Option<RunStatus>,
    pub r#type: Option<RunType>,
    pub channel: Option<RunChannel>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunsFound {
    pub message_health_data_values: Vec<Run>,
    /// Exact up to 10,000.
    pub message_health_data_values_count: u64,
}

/// A workflow that sends or receives a message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub id: Uuid,
    #[serde(rename = "type")]
    pub kind: RunKind,
    pub status: RunStatus,
    /// Direct, Fax or Direct+Fax
    pub channel: String,
    pub created_time: DateTime<Utc>,
    pub ended_time: Option<DateTime<Utc>>,
    /// Name of the current or last step.
    pub name: String,
    pub organization_id: Uuid,
    pub organization_name: Option<String>,
    /// Id of the message at the other side.
    pub hisp_message_id: Option<String>,
    /// Id of its message, mail or fax.
    pub correlation_id: Uuid,
    pub workflow_id: Uuid,
    /// What it does, by its type.
    pub command: &'static str,
    /// Hours, minutes and seconds from its start to its end, or until now.
    pub duration: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// None until a received message is opened, and if it was refused.
    pub mail_message: Option<RunMessage>,
    pub steps: Vec<RunStep>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunMessage {
    pub mail_message_id: i64,
    /// Id of the message in the organization.
    pub message_id: Uuid,
    pub tenant_id: Uuid,
    pub sender: String,
    pub mail_to: String,
    pub origin: String,
    pub attachment_events: Vec<AttachmentEvent>,
}

/// Details of a file without patient data.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentEvent {
    pub mail_attachment_id: i64,
    pub mime_type: String,
    pub size: i64,
    /// NotRequested, Processing, Available or Failed
    pub preview_status: String,
    pub has_pdf_content: bool,
    #[serde(rename = "hasCDAContent")]
    pub has_cda_content: bool,
    #[serde(rename = "hasHl7Content")]
    pub has_hl7_content: bool,
}

/// State of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum RunStepStatus {
    /// An earlier step has not completed.
    Blocked,
    Pending,
    Running,
    /// The last attempt failed; the next one is scheduled.
    Retrying,
    Completed,
    Failed,
    /// There was nothing to do.
    Skipped,
}

impl RunStepStatus {
    pub fn of(status: StepStatus, error: Option<&str>) -> Self {
        match status {
            StepStatus::Blocked => Self::Blocked,
            StepStatus::Pending if error.is_some() => Self::Retrying,
            StepStatus::Pending => Self::Pending,
            StepStatus::Running => Self::Running,
            StepStatus::Completed => Self::Completed,
            StepStatus::Failed => Self::Failed,
            StepStatus::Skipped => Self::Skipped,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunStep {
    pub id: Uuid,
    pub step_name: String,
    pub status: RunStepStatus,
    /// Number of attempts since somebody last ran it again.
    pub attempt: i32,
    /// Time of the next attempt, if waiting.
    pub next_time: Option<DateTime<Utc>>,
    pub start_time: Option<DateTime<Utc>>,
    pub end_time: Option<DateTime<Utc>>,
    /// Hours, minutes and seconds.
    pub elapsed: Option<String>,
    /// The outside party that it talks to, and its workers.
    pub meta: String,
    /// The node that last ran it.
    pub node: Option<String>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// Oldest first; only in the answer for a single workflow.
    pub attempts: Vec<RunAttempt>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunAttempt {
    pub number: i32,
    pub node: String,
    pub start_time: DateTime<Utc>,
    pub end_time: DateTime<Utc>,
    pub elapsed: String,
    pub outcome: AttemptOutcome,
    pub cause: Option<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Only workflows of this type
    #[param(inline)]
    pub r#type: Option<RunKind>,
}

/// A step to run again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRetry {
    pub r#type: RunKind,
    /// The id of a step, or a name for all steps of that name that have not completed.
    pub retry_step: String,
    /// Id of the workflow, as in the path.
    pub id: Option<Uuid>,
}

/// A duration as hours, minutes, seconds and milliseconds: `00:01:02.345`.
pub fn span(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    let milliseconds = (to - from).max(TimeDelta::zero()).num_milliseconds();
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    format!("{:02}:{:02}:{:02}.{rest:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_to_the_millisecond_and_is_never_negative() {
        let from = DateTime::<Utc>::UNIX_EPOCH;
        assert_eq!(span(from, from + TimeDelta::milliseconds(3_723_045)), "01:02:03.045");
        assert_eq!(span(from, from + TimeDelta::days(5)), "120:00:00.000");
        assert_eq!(span(from, from - TimeDelta::seconds(1)), "00:00:00.000");
    }
}
