//! Changes of a membership, saved in one place for the organization's administrators and for operators.

use super::types::RoleName;
use platform::Result;
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use store::{Transaction, entities::membership, permissions::PermissionChanges};

/// Changes of a membership. Absent values stay the same.
#[derive(Default)]
pub struct Wanted {
    pub role: Option<RoleName>,
    /// Name of a job function.
    pub job: Option<String>,
    pub permissions: PermissionChanges,
}

/// Saves the changes. Returns the membership and the API names of the changed fields and permissions; none if nothing
/// changed.
pub async fn save(
    txn: &Transaction,
    before: membership::Model,
    wanted: Wanted,
) -> Result<(membership::Model, Vec<&'static str>)> {
    let mut row = before.clone().into_active_model();
    row.role.set_if_not_equals(wanted.role.map_or(before.role.clone(), |role| role.name().to_owned()));
    row.job_function.set_if_not_equals(wanted.job.unwrap_or(before.job_function.clone()));
    let permissions = before.permissions.with(wanted.permissions);
    row.permissions.set_if_not_equals(permissions);
    let fields = [("roleName", row.role.is_set()), ("primaryJobFunction", row.job_function.is_set())];
    let mut changed: Vec<_> = fields.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect();
    changed.extend(permissions.changed_since(before.permissions));
    let after = if changed.is_empty() { before } else { row.update(txn).await? };
    Ok((after, changed))
}
