//! For which organization somebody manages fax: an administrator for their own, an operator for any.

use platform::{App, Caller, Error, Result, Role, audit::Actor, fields::DEFAULT_FIELD_ERROR};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use store::entities::organization;
use uuid::Uuid;

/// The organization that a request is about. An administrator need not name it, and may name no other.
pub async fn organization(app: &App, caller: &Caller, wanted: Option<Uuid>) -> Result<Uuid> {
    match (own(caller), wanted) {
        (Some(own), None) => Ok(own),
        (Some(own), Some(wanted)) if own == wanted => Ok(own),
        (Some(_), Some(_)) => Err(Error::NotFound),
        (None, None) => Err(Error::field("organizationId", DEFAULT_FIELD_ERROR)),
        (None, Some(wanted)) => {
            exists(app.store.db(), wanted).await?;
            Ok(wanted)
        }
    }
}

async fn exists(db: &impl ConnectionTrait, id: Uuid) -> Result<()> {
    let there = organization::Entity::find_by_id(id).filter(organization::Column::DeletedAt.is_null());
    there.one(db).await?.map(|_| ()).ok_or(Error::NotFound)
}

/// The organization to which a caller is bound; none for operators.
pub fn own(caller: &Caller) -> Option<Uuid> {
    if caller.has(Role::SysAdmin) { None } else { caller.organization_id }
}

/// Whether a caller may manage what belongs to an organization.
pub fn check(caller: &Caller, organization_id: Uuid) -> Result<()> {
    match own(caller) {
        Some(own) if own != organization_id => Err(Error::NotFound),
        None if !caller.has(Role::SysAdmin) => Err(Error::NotFound),
        _ => Ok(()),
    }
}

/// The entry stands in the organization's own trail, whoever acted.
pub fn actor(caller: &Caller, organization_id: Uuid) -> Actor {
    Actor { organization_id: Some(organization_id), ..Actor::from(caller) }
}
