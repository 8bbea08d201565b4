//! Features excluded from the plan of an organization.

use platform::{Error, Result};
use sea_orm::{ConnectionTrait, EntityTrait};
use store::entities::{
    organization,
    plan::{self, Function},
};
use uuid::Uuid;

/// Refuses features excluded from the organization's plan.
pub async fn require(db: &impl ConnectionTrait, organization_id: Uuid, function: Function) -> Result<()> {
    let organization = organization::Entity::find_by_id(organization_id).one(db).await?;
    let plan = match organization.and_then(|organization| organization.plan_id) {
        Some(id) => plan::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    if plan.is_some_and(|plan| plan.lacks(function)) {
        return Err(Error::Conflict(words(function).into()));
    }
    Ok(())
}

/// The error for a feature excluded from the plan.
pub fn words(function: Function) -> &'static str {
    match function {
        Function::ReleaseRoute => "Your plan does not include sending messages.",
        Function::Send => "Your plan does not include sending to Direct addresses.",
        Function::Reply => "Your plan does not include replying.",
        Function::Forward => "Your plan does not include forwarding.",
        Function::Triage => "Your plan does not include triage.",
        Function::StructuredExport => "Your plan does not include the export of clinical documents (XDS-SD).",
    }
}
