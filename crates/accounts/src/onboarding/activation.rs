//! The workflow that sets up an activated organization. Its steps are in crate `messaging`.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;
use store::Transaction;
use uuid::Uuid;
use workflow::{Lane, NewStep, NewWorkflow, StepType};

pub const ACTIVATION: &str = "OrganizationActivationWorkflow";
/// Issues the certificate of the organization's Direct domain.
pub const ISSUE_CERTIFICATE: StepType = StepType::new("IssueCertificate", Lane::Chores);
/// Creates the organization's default address for records.
pub const CREATE_RECORDS_ADDRESS: StepType = StepType::new("CreateRecordsAddress", Lane::Chores);

/// Enqueues the workflow, in the transaction that activates the organization or verifies its identity.
pub async fn enqueue(
    txn: &Transaction,
    now: DateTime<Utc>,
    organization_id: Uuid,
    with_records_address: bool,
) -> Result<Uuid, DbErr> {
    let mut steps = vec![NewStep::new(0, ISSUE_CERTIFICATE, now)];
    if with_records_address {
        steps.push(NewStep::new(1, CREATE_RECORDS_ADDRESS, now));
    }
    let new = NewWorkflow { organization_id, kind: ACTIVATION.into(), object_id: organization_id, steps };
    workflow::enqueue(txn, now, new).await
}
