//! The organizations of a person, as an operator assigns them.

use super::{
    http::{UserOrganization, UserOrganizationAssignment},
    queries::{end_access, job, require_administrator, require_room},
};
use crate::organizations::{mail, queries::locked};
use accounts::person;
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

const ASSIGNED: &str = "This person is assigned to the organization already.";
const OF_THE_SYSTEM: &str = "System administrators belong to no organization.";

/// Makes somebody a member of one more organization. Its administrators are told by e-mail: an operator could let
/// themselves in.
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
    let place = membership::Model {
        user_id: user.id,
        organization_id: organization.id,
        role: wanted.role.name().into(),
        job_function: job,
        is_disabled: false,
        disabled_at: None,
        may_open_restricted: true,
    };
    let row = place.clone().into_active_model().reset_all();
    membership::Entity::insert(row).exec_without_returning(&txn).await?;
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

/// Lets somebody open restricted documents of an organization, or ends that.
pub async fn let_open_restricted(
    app: &App,
    caller: &Caller,
    (organization_id, user_id): (Uuid, Uuid),
    may: bool,
) -> Result<UserOrganization> {
    let txn = app.store.begin().await?;
    let (organization, user) = both(&txn, user_id, organization_id).await?;
    let place = membership::Entity::find_by_id((user.id, organization.id)).one(&txn).await?;
    let place = place.ok_or(Error::NotFound)?;
    if place.may_open_restricted == may {
        return Ok(UserOrganization::of(organization, place));
    }
    let mut row = place.into_active_model();
    row.may_open_restricted = Set(may);
    let place = row.update(&txn).await?;
    let detail = json!({ "changed": ["mayOpenRestricted"], "mayOpenRestricted": may });
    record(app, &txn, caller, &user, organization.id, detail).await?;
    // Whoever has read the person before is told so when saving, instead of undoing this.
    let version = user.version;
    let mut row = user.into_active_model();
    row.version = Set(version + 1);
    row.update(&txn).await?;
    txn.commit().await?;
    Ok(UserOrganization::of(organization, place))
}

/// Takes somebody out of an organization, with all that they could do there.
pub async fn remove(app: &App, caller: &Caller, user_id: Uuid, organization_id: Uuid) -> Result<()> {
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    let (organization, user) = both(&txn, user_id, organization_id).await?;
    let place = membership::Entity::find_by_id((user.id, organization.id)).one(&txn).await?;
    let place = place.ok_or(Error::NotFound)?;
    if place.role == ROLE_ADMINISTRATOR {
        require_administrator(&txn, organization.id, user.id).await?;
    }
    let reason = "Taken out of the organization.";
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

/// The entry stands in the organization's own trail, where its administrators see it.
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
