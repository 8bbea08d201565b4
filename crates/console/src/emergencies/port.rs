//! The port to the public-health service, which knows organizations by their OIDs.

use async_trait::async_trait;
use platform::Result;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use store::{Database, entities::carequality_entry};

/// A service that knows the owners of OIDs.
#[async_trait]
pub trait PublicHealth: Send + Sync {
    /// The name of the organization with this OID; `None` if there is none.
    async fn find(&self, db: &Database, oid: &str) -> Result<Option<String>>;
}

/// The implementation for this installation.
pub fn member() -> &'static dyn PublicHealth {
    &Embedded
}

/// No outside service: the active entries of this installation in the Carequality directory.
pub struct Embedded;

#[async_trait]
impl PublicHealth for Embedded {
    async fn find(&self, db: &Database, oid: &str) -> Result<Option<String>> {
        use carequality_entry::Column;
        let spellings = [oid.to_owned(), format!("urn:oid:{oid}")];
        let found = carequality_entry::Entity::find()
            .filter(Column::Oid.is_in(spellings))
            .filter(Column::IsActive.eq(true))
            .order_by_asc(Column::Id)
            .one(db)
            .await?;
        Ok(found.map(|entry| entry.display_name))
    }
}
