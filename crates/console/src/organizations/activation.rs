//! What activating an organization sets off.

use chrono::{DateTime, Utc};
use platform::Result;
use store::Transaction;
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

pub const ACTIVATION_WORKFLOW: &str = "OrganizationActivationWorkflow";
/// Gives the organization's Direct domain its certificate.
pub const ISSUE_CERTIFICATE: &str = "IssueCertificate";
/// Gives the organization its default address for records.
pub const CREATE_RECORDS_ADDRESS: &str = "CreateRecordsAddress";

/// Enqueues the work in the transaction that activates the organization.
pub async fn enqueue(
    txn: &Transaction,
    now: DateTime<Utc>,
    organization_id: Uuid,
    seed_records: bool,
) -> Result<()> {
    let mut steps = vec![NewStep::new(0, ISSUE_CERTIFICATE, now)];
    if seed_records {
        steps.push(NewStep::new(1, CREATE_RECORDS_ADDRESS, now));
    }
    let kind = ACTIVATION_WORKFLOW.into();
    workflow::enqueue(txn, now, NewWorkflow { organization_id, kind, object_id: organization_id, steps })
        .await?;
    Ok(())
}
