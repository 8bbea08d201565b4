//! Brands: the names and looks of organizations, and the host names of each.

pub mod colors;
pub mod http;

use http::{BrandColor, BrandDisplayName, BrandRecord};
use platform::{App, Error, Result, audit::Actor, fields::FieldErrors, records};
use sea_orm::{ActiveValue::Set, EntityTrait, QueryOrder};
use store::entities::brand;

/// Values of the first brand that the command line sets.
pub struct Look {
    pub display_name: String,
    /// `#RRGGBB`; empty for the built-in palette.
    pub color: String,
}

/// The first brand of an installation.
pub async fn first(app: &App) -> Result<brand::Model> {
    let found = brand::Entity::find().order_by_asc(brand::Column::Id).one(app.store.db()).await?;
    found.ok_or(Error::NotFound)
}

/// Gives the first brand a name and a colour.
///
/// # Errors
/// A validation error under `displayName` or `color`.
pub async fn set_first_look(app: &App, actor: &Actor, look: &Look) -> Result<()> {
    let mut errors = FieldErrors::default();
    errors.extend("displayName", BrandDisplayName::new(&look.display_name).err());
    errors.extend("color", BrandColor::new(&look.color).err());
    errors.check()?;
    let id = first(app).await?.id;
    let mut edit = records::lock::<BrandRecord>(app, actor, brand::Entity::find_by_id(id)).await?;
    edit.row.display_name = Set(look.display_name.trim().to_owned());
    http::set_color(&mut edit.row, &edit.before, &look.color);
    edit.save().await.map(drop)
}
