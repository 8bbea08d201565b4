//! The organizations of a user, as an operator assigns them.

use super::{
    mail,
    memberships::{self, Wanted},
    queries::{end_access, job, require_administrator, require_room},
    types::{UserOrganization, UserOrganizationAssignment, UserOrganizationForm},
};
use crate::{organization::locked, person};
use email::Prepared;
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    session::{self, ROLE_ADMINISTRATOR},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        app_user, document_source_reader, intake_rule_user, membership, organization, user_document_source,
    },
};
use uuid::Uuid;

const ASSIGNED: &str = "This person is already assigned to the organization.";
const NOT_ONE: &str = "This person has several organizations or none. Please specify the organization.";
const OF_THE_SYSTEM: &str = "System administrators cannot belong to an organization.";

/// Adds a user to an organization. Its administrators are told by e-mail, because an operator could add themselves.
pub async fn add(app: &App, caller: &Caller, wanted: UserOrganizationAssignment) -> Result<UserOrganization> {
    let notices = notices(app, &wanted).await?;
    let txn = app.store.begin().await?;
    let (organization, user) = both(&txn, wanted.user_id, wanted.organization_id).await?;
    let mut errors = FieldErrors::default();
    let job = job(&txn, Some(wanted.job_function_id), &mut errors).await?.unwrap_or_default();
    errors.check()?;
    if user.system_role.is_some() {
        return Err(Error::Conflict(OF_THE_SYSTEM.into()));
    }
    let place = membership::Entity::find_by_id((user.id, organization.id)).one(&txn).await?;
    if place.is_some() {
        return Err(Error::Conflict(ASSIGNED.into()));
    }
    require_room(&txn, &organization).await?;
    let place = membership::Model::new(user.id, organization.id, wanted.role.name(), job);
    place.insert(&txn).await?;
    let detail = json!({ "assigned": true, "role": wanted.role.name() });
    record(app, &txn, caller, &user, organization.id, detail).await?;
    for notice in notices {
        notice.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(UserOrganization::of(organization, place))
}

async fn notices(app: &App, wanted: &UserOrganizationAssignment) -> Result<Vec<Prepared>> {
    let db = app.store.db();
    let organization = organization::Entity::find_by_id(wanted.organization_id).one(db).await?;
    let user = app_user::Entity::find_by_id(wanted.user_id).one(db).await?;
    match organization.zip(user) {
        Some((organization, user)) => mail::added(app, &organization, &user, wanted.role.name()).await,
        None => Ok(Vec::new()),
    }
}

/// Changes a user's role and details in an organization. A changed role ends their sessions there.
pub async fn change(
    app: &App,
    caller: &Caller,
    (organization_id, user_id): (Uuid, Uuid),
    form: UserOrganizationForm,
) -> Result<UserOrganization> {
    let txn = app.store.begin().await?;
    let (organization, user) = both(&txn, user_id, organization_id).await.map_err(of_the_path)?;
    let mut errors = FieldErrors::default();
    let job = job(&txn, form.job_function_id, &mut errors).await?;
    errors.check()?;
    let wanted = Wanted { role: form.role, job, permissions: form.permissions };
    let (place, change) = change_in(app, &txn, caller, (&organization, &user), wanted).await?;
    let Some(ended) = change else { return Ok(UserOrganization::of(organization, place)) };
    // Increases the user's version, so that older forms cannot undo this.
    let version = user.version;
    let mut row = user.into_active_model();
    row.version = Set(version + 1);
    row.update(&txn).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(UserOrganization::of(organization, place))
}

/// As [`change`], in a transaction that has locked both rows. Returns the membership and, if it was changed, the
/// ended sessions.
pub async fn change_in(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    (organization, user): (&organization::Model, &app_user::Model),
    wanted: Wanted,
) -> Result<(membership::Model, Option<Vec<Uuid>>)> {
    let place = membership::Entity::find_by_id((user.id, organization.id)).one(txn).await?;
    let before = place.ok_or(Error::NotFound)?;
    let role_before = before.role.clone();
    let (after, changed) = memberships::save(txn, before, wanted).await?;
    if changed.is_empty() {
        return Ok((after, None));
    }
    let changes_role = after.role != role_before;
    if changes_role && role_before == ROLE_ADMINISTRATOR {
        require_administrator(txn, organization.id, user.id).await?;
    }
    let ended = if changes_role {
        end_access(txn, app.clock.now(), user, organization.id, "The role was changed.").await?
    } else {
        Vec::new()
    };
    let detail = json!({ "changed": changed, "role": after.role, "permissions": after.permissions,
        "sessionsEnded": ended.len() });
    record(app, txn, caller, user, organization.id, detail).await?;
    Ok((after, Some(ended)))
}

/// The only organization of a user, locked until the transaction ends; a field error if they have several or none.
pub async fn only_organization(txn: &Transaction, user_id: Uuid) -> Result<organization::Model> {
    let places = membership::Entity::find().filter(membership::Column::UserId.eq(user_id)).all(txn).await?;
    match places.as_slice() {
        [place] => locked(txn, place.organization_id).await,
        _ => Err(Error::field("roleName", NOT_ONE)),
    }
}

/// Maps an unknown id to "not found", for ids in paths.
pub fn of_the_path(error: Error) -> Error {
    match error {
        Error::Invalid(_) => Error::NotFound,
        other => other,
    }
}

/// Removes a user from an organization, with all permissions there.
pub async fn remove(app: &App, caller: &Caller, user_id: Uuid, organization_id: Uuid) -> Result<()> {
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    let (organization, user) = both(&txn, user_id, organization_id).await?;
    let place = membership::Entity::find_by_id((user.id, organization.id)).one(&txn).await?;
    let place = place.ok_or(Error::NotFound)?;
    if place.role == ROLE_ADMINISTRATOR {
        require_administrator(&txn, organization.id, user.id).await?;
    }
    let reason = "Removed from the organization.";
    let ended = end_access(&txn, now, &user, organization.id, reason).await?;
    user_document_source::Entity::delete_many()
        .filter(user_document_source::Column::UserId.eq(user.id))
        .filter(user_document_source::Column::OrganizationId.eq(organization.id))
        .exec(&txn)
        .await?;
    document_source_reader::Entity::delete_many()
        .filter(document_source_reader::Column::UserId.eq(user.id))
        .filter(document_source_reader::Column::OrganizationId.eq(organization.id))
        .exec(&txn)
        .await?;
    intake_rule_user::Entity::delete_many()
        .filter(intake_rule_user::Column::UserId.eq(user.id))
        .filter(intake_rule_user::Column::OrganizationId.eq(organization.id))
        .exec(&txn)
        .await?;
    membership::Entity::delete_by_id((user.id, organization.id)).exec(&txn).await?;
    let detail = json!({ "assigned": false, "sessionsEnded": ended.len() });
    record(app, &txn, caller, &user, organization.id, detail).await?;
    if user.last_organization_id == Some(organization.id) {
        let mut row = user.into_active_model();
        row.last_organization_id = Set(None);
        row.update(&txn).await?;
    }
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// Both rows, locked until the transaction ends.
async fn both(
    txn: &Transaction,
    user_id: Uuid,
    organization_id: Uuid,
) -> Result<(organization::Model, app_user::Model)> {
    let unknown = |field: &'static str| move || Error::field(field, DEFAULT_FIELD_ERROR);
    let organization = locked(txn, organization_id).await.map_err(|error| match error {
        Error::NotFound => Error::field("organizationId", DEFAULT_FIELD_ERROR),
        other => other,
    })?;
    let user = person::locked(txn, user_id).await?.filter(|user| user.deleted_at.is_none());
    let user = user.ok_or_else(unknown("userId"))?;
    Ok((organization, user))
}

/// Adds an entry to the organization's own audit trail, where its administrators see it.
async fn record(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    user: &app_user::Model,
    organization_id: Uuid,
    detail: serde_json::Value,
) -> Result<()> {
    let actor = Actor { organization_id: Some(organization_id), ..Actor::from(caller) };
    audit::record(app, txn, &actor, Act::new(event::CHANGED, "user", user.id).detail(detail)).await
}
