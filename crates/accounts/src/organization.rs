//! An organization's row, as several features of accounts and of the console need it.

use platform::{Error, Result};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, Select,
    sea_query::LockType,
};
use store::{
    Transaction,
    entities::{membership, organization},
    tenant::Tenant,
};
use uuid::Uuid;

/// Organizations that are not deleted.
pub fn open() -> Select<organization::Entity> {
    organization::Entity::find().filter(organization::Column::DeletedAt.is_null())
}

/// An organization that is not deleted.
pub async fn find_open(db: &impl ConnectionTrait, id: Uuid) -> Result<organization::Model> {
    open().filter(organization::Column::Id.eq(id)).one(db).await?.ok_or(Error::NotFound)
}

/// An organization that is not deleted, locked until the transaction ends, but for rows that point to it: nearly
/// everything does, and with a lock of its own each of two could wait for the other.
pub async fn locked(txn: &Transaction, id: Uuid) -> Result<organization::Model> {
    let query = open().filter(organization::Column::Id.eq(id)).lock(LockType::NoKeyUpdate);
    query.one(txn).await?.ok_or(Error::NotFound)
}

/// People who may work there; who is disabled needs no place in the plan.
pub async fn number_of_users(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<u64> {
    let members =
        Tenant::whole(organization_id).memberships().filter(membership::Column::IsDisabled.eq(false));
    Ok(members.count(db).await?)
}
