//! The states of workflows and steps, and their names in the database.

/// State of a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkflowStatus {
    /// No step began yet.
    Pending,
    Running,
    Completed,
    /// A step failed for good. Others of its stage go on; later stages wait until it was retried by hand.
    Failed,
}

impl WorkflowStatus {
    /// The name in `workflow.status`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
        }
    }
}

/// State of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepStatus {
    /// An earlier stage is not through.
    Blocked,
    /// Runs when its time comes.
    Pending,
    /// A worker holds its lease, or died holding it.
    Running,
    Completed,
    /// Failed for good, or too often.
    Failed,
    /// Ran and found nothing to do.
    Skipped,
}

impl StepStatus {
    /// The name in `workflow_step.status`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "Blocked",
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
            Self::Skipped => "Skipped",
        }
    }
}
