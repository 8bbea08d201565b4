//! `/api/brands/{id}/faxcover`: logo and notice of a brand on fax covers.

use super::{Change, MAX_NOTICE};
use axum::{Json, extract::State};
use documents::detect;
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Id},
    picture::{from_data_url, to_data_url},
    text::Rule,
};
use sea_orm::EntityTrait;
use serde::{Deserialize, Serialize};
use store::entities::brand;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(fax_cover, update_fax_cover))
}

platform::text! {
    /// A confidentiality notice; empty for the default notice.
    pub CoverNotice = Rule::lines(0, MAX_NOTICE);
}

#[derive(Serialize, ToSchema)]
pub struct FaxCover {
    /// The brand.
    pub id: Uuid,
    /// As a `data:` URL; empty without a logo.
    pub logo: String,
    /// Empty for the default notice.
    pub notice: String,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
pub struct FaxCoverForm {
    /// PNG or JPEG of at most 512 KiB, as a `data:` URL; empty for none.
    #[serde(default)]
    pub logo: String,
    #[serde(default)]
    pub notice: CoverNotice,
    /// The version that was read.
    pub version: i32,
}

/// The fax cover of a brand
#[utoipa::path(get, path = "/api/brands/{id}/faxcover", operation_id = "faxCover", tag = "brands",
    params(("id" = Uuid, Path)), responses((status = 200, body = FaxCover)))]
async fn fax_cover(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<FaxCover>> {
    read(&app, id).await
}

/// Changes the fax cover of a brand
///
/// Faxes whose pages are already rendered keep their cover.
#[utoipa::path(put, path = "/api/brands/{id}/faxcover", operation_id = "updateFaxCover", tag = "brands",
    params(("id" = Uuid, Path)), request_body = FaxCoverForm,
    responses((status = 200, body = FaxCover), (status = 409, description = "Changed by somebody else")))]
async fn update_fax_cover(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<FaxCoverForm>,
) -> Result<Json<FaxCover>> {
    let logo = match form.logo.trim() {
        "" => None,
        text => Some(from_data_url(text).ok_or_else(|| Error::field("logo", "The image is incomplete."))?),
    };
    let change = Change { logo: Some(logo), notice: Some(form.notice.into()) };
    super::set(&app, &Actor::platform(&caller), id, Some(form.version), change).await?;
    read(&app, id).await
}

async fn read(app: &App, id: Uuid) -> Result<Json<FaxCover>> {
    let brand = brand::Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let cover = super::of(app, id).await?;
    let (logo, notice) = cover.map(|cover| (cover.logo, cover.notice)).unwrap_or_default();
    let logo = logo.map(|content| to_data_url(detect(&content).mime_type(), &content)).unwrap_or_default();
    Ok(Json(FaxCover { id, logo, notice, version: brand.version }))
}
