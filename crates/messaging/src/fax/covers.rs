//! What a brand prints on the fax covers of its organizations: a logo and a confidentiality notice.

use documents::{Kind, detect, worker::Input};
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use store::entities::{brand, brand_cover};
use uuid::Uuid;

/// Most bytes of a logo.
pub const MAX_LOGO: usize = 512 << 10;
/// Most characters of a notice: what fits below everything else on one sheet.
pub const MAX_NOTICE: usize = 1_500;

/// What is to be changed; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// PNG or JPEG; `Some(None)` takes it away.
    pub logo: Option<Option<Vec<u8>>>,
    /// An empty one brings the notice of the product back.
    pub notice: Option<String>,
}

/// Changes the cover of the brand of that name, or says why not.
pub async fn set(app: &App, actor: &Actor, name: &str, change: Change) -> Result<Result<(), String>> {
    if let Some(problem) = problem(app, &change).await {
        return Ok(Err(problem));
    }
    let txn = app.store.begin().await?;
    let brand = brand::Entity::find().filter(brand::Column::Name.eq(name)).one(&txn).await?;
    let Some(brand) = brand else { return Ok(Err(format!("There is no brand with the name {name}."))) };
    let before = brand_cover::Entity::find_by_id(brand.id).one(&txn).await?;
    let is_new = before.is_none();
    let empty = brand_cover::Model { brand_id: brand.id, logo: None, notice: String::new() };
    let brand_cover::Model { logo, notice, .. } = before.unwrap_or(empty);
    let detail = json!({ "logo": change.logo.is_some(), "notice": change.notice.is_some() });
    let row = brand_cover::ActiveModel {
        brand_id: Set(brand.id),
        logo: Set(change.logo.unwrap_or(logo)),
        notice: Set(change.notice.map_or(notice, |text| text.trim().to_owned())),
    };
    if is_new {
        row.insert(&txn).await?;
    } else {
        row.update(&txn).await?;
    }
    let act = Act::new(event::CHANGED, "brand", brand.id).detail(detail);
    audit::record(app, &txn, actor, act).await?;
    txn.commit().await?;
    Ok(Ok(()))
}

/// What is wrong with a change.
async fn problem(app: &App, change: &Change) -> Option<String> {
    if let Some(text) = &change.notice
        && text.trim().chars().count() > MAX_NOTICE
    {
        return Some(format!("A notice has {MAX_NOTICE} characters at most."));
    }
    let logo = change.logo.as_ref()?.as_ref()?;
    if logo.len() > MAX_LOGO {
        return Some(format!("A logo has {} KiB at most.", MAX_LOGO >> 10));
    }
    let kind = detect(logo);
    if !matches!(kind, Kind::Png | Kind::Jpeg) {
        return Some("A logo is a PNG or JPEG picture.".into());
    }
    // A cover leaves out what it cannot draw; here somebody can still choose another picture.
    let drawn = app.converter.to_pdf(Input::bytes(kind, logo.clone())).await;
    drawn.err().map(|_| "The logo cannot be read as a picture.".into())
}

/// What the brand of an organization prints.
pub async fn of(app: &App, brand_id: Uuid) -> Result<Option<brand_cover::Model>> {
    Ok(brand_cover::Entity::find_by_id(brand_id).one(app.store.db()).await?)
}
