//! Choice of the brand.

use platform::{App, Result};
use sea_orm::{EntityTrait, QueryOrder};
use store::entities::{brand, organization};
use uuid::Uuid;

/// The brand of an organization; without one, that of the host name, or else the first one. `None` in an installation
/// without brands.
pub async fn brand_for(app: &App, organization: Option<Uuid>, host: &str) -> Result<Option<brand::Model>> {
    let db = app.store.db();
    if let Some(id) = organization
        && let Some(organization) = organization::Entity::find_by_id(id).one(db).await?
    {
        return Ok(brand::Entity::find_by_id(organization.brand_id).one(db).await?);
    }
    let mut brands = brand::Entity::find().order_by_asc(brand::Column::Id).all(db).await?;
    let at_host = brands.iter().position(|brand| brand.hosts.0.iter().any(|own| own == host)).unwrap_or(0);
    Ok((at_host < brands.len()).then(|| brands.swap_remove(at_host)))
}
