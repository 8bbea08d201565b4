//! The licence types of an application, stored with its entry in the list of applications.

use accounts::reference_items::kind;
use platform::{Error, Result};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use std::collections::{BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        application_licence_type::{ActiveModel, Column, Entity},
        reference_item,
    },
};
use uuid::Uuid;

const FIELD: &str = "licenseTypeIds";
const NO_TYPE: &str = "Please choose from the list of licence types.";
const NO_APPLICATION: &str = "Only applications have licence types.";

/// Licence types by application.
pub async fn of(
    db: &impl ConnectionTrait,
    applications: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, BTreeSet<Uuid>>> {
    let mut types: HashMap<Uuid, BTreeSet<Uuid>> = HashMap::new();
    for row in Entity::find().filter(Column::ApplicationId.is_in(applications)).all(db).await? {
        types.entry(row.application_id).or_default().insert(row.licence_type_id);
    }
    Ok(types)
}

/// Gives a new application the chosen licence types, or all offered ones.
pub async fn give(txn: &Transaction, item: &reference_item::Model, wanted: Option<Vec<Uuid>>) -> Result<()> {
    let wanted = match wanted {
        None if item.kind != kind::APPLICATION => return Ok(()),
        None => offered(txn).await?,
        Some(wanted) => wanted.into_iter().collect(),
    };
    replace(txn, item, wanted).await.map(|_| ())
}

/// Replaces the licence types of an application. Returns `true` if they changed.
pub async fn replace(
    txn: &Transaction,
    item: &reference_item::Model,
    wanted: BTreeSet<Uuid>,
) -> Result<bool> {
    if item.kind != kind::APPLICATION {
        return Err(Error::field(FIELD, NO_APPLICATION));
    }
    let present = of(txn, [item.id]).await?.remove(&item.id).unwrap_or_default();
    if wanted == present {
        return Ok(false);
    }
    // Retired types that the application has may stay.
    if !wanted.is_subset(&(&present | &offered(txn).await?)) {
        return Err(Error::field(FIELD, NO_TYPE));
    }
    Entity::delete_many().filter(Column::ApplicationId.eq(item.id)).exec(txn).await?;
    let row = |id| ActiveModel { application_id: Set(item.id), licence_type_id: Set(id) };
    let rows: Vec<_> = wanted.into_iter().map(row).collect();
    if !rows.is_empty() {
        Entity::insert_many(rows).exec_without_returning(txn).await?;
    }
    Ok(true)
}

async fn offered(txn: &Transaction) -> Result<BTreeSet<Uuid>> {
    let types = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind::LICENCE_TYPE))
        .filter(reference_item::Column::IsRetired.eq(false));
    Ok(types.all(txn).await?.into_iter().map(|row| row.id).collect())
}
