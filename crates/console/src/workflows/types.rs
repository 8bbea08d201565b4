//! What goes over the wire.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use store::entities::{step_attempt::AttemptOutcome, workflow::WorkflowStatus, workflow_step::StepStatus};
use utoipa::ToSchema;
use uuid::Uuid;
use workflow::names;

/// Which way messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunType {
    Intake,
    Release,
}

/// The kind of a workflow, by its name in the database.
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

/// What messages go through. A message to both is found under each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RunChannel {
    Direct,
    Fax,
    /// HL7 v2 and XDR that come in.
    Interface,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RunStatus {
    /// No step has started yet.
    Pending,
    Running,
    Completed,
    /// A step failed for good.
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
    /// The last workflow of the page before, instead of `pageNumber`: goes on behind it, beyond row 10,000 too
    pub cursor: Option<Uuid>,
    /// From 1
    pub page_number: Option<u64>,
    /// 20 unless said, 100 at most
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
    /// The last workflow of the page before, instead of `pageNumber`: goes on behind it, beyond row 10,000 too
    pub cursor: Option<Uuid>,
    /// From 1
    pub page_number: Option<u64>,
    /// 20 unless said, 100 at most
    pub page_size: Option<u64>,
}

/// The newest first, unless said otherwise.
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
    /// Of the step that it is at, or ended with.
    pub name: String,
    pub organization_id: Uuid,
    pub organization_name: Option<String>,
    /// By which the other side knows the message.
    pub hisp_message_id: Option<String>,
    /// Of the message, mail or fax that it works on.
    pub correlation_id: Uuid,
    pub workflow_id: Uuid,
    /// What it does, as its type says.
    pub command: &'static str,
    /// Hours, minutes and seconds from its start to its end, or until now.
    pub duration: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// None as long as what was received has not been opened, and if it was refused.
    pub mail_message: Option<RunMessage>,
    pub steps: Vec<RunStep>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunMessage {
    pub mail_message_id: i64,
    /// The id under which the organization has it.
    pub message_id: Uuid,
    pub tenant_id: Uuid,
    pub sender: String,
    pub mail_to: String,
    pub origin: String,
    pub attachment_events: Vec<AttachmentEvent>,
}

/// What is known of a file without what names a patient.
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

/// How a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum RunStepStatus {
    /// An earlier step has not ended.
    Blocked,
    Pending,
    Running,
    /// An attempt did not succeed; the next one has its time.
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
    /// Attempts so far, since somebody last ran it again.
    pub attempt: i32,
    /// When it runs next, for one that waits.
    pub next_time: Option<DateTime<Utc>>,
    pub start_time: Option<DateTime<Utc>>,
    pub end_time: Option<DateTime<Utc>>,
    /// Hours, minutes and seconds.
    pub elapsed: Option<String>,
    /// Whom outside it talks to, and the workers that run it.
    pub meta: String,
    /// The node that last took it.
    pub node: Option<String>,
    /// Why the last attempt did not succeed.
    pub error: Option<String>,
    /// The oldest first; only in the answer for one workflow.
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
    /// Found only if it is of this type
    #[param(inline)]
    pub r#type: Option<RunKind>,
}

/// A step to run again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRetry {
    pub r#type: RunKind,
    /// Its id, or its name for all steps of that name which have not completed.
    pub retry_step: String,
    /// Of the workflow, as in the path.
    pub id: Option<Uuid>,
}

/// A span as hours, minutes, seconds and milliseconds: `00:01:02.345`.
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
