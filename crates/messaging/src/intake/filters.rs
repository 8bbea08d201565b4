//! `/api/intake/filters`: saved filters of the Intake list, personal or shared in the organization.

use crate::{
    model::{SourceType, Status, named},
    people::names_of,
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Member, Result, Role,
    access::MEMBERS,
    api::Api,
    audit::Actor,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Body, Created, Id, Items},
    records::{self, Record},
    text::Rule,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, Select,
};
use serde::{Deserialize, Serialize};
use store::entities::saved_filter::{ActiveModel, Column, Entity, IntakeFilter, Model};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of filters of a person.
const FILTERS_MAX: u64 = 50;
/// Maximum number of shared filters of an organization, which all its people load with their own.
const SHARED_MAX: u64 = 50;
/// Maximum size of a filter, in bytes of JSON.
const FILTER_SIZE: usize = 4_096;
const TOO_LARGE: &str = "This filter has too many choices to be saved. Please choose fewer.";
const TOO_MANY: &str = "You have saved 50 filters, which is the limit. Please delete one first.";
const TOO_MANY_SHARED: &str = "Your organization shares 50 filters, which is the limit. Save this one for yourself only, or ask for a shared one to be deleted.";
/// Maximum number of choices of one kind in a filter.
pub(super) const CHOICES_MAX: usize = 100;
const VIEWS: [&str; 4] = ["unassigned", "mine", "urgent", "snoozed"];
/// Value of `statuses` for all messages, including processed ones.
const ALL: &str = "all";

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(saved_filters, create_saved_filter))
        .route(MEMBERS, routes!(update_saved_filter, delete_saved_filter))
}

platform::text! {
    /// Name of a saved filter.
    pub FilterName = Rule::line(1, 60).says("Please enter a name of up to 60 characters.");
}

struct SavedFilters;

impl Record for SavedFilters {
    type Entity = Entity;
    const OBJECT: &'static str = "savedfilter";
    const NOUN: &'static str = "this filter";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[Column::Name, Column::IsShared];
    const TAKEN: (&'static str, &'static str) = ("name", "You have a filter of this name already.");
}

/// A saved filter.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedFilter {
    pub id: Uuid,
    pub name: String,
    /// Visible to everybody in the organization.
    pub is_shared: bool,
    /// Name of the person who created it.
    pub owner: String,
    /// Whether the caller may change and remove it.
    pub is_changeable: bool,
    pub filter: IntakeFilter,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedFilterForm {
    pub name: FilterName,
    #[serde(default)]
    pub is_shared: bool,
    pub filter: IntakeFilter,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl SavedFilterForm {
    fn check(&self) -> Result<()> {
        let filter = &self.filter;
        let mut errors = FieldErrors::default();
        let mut require = |holds: bool, field: &str| errors.require(holds, field, DEFAULT_FIELD_ERROR);
        require(filter.view.as_deref().is_none_or(|view| VIEWS.contains(&view)), "filter.view");
        let is_status = |word: &String| word == ALL || named::<Status>(word).is_some();
        require(filter.statuses.iter().all(is_status), "filter.statuses");
        require(filter.source_types.iter().all(|s| named::<SourceType>(s).is_some()), "filter.sourceTypes");
        for (list, field) in [
            (&filter.statuses, "filter.statuses"),
            (&filter.source_types, "filter.sourceTypes"),
            (&filter.processed_types, "filter.processedTypes"),
            (&filter.sources, "filter.sources"),
        ] {
            require(list.len() <= CHOICES_MAX, field);
        }
        errors.require(is_small(filter), "filter", TOO_LARGE);
        errors.check()
    }

    fn write(self, row: &mut ActiveModel) {
        row.name = Set(self.name.to_string());
        row.is_shared = Set(self.is_shared);
        row.filter = Set(self.filter);
    }
}

fn is_small(filter: &IntakeFilter) -> bool {
    serde_json::to_vec(filter).is_ok_and(|json| json.len() <= FILTER_SIZE)
}

/// Refuses a filter above the limit of the caller, or of the organization if it is shared.
async fn check_room(app: &App, member: &Member, is_new: bool, is_newly_shared: bool) -> Result<()> {
    let all = || Entity::find().filter(Column::OrganizationId.eq(member.organization_id));
    let own = all().filter(Column::UserId.eq(member.caller.user_id));
    if is_new && own.count(app.store.db()).await? >= FILTERS_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let shared = all().filter(Column::IsShared.eq(true));
    if is_newly_shared && shared.count(app.store.db()).await? >= SHARED_MAX {
        return Err(Error::Conflict(TOO_MANY_SHARED.into()));
    }
    Ok(())
}

/// The caller's own filters, and shared ones.
fn visible(member: &Member) -> Select<Entity> {
    let own = Column::UserId.eq(member.caller.user_id);
    Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Condition::any().add(own).add(Column::IsShared.eq(true)))
}

/// Filters can be changed by their owner, and shared ones also by administrators.
fn is_changeable(member: &Member, row: &Model) -> bool {
    row.user_id == member.caller.user_id || (row.is_shared && member.caller.has(Role::Admin))
}

async fn answer(app: &App, member: &Member, rows: Vec<Model>) -> Result<Vec<SavedFilter>> {
    let names = names_of(app, rows.iter().map(|row| row.user_id)).await?;
    let view = |row: Model| SavedFilter {
        owner: names.get(&row.user_id).cloned().unwrap_or_default(),
        is_changeable: is_changeable(member, &row),
        id: row.id,
        name: row.name,
        is_shared: row.is_shared,
        filter: row.filter,
        version: row.version,
    };
    Ok(rows.into_iter().map(view).collect())
}

async fn one(app: &App, member: &Member, row: Model) -> Result<SavedFilter> {
    answer(app, member, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// The saved filters of the Intake: own and shared ones, by name
#[utoipa::path(get, path = "/api/intake/filters", operation_id = "savedFilters", tag = "intake",
    responses((status = 200, body = Items<SavedFilter>)))]
async fn saved_filters(State(app): State<App>, member: Member) -> Result<Json<Items<SavedFilter>>> {
    let rows =
        visible(&member).order_by_asc(Column::Name).order_by_asc(Column::Id).all(app.store.db()).await?;
    // Other people's filters above the size limit, from before it existed, are not listed.
    let is_listed = |row: &Model| row.user_id == member.caller.user_id || is_small(&row.filter);
    let rows = rows.into_iter().filter(is_listed).collect();
    Ok(Json(Items { items: answer(&app, &member, rows).await? }))
}

/// Saves a filter of the Intake under a name
#[utoipa::path(post, path = "/api/intake/filters", operation_id = "createSavedFilter", tag = "intake",
    request_body = SavedFilterForm, responses((status = 201, body = SavedFilter)))]
async fn create_saved_filter(
    State(app): State<App>,
    member: Member,
    Body(form): Body<SavedFilterForm>,
) -> Result<Created<SavedFilter>> {
    form.check()?;
    check_room(&app, &member, true, form.is_shared).await?;
    let mut row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(member.organization_id),
        user_id: Set(member.caller.user_id),
        version: Set(1),
        ..Default::default()
    };
    form.write(&mut row);
    let row = records::create::<SavedFilters>(&app, &Actor::from(&member.caller), row).await?;
    let created = one(&app, &member, row).await?;
    Ok(Created(format!("/api/intake/filters/{}", created.id), created))
}

/// Changes a saved filter
#[utoipa::path(put, path = "/api/intake/filters/{id}", operation_id = "updateSavedFilter", tag = "intake",
    params(("id" = Uuid, Path)), request_body = SavedFilterForm,
    responses((status = 200, body = SavedFilter), (status = 403, description = "Somebody else's"),
        (status = 409, description = "Changed by somebody else")))]
async fn update_saved_filter(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<SavedFilterForm>,
) -> Result<Json<SavedFilter>> {
    form.check()?;
    let actor = Actor::from(&member.caller);
    let found = visible(&member).filter(Column::Id.eq(id));
    if form.is_shared {
        let before = found.clone().one(app.store.db()).await?.ok_or(Error::NotFound)?;
        check_room(&app, &member, false, !before.is_shared).await?;
    }
    let mut edit = records::edit::<SavedFilters>(&app, &actor, found, form.version).await?;
    if !is_changeable(&member, &edit.before) {
        return Err(Error::Forbidden);
    }
    form.write(&mut edit.row);
    let row = edit.save().await?;
    Ok(Json(one(&app, &member, row).await?))
}

/// Removes a saved filter
#[utoipa::path(delete, path = "/api/intake/filters/{id}", operation_id = "deleteSavedFilter", tag = "intake",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 403, description = "Somebody else's")))]
async fn delete_saved_filter(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::from(&member.caller);
    let found = visible(&member).filter(Column::Id.eq(id));
    let edit = records::lock::<SavedFilters>(&app, &actor, found).await?;
    if !is_changeable(&member, &edit.before) {
        return Err(Error::Forbidden);
    }
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
