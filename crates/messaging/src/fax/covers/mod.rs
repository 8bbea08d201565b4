//! What a brand prints on the fax covers of its organizations: a logo and a confidentiality notice.

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

/// Most characters of a notice: what fits below everything else on one sheet.
pub const MAX_NOTICE: usize = 1_500;

/// What is to be changed; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// PNG or JPEG; `Some(None)` takes it away.
    pub logo: Option<Option<Upload>>,
    /// An empty one brings the notice of the product back.
    pub notice: Option<String>,
}

/// The brand of that name.
pub async fn brand_named(app: &App, name: &str) -> Result<Option<brand::Model>> {
    Ok(brand::Entity::find().filter(brand::Column::Name.eq(name)).one(app.store.db()).await?)
}

/// Changes the cover of a brand. With `version` nobody may have changed the brand since that version was read.
///
/// # Errors
/// A refused logo or notice stands under the field `logo` or `notice`.
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

/// Gives the new picture. A cover leaves out what it cannot draw; here somebody can still choose another one.
async fn check(app: &App, change: &Change) -> Result<Option<Checked>> {
    if change.notice.as_ref().is_some_and(|text| text.trim().chars().count() > MAX_NOTICE) {
        return Err(Error::field("notice", format!("A notice has {MAX_NOTICE} characters at most.")));
    }
    let Some(Some(logo)) = &change.logo else { return Ok(None) };
    let picture = logo.clone().checked(app, None, "logo").await?;
    check_logo(app, &picture).await.map_err(|text| Error::field("logo", text))?;
    Ok(Some(picture))
}

/// What the brand of an organization prints.
pub async fn of(app: &App, brand_id: Uuid) -> Result<Option<brand_cover::Model>> {
    Ok(brand_cover::Entity::find_by_id(brand_id).one(app.store.db()).await?)
}
