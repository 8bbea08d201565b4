//! Names of people and organizations in the audit trail.

use async_trait::async_trait;
use platform::{
    Result,
    audit::{Audited, FindObjects, ObjectKinds, Reader, Rows},
    session::full_name,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use store::{
    Database,
    entities::{app_user, organization},
};
use uuid::Uuid;

/// The kinds of this area's objects that have names.
pub fn audited() -> ObjectKinds {
    use organization::Column;
    let organizations =
        Rows::<organization::Entity> { id: Column::Id, name: Column::Name, organization: Some(Column::Id) };
    ObjectKinds::new().with("organization", organizations).with("user", People)
}

struct People;

#[async_trait]
impl FindObjects for People {
    async fn find(&self, db: &Database, _: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>> {
        let rows = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(db).await?;
        Ok(rows.iter().map(|row| (row.id, Audited::named(full_name(row)))).collect())
    }
}
