//! An organization's row, for several features of accounts and of the console.

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

/// An organization that is not deleted, locked until the transaction ends, except against new references to it:
/// nearly every row refers to it, and a stronger lock could deadlock two transactions.
pub async fn locked(txn: &Transaction, id: Uuid) -> Result<organization::Model> {
    let query = open().filter(organization::Column::Id.eq(id)).lock(LockType::NoKeyUpdate);
    query.one(txn).await?.ok_or(Error::NotFound)
}

/// Number of members who take a place of the plan; disabled ones do not.
pub async fn number_of_users(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<u64> {
    let members =
        Tenant::whole(organization_id).memberships().filter(membership::Column::IsDisabled.eq(false));
    Ok(members.count(db).await?)
}
