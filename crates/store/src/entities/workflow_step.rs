//! Steps of workflows.

use sea_orm::entity::prelude::*;

/// One step of a workflow. Steps of one stage may run side by side; a stage starts when the one before is done.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "workflow_step")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub workflow_id: Uuid,
    pub organization_id: Uuid,
    pub stage: i32,
    pub name: String,
    pub status: StepStatus,
    pub lane: Lane,
    /// Outside party that the step waits for, such as the domain of a recipient; empty if there is none.
    pub partner: String,
    pub attempt: i32,
    pub run_at: DateTimeUtc,
    pub lease_owner: Option<Uuid>,
    pub lease_until: Option<DateTimeUtc>,
    pub started_at: Option<DateTimeUtc>,
    pub ended_at: Option<DateTimeUtc>,
    #[sea_orm(column_type = "JsonBinary")]
    pub meta: Json,
    #[sea_orm(column_type = "Text", nullable)]
    pub error: Option<String>,
    /// Time of the last manual retry.
    pub retried_at: Option<DateTimeUtc>,
    /// The node that last took it.
    pub node: Option<String>,
    /// When the node took it.
    pub begun_at: Option<DateTimeUtc>,
    /// Whether the process crashed while it ran the step. It then fails when it is taken next, until a manual retry.
    pub ended_process: bool,
}

/// The lane of a step. Each lane has its own workers, so that slow work of one kind delays no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Lane {
    /// Opening received mail with the certificates at hand.
    Receiving,
    /// Sending to other systems.
    Delivering,
    /// Notices to senders, and e-mails to people.
    Notices,
    /// Converting files.
    Conversion,
    /// Reading arrived documents in advance.
    Reading,
    /// Opening mail of senders whose certificates have to be fetched from addresses of their choice.
    Anonymous,
    /// Calling webhooks.
    Webhooks,
    /// Everything else.
    Chores,
}

/// State of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum StepStatus {
    /// An earlier stage has not ended.
    Blocked,
    /// Runs when it is due.
    Pending,
    /// A worker holds its lease, or died holding it.
    Running,
    Completed,
    /// Failed permanently, or too often.
    Failed,
    /// Ran and found nothing to do.
    Skipped,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
