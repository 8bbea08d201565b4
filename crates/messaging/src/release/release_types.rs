//! `/api/settings/releasetypes`: an organization's own release types, including quick releases, besides those of the
//! system, which are listed and read-only.

use crate::{
    fax::settings::FaxSettings,
    model::{Conversion, SourceKind, SourceStatus},
    release::rules::Recipient,
    vocabulary::own_or_system,
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::Actor,
    fields::FieldErrors,
    http::{Body, Created, Id, Page, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::{Line, Rule, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, Select, SelectExt,
};
use serde::{Deserialize, Serialize};
use store::entities::{
    document_source, message, reference_item,
    release_type::{ActiveModel, Column, Entity, Model},
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

const UNKNOWN_CLASSIFICATION: &str = "Please choose one of the classifications.";
const UNKNOWN_ORIGIN: &str = "Please choose an active address or fax number of your organization.";
const WRONG_DESTINATION: &str = "Please enter a Direct address or a fax number.";
const NO_ORIGIN: &str = "A quick release needs an address to send from.";

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(own_release_types, create_own_release_type))
        .route(ADMINS, routes!(own_release_type, update_own_release_type, delete_own_release_type))
}

platform::text! {
    /// Name of an organization's release type.
    pub ReleaseTypeName = Rule::line(2, 100).says("Please enter a name of 2 to 100 characters.");
}

struct OwnReleaseTypes;

impl Record for OwnReleaseTypes {
    type Entity = Entity;
    const OBJECT: &'static str = "releasetype";
    const NOUN: &'static str = "this release type";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[
        Column::Name,
        Column::SendType,
        Column::OriginAddressId,
        Column::DestinationAddress,
        Column::ClassificationCode,
        Column::Subject,
        Column::TrackFaxResponses,
        Column::IsRetired,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is already in the list.");
}

/// A release type available in an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnReleaseType {
    pub id: Uuid,
    pub name: String,
    /// Available in every organization, and read-only.
    pub is_system: bool,
    /// Null to send files unchanged.
    pub conversion: Option<Conversion>,
    /// The address or number to send from.
    pub origin_address_id: Option<Uuid>,
    /// Together with an origin: a quick release.
    pub destination_address: String,
    pub classification_code: Option<String>,
    /// Default subject if the sender enters none; if empty, the name is used.
    pub subject: String,
    pub track_fax_responses: bool,
    /// No longer offered; messages with it keep it.
    pub is_retired: bool,
    /// To be sent back when saving.
    pub version: i32,
}

impl From<Model> for OwnReleaseType {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            name: row.name,
            is_system: row.organization_id.is_none(),
            conversion: row.send_type.conversion(),
            origin_address_id: row.origin_address_id,
            destination_address: row.destination_address.unwrap_or_default(),
            classification_code: row.classification_code,
            subject: row.subject.unwrap_or_default(),
            track_fax_responses: row.track_fax_responses,
            is_retired: row.is_retired,
            version: row.version,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnReleaseTypeForm {
    pub name: ReleaseTypeName,
    /// Absent to send files unchanged.
    pub conversion: Option<Conversion>,
    pub origin_address_id: Option<Uuid>,
    /// A Direct address or fax number.
    #[serde(default)]
    pub destination_address: Line,
    /// From the list of classifications.
    #[schema(max_length = 64)]
    pub classification_code: Option<String>,
    #[serde(default)]
    pub subject: Line,
    #[serde(default)]
    pub track_fax_responses: bool,
    #[serde(default)]
    pub is_retired: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl OwnReleaseTypeForm {
    /// Checks references to other objects. References already in `before` may stay, even if they are no longer offered.
    async fn check(&self, db: &impl ConnectionTrait, member: &Member, before: Option<&Model>) -> Result<()> {
        let mut errors = FieldErrors::default();
        let is_kept = |column: fn(&Model) -> Option<String>, value: &Option<String>| {
            before.is_some_and(|row| column(row) == *value)
        };
        let origin = self.origin_address_id.map(|id| id.to_string());
        if !is_kept(|row| row.origin_address_id.map(|id| id.to_string()), &origin)
            && !self.has_origin(db, member).await?
        {
            errors.add("originAddressId", UNKNOWN_ORIGIN);
        }
        if !is_kept(|row| row.classification_code.clone(), &self.classification_code)
            && !self.has_classification(db).await?
        {
            errors.add("classificationCode", UNKNOWN_CLASSIFICATION);
        }
        if let Some(destination) = self.destination() {
            let home = FaxSettings::of(db, member.organization_id).await?.home();
            let is_one = Recipient::parse(&destination, &home).is_ok();
            errors.require(is_one, "destinationAddress", WRONG_DESTINATION);
            errors.require(self.origin_address_id.is_some(), "originAddressId", NO_ORIGIN);
        }
        errors.check()
    }

    async fn has_origin(&self, db: &impl ConnectionTrait, member: &Member) -> Result<bool> {
        let Some(id) = self.origin_address_id else { return Ok(true) };
        let sources = member
            .tenant()
            .document_sources()
            .filter(document_source::Column::Id.eq(id))
            .filter(document_source::Column::Kind.is_in([SourceKind::Direct, SourceKind::Fax]))
            .filter(document_source::Column::Status.eq(SourceStatus::Activated));
        Ok(sources.exists(db).await?)
    }

    async fn has_classification(&self, db: &impl ConnectionTrait) -> Result<bool> {
        let Some(code) = self.classification() else { return Ok(true) };
        let offered = reference_item::Entity::find()
            .filter(reference_item::Column::Kind.eq("classification"))
            .filter(reference_item::Column::Code.eq(code))
            .filter(reference_item::Column::IsRetired.eq(false));
        Ok(offered.exists(db).await?)
    }

    fn classification(&self) -> Option<String> {
        self.classification_code.clone().filter(|code| !code.is_empty())
    }

    fn destination(&self) -> Option<String> {
        Some(self.destination_address.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn write(self, row: &mut ActiveModel) {
        row.classification_code = Set(self.classification());
        row.destination_address = Set(self.destination());
        row.origin_address_id = Set(self.origin_address_id);
        row.name_key = Set(sql::key(&self.name));
        row.name = Set(self.name.to_string());
        row.send_type = Set(self.conversion.into());
        row.subject = Set((!self.subject.is_empty()).then(|| self.subject.to_string()));
        row.track_fax_responses = Set(self.track_fax_responses);
        row.is_retired = Set(self.is_retired);
    }
}

/// Types of the organization itself: those of the system are not found for changes.
fn own(member: &Member, id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(member.organization_id)).filter(Column::Id.eq(id))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct ReleaseTypeQuery {
    /// Words that occur in the name.
    #[param(inline)]
    search: Option<SearchWords>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// The release types of the organization and of the system, by name
#[utoipa::path(get, path = "/api/settings/releasetypes", operation_id = "ownReleaseTypes", tag = "lookups",
    params(ReleaseTypeQuery), responses((status = 200, body = Paged<OwnReleaseType>)))]
async fn own_release_types(
    State(app): State<App>,
    member: Member,
    Params(query): Params<ReleaseTypeQuery>,
) -> Result<Json<Paged<OwnReleaseType>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let rows = Entity::find()
        .filter(own_or_system(Column::OrganizationId, &member))
        .filter(holds_words(Column::NameKey, query.search.as_deref().unwrap_or_default()));
    let by_name = [(Column::NameKey, Order::Asc), (Column::Id, Order::Asc)];
    Ok(Json(sql::page(app.store.db(), rows, &by_name, page).await?.map(Into::into)))
}

/// Adds a release type
#[utoipa::path(post, path = "/api/settings/releasetypes", operation_id = "createOwnReleaseType", tag = "lookups",
    request_body = OwnReleaseTypeForm, responses((status = 201, body = OwnReleaseType)))]
async fn create_own_release_type(
    State(app): State<App>,
    member: Member,
    Body(form): Body<OwnReleaseTypeForm>,
) -> Result<Created<OwnReleaseType>> {
    form.check(app.store.db(), &member, None).await?;
    let mut row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(member.organization_id)),
        version: Set(1),
        ..Default::default()
    };
    form.write(&mut row);
    let created = records::create::<OwnReleaseTypes>(&app, &Actor::from(&member.caller), row).await?;
    Ok(Created(format!("/api/settings/releasetypes/{}", created.id), created.into()))
}

/// A release type of the organization
#[utoipa::path(get, path = "/api/settings/releasetypes/{id}", operation_id = "ownReleaseType", tag = "lookups",
    params(("id" = Uuid, Path)), responses((status = 200, body = OwnReleaseType)))]
async fn own_release_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<OwnReleaseType>> {
    Ok(Json(own(&member, id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Changes or retires a release type of the organization
#[utoipa::path(put, path = "/api/settings/releasetypes/{id}", operation_id = "updateOwnReleaseType", tag = "lookups",
    params(("id" = Uuid, Path)), request_body = OwnReleaseTypeForm,
    responses((status = 200, body = OwnReleaseType), (status = 409, description = "Changed by somebody else")))]
async fn update_own_release_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<OwnReleaseTypeForm>,
) -> Result<Json<OwnReleaseType>> {
    let actor = Actor::from(&member.caller);
    let mut edit = records::edit::<OwnReleaseTypes>(&app, &actor, own(&member, id), form.version).await?;
    form.check(&edit.txn, &member, Some(&edit.before)).await?;
    form.write(&mut edit.row);
    Ok(Json(edit.save().await?.into()))
}

/// Removes an unused release type of the organization
#[utoipa::path(delete, path = "/api/settings/releasetypes/{id}", operation_id = "deleteOwnReleaseType", tag = "lookups",
    params(("id" = Uuid, Path)), responses((status = 204), (status = 409, description = "Messages have it")))]
async fn delete_own_release_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    let messages = member.tenant().messages().filter(message::Column::ReleaseTypeId.eq(id));
    records::refuse_in_use(sql::capped_count(app.store.db(), messages).await?, "message")?;
    let actor = Actor::from(&member.caller);
    records::lock::<OwnReleaseTypes>(&app, &actor, own(&member, id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
