//! The fax cover of a brand: a logo and a confidentiality notice for its organizations.

pub mod http;

use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    picture::check_logo,
    upload::{Checked, Upload},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};
use serde_json::json;
use store::entities::{brand, brand_cover};
use uuid::Uuid;

/// Maximum length of a notice, in characters: the space that is left on one sheet.
pub const MAX_NOTICE: usize = 1_500;

/// Changes to a cover; absent fields are unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// PNG or JPEG; `Some(None)` removes it.
    pub logo: Option<Option<Upload>>,
    /// Empty for the default notice.
    pub notice: Option<String>,
}

/// The brand with this name.
pub async fn brand_named(app: &App, name: &str) -> Result<Option<brand::Model>> {
    Ok(brand::Entity::find().filter(brand::Column::Name.eq(name)).one(app.store.db()).await?)
}

/// Changes the cover of a brand. Refused if `version` is given and outdated.
///
/// # Errors
///
/// A refused logo or notice is reported at the field `logo` or `notice`.
pub async fn set(
    app: &App,
    actor: &Actor,
    brand_id: Uuid,
    version: Option<i32>,
    change: Change,
) -> Result<()> {
    let logo = check(app, &change).await?;
    let txn = app.store.begin().await?;
    let brand =
        brand::Entity::find_by_id(brand_id).lock_exclusive().one(&txn).await?.ok_or(Error::NotFound)?;
    if version.is_some_and(|version| version != brand.version) {
        return Err(Error::Outdated("this brand"));
    }
    let before = brand_cover::Entity::find_by_id(brand_id).one(&txn).await?;
    let is_new = before.is_none();
    let empty = brand_cover::Model { brand_id, logo: None, notice: String::new() };
    let before = before.unwrap_or(empty);
    let after = brand_cover::Model {
        brand_id,
        logo: match &change.logo {
            Some(_) => logo.map(|picture| picture.to_vec()),
            None => before.logo.clone(),
        },
        notice: change.notice.map_or_else(|| before.notice.clone(), |text| text.trim().to_owned()),
    };
    if after == before {
        return Ok(());
    }
    let detail =
        json!({ "coverLogo": after.logo != before.logo, "coverNotice": after.notice != before.notice });
    let row = after.into_active_model().reset_all();
    if is_new {
        row.insert(&txn).await?;
    } else {
        row.update(&txn).await?;
    }
    let next = brand.version + 1;
    brand::ActiveModel { id: Set(brand_id), version: Set(next), ..Default::default() }.update(&txn).await?;
    audit::record(app, &txn, actor, Act::new(event::CHANGED, "brand", brand_id).detail(detail)).await?;
    Ok(txn.commit().await?)
}

/// Checks the new logo. Covers silently omit an image that they cannot draw, but here a person can still choose another
/// one.
async fn check(app: &App, change: &Change) -> Result<Option<Checked>> {
    if change.notice.as_ref().is_some_and(|text| text.trim().chars().count() > MAX_NOTICE) {
        return Err(Error::field("notice", format!("A notice can have at most {MAX_NOTICE} characters.")));
    }
    let Some(Some(logo)) = &change.logo else { return Ok(None) };
    let picture = logo.clone().checked(app, None, "logo").await?;
    check_logo(app, &picture).await.map_err(|text| Error::field("logo", text))?;
    Ok(Some(picture))
}

/// The cover of an organization's brand.
pub async fn of(app: &App, brand_id: Uuid) -> Result<Option<brand_cover::Model>> {
    Ok(brand_cover::Entity::find_by_id(brand_id).one(app.store.db()).await?)
}
