//! Database access of an organization's members.

use super::{
    assignments, deletion,
    memberships::{self, Wanted},
    rules::{self, Direction, Sort, SortBy},
    types::{RoleName, User, UserForm, UserOrganization, UserPage, UserRow, UserStatus},
};
use crate::{
    access, links,
    lockout::Place,
    organization::{locked, number_of_users},
    person, plan,
    reference_items::kind,
    user_name,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result, Role,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, phone_digits, user_name_key},
    http::{COUNT_CAP, Page},
    session::{self, ROLE_ADMINISTRATOR},
    sql::capped_count,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, IntoActiveModel, JoinType, Order, QueryFilter,
    QueryOrder, QuerySelect, RelationDef, Select, SelectExt, SqlErr,
    sea_query::{Expr, Func, LikeExpr, Query},
};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use store::{
    Transaction,
    entities::{
        app_user, membership, organization, passkey, reference_item, second_factor, session as session_row,
        sso_identity,
    },
    tenant::Tenant,
};
use uuid::Uuid;

/// A user and their membership in the organization.
pub type Found = (membership::Model, app_user::Model);

/// Filter and page of the list.
pub struct Filter {
    /// In lower case; each must be contained in the user name or a name.
    pub words: Vec<String>,
    pub role: Option<RoleName>,
    pub status: Option<UserStatus>,
}

/// A page of the members of the organization.
pub async fn list(app: &App, member: &Member, filter: &Filter, sort: Sort, page: Page) -> Result<UserPage> {
    let db = app.store.db();
    let rows = filtered(&member.tenant(), filter);
    let counted = capped_count(db, rows.clone()).await?;
    let found = ordered(rows, sort)
        .offset(page.offset())
        .limit(page.size)
        .select_also(app_user::Entity)
        .all(db)
        .await?;
    let found: Vec<Found> =
        found.into_iter().filter_map(|(member, user)| user.map(|user| (member, user))).collect();
    let row = organization::Entity::find_by_id(member.organization_id).one(db).await?;
    let plan = plan::named(db, row.ok_or(Error::NotFound)?.plan_id).await?;
    Ok(UserPage {
        items: rows_of(db, member.organization_id, found).await?,
        total_count: counted.min(COUNT_CAP),
        total_is_capped: counted > COUNT_CAP,
        allowed_users: plan.allowed_users,
        number_of_users: number_of_users(db, member.organization_id).await?,
    })
}

/// Number of members with a status, up to the cap.
pub async fn number_with(db: &impl ConnectionTrait, tenant: &Tenant, status: UserStatus) -> Result<u64> {
    let filter = Filter { words: Vec::new(), role: None, status: Some(status) };
    Ok(Ord::min(capped_count(db, filtered(tenant, &filter)).await?, COUNT_CAP))
}

fn user_of_membership() -> RelationDef {
    membership::Entity::belongs_to(app_user::Entity)
        .from(membership::Column::UserId)
        .to(app_user::Column::Id)
        .into()
}

fn filtered(tenant: &Tenant, filter: &Filter) -> Select<membership::Entity> {
    use app_user::Column as User;
    use sea_orm::sea_query::ExprTrait;
    let mut rows = tenant.memberships().join(JoinType::InnerJoin, user_of_membership());
    for word in &filter.words {
        let mut anywhere = Condition::any();
        for spelling in rules::spellings(word) {
            let literal = spelling.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            for column in [User::UserNameKey, User::FirstName, User::LastName] {
                let text = Func::lower(Expr::col((app_user::Entity, column)));
                let like = LikeExpr::new(format!("%{literal}%")).escape('\\');
                anywhere = anywhere.add(Expr::expr(text).like(like));
            }
        }
        rows = rows.filter(anywhere);
    }
    if let Some(role) = filter.role {
        rows = rows.filter(membership::Column::Role.eq(role.name()));
    }
    let disabled =
        Condition::any().add(membership::Column::IsDisabled.eq(true)).add(User::IsDisabled.eq(true));
    match filter.status {
        None => rows,
        Some(UserStatus::Disabled) => rows.filter(disabled),
        Some(UserStatus::Invited) => rows.filter(disabled.not()).filter(accepted().not()),
        Some(UserStatus::Active) => rows.filter(disabled.not()).filter(accepted()),
    }
}

/// Has chosen a password, or signs in by a provider.
fn accepted() -> Condition {
    use sea_orm::sea_query::ExprTrait;
    let of_user = Expr::col((sso_identity::Entity, sso_identity::Column::UserId));
    let linked = Query::select()
        .expr(Expr::val(1))
        .from(sso_identity::Entity)
        .and_where(of_user.equals((app_user::Entity, app_user::Column::Id)))
        .to_owned();
    Condition::any().add(app_user::Column::PasswordHash.ne("")).add(Expr::exists(linked))
}

/// The users who sign in by a provider.
pub async fn linked(db: &impl ConnectionTrait, users: &[Uuid]) -> Result<HashSet<Uuid>> {
    let found = sso_identity::Entity::find()
        .select_only()
        .column(sso_identity::Column::UserId)
        .filter(sso_identity::Column::UserId.is_in(users.iter().copied()))
        .into_tuple::<Uuid>()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// Has neither a password nor a sign-in provider.
pub async fn is_invited(db: &impl ConnectionTrait, user: &app_user::Model) -> Result<bool> {
    Ok(user.password_hash.is_empty() && linked(db, &[user.id]).await?.is_empty())
}

fn ordered(rows: Select<membership::Entity>, sort: Sort) -> Select<membership::Entity> {
    use app_user::Column as User;
    let order = if sort.dir == Direction::Desc { Order::Desc } else { Order::Asc };
    let lower = |column: User| Expr::expr(Func::lower(Expr::col((app_user::Entity, column))));
    let rows = match sort.by {
        SortBy::UserName => rows.order_by(User::UserNameKey, order),
        SortBy::RoleName => rows.order_by(membership::Column::Role, order),
        SortBy::Name => {
            rows.order_by(lower(User::LastName), order.clone()).order_by(lower(User::FirstName), order)
        }
    };
    rows.order_by(User::UserNameKey, Order::Asc)
}

async fn rows_of(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    found: Vec<Found>,
) -> Result<Vec<UserRow>> {
    let ids: Vec<Uuid> = found.iter().map(|(_, user)| user.id).collect();
    let (protected, linked) = (with_second_step(db, &ids).await?, linked(db, &ids).await?);
    let signed_in = last_sign_ins(db, organization_id, &ids).await?;
    let row = |(member, user): Found| UserRow {
        status: status_of(&user, member.is_disabled, linked.contains(&user.id)),
        is_disabled: member.is_disabled || user.is_disabled,
        role_name: RoleName::of(&member.role),
        is_org_admin: RoleName::of(&member.role) == RoleName::Administrator,
        primary_job_function: member.job_function,
        two_factor_enabled: protected.contains(&user.id),
        last_sign_in_date: signed_in.get(&user.id).copied(),
        id: user.id,
        user_name: user.user_name,
        first_name: user.first_name,
        last_name: user.last_name,
    };
    Ok(found.into_iter().map(row).collect())
}

/// Status of users, given those who cannot work in the organization, and those who sign in by a provider.
pub fn status_of(user: &app_user::Model, is_disabled_there: bool, is_linked: bool) -> UserStatus {
    if is_disabled_there || user.is_disabled {
        UserStatus::Disabled
    } else if user.password_hash.is_empty() && !is_linked {
        UserStatus::Invited
    } else {
        UserStatus::Active
    }
}

/// The users who have set up a second step.
pub async fn with_second_step(db: &impl ConnectionTrait, users: &[Uuid]) -> Result<HashSet<Uuid>> {
    let set = Condition::any()
        .add(second_factor::Column::ConfirmedAt.is_not_null())
        .add(second_factor::Column::EmailCodes.eq(true));
    let mut found: HashSet<Uuid> = second_factor::Entity::find()
        .select_only()
        .column(second_factor::Column::UserId)
        .filter(second_factor::Column::UserId.is_in(users.iter().copied()))
        .filter(set)
        .into_tuple::<Uuid>()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let keys = passkey::Entity::find()
        .select_only()
        .column(passkey::Column::UserId)
        .filter(passkey::Column::UserId.is_in(users.iter().copied()))
        .into_tuple::<Uuid>()
        .all(db)
        .await?;
    found.extend(keys);
    Ok(found)
}

async fn last_sign_ins(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    users: &[Uuid],
) -> Result<HashMap<Uuid, DateTime<Utc>>> {
    use session_row::Column;
    let found = session_row::Entity::find()
        .select_only()
        .column(Column::UserId)
        .column_as(Column::CreatedAt.max(), "at")
        .filter(Column::UserId.is_in(users.iter().copied()))
        .filter(Column::OrganizationId.eq(organization_id))
        .group_by(Column::UserId)
        .into_tuple::<(Uuid, DateTime<Utc>)>()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// A member of the caller's organization: any for an administrator, only themselves for others. Others are not found.
pub async fn person(app: &App, member: &Member, id: Uuid) -> Result<Found> {
    if id != member.caller.user_id && !member.caller.has(Role::Admin) {
        return Err(Error::NotFound);
    }
    find(app.store.db(), &member.tenant(), id).await
}

async fn find(db: &impl ConnectionTrait, tenant: &Tenant, id: Uuid) -> Result<Found> {
    let place = tenant.memberships().filter(membership::Column::UserId.eq(id)).one(db).await?;
    let place = place.ok_or(Error::NotFound)?;
    let user = app_user::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    Ok((place, user))
}

/// The complete form of a member.
pub async fn details(
    db: &impl ConnectionTrait,
    app: &App,
    organization_id: Uuid,
    (place, user): Found,
) -> Result<User> {
    let is_elsewhere = person::is_elsewhere(db, &user, organization_id).await?;
    let organization = organization::Entity::find_by_id(organization_id).one(db).await?;
    let job = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind::JOB_FUNCTION))
        .filter(reference_item::Column::Name.eq(&place.job_function))
        .filter(reference_item::Column::IsRetired.eq(false))
        .one(db)
        .await?;
    let organizations = vec![UserOrganization::of(organization.ok_or(Error::NotFound)?, place.clone())];
    let (disabled_date_time, permissions) = (place.disabled_at, place.permissions);
    let row = rows_of(db, organization_id, vec![(place, user.clone())]).await?;
    Ok(User {
        row: row.into_iter().next().ok_or(Error::NotFound)?,
        job_function_id: job.map(|job| job.id),
        disabled_date_time,
        permissions,
        create_date: user.created_at,
        is_locked: Place::Elsewhere.is_locked(app, &user),
        can_change_person: !is_elsewhere,
        can_change_user_name: !is_elsewhere && is_invited(db, &user).await?,
        organizations,
        email: user.email,
        phone_number: user.phone,
        version: user.version,
    })
}

/// Adds a member to the organization. The invitation is sent with the same commit.
pub async fn create(app: &App, member: &Member, form: UserForm) -> Result<User> {
    rules::check(&form, true).check()?;
    let user = new_user(app, Some(member.organization_id), &form);
    let link = links::prepare(app, &user).await?;
    let txn = app.store.begin().await?;
    let organization = locked(&txn, member.organization_id).await?;
    let mut errors = FieldErrors::default();
    errors.require(!user_name::is_taken(&txn, &user.user_name).await?, "userName", rules::EXISTS);
    let job = job(&txn, form.job_function_id, &mut errors).await?;
    errors.check()?;
    require_room(&txn, &organization).await?;
    let role = form.role_name.unwrap_or(RoleName::User);
    let mut place = membership::Model::new(user.id, organization.id, role.name(), job.unwrap_or_default());
    place.permissions = place.permissions.with(form.permissions);
    let row = user.clone().into_active_model().reset_all();
    app_user::Entity::insert(row).exec_without_returning(&txn).await.map_err(taken)?;
    place.insert(&txn).await?;
    link.enqueue(&txn, app.clock.now()).await?;
    let actor = Actor::from(&member.caller);
    let act = Act::new(event::CREATED, "user", user.id)
        .detail(json!({ "role": role.name(), "permissions": place.permissions }));
    audit::record(app, &txn, &actor, act).await?;
    audit::record(app, &txn, &actor, Act::new(event::LINK_SENT, "user", user.id)).await?;
    let created = details(&txn, app, organization.id, (place, user)).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(created)
}

/// A new account that has not been accepted, with the user's first membership.
pub fn new_user(app: &App, organization_id: Option<Uuid>, form: &UserForm) -> app_user::Model {
    let (now, user_name) = (app.clock.now(), form.user_name.trim());
    app_user::Model {
        id: Uuid::now_v7(),
        user_name: user_name.to_owned(),
        user_name_key: user_name_key(user_name),
        first_name: form.first_name.trim().to_owned(),
        last_name: form.last_name.trim().to_owned(),
        email: user_name.to_owned(),
        phone: phone_digits(form.phone_number.trim()).unwrap_or_default(),
        password_hash: String::new(),
        system_role: None,
        network_admin_of: None,
        is_disabled: false,
        disabled_at: None,
        deleted_at: None,
        failed_logins: 0,
        locked_until: None,
        password_changed_at: now,
        preferences: json!({}),
        last_organization_id: organization_id,
        created_at: now,
        modified_at: now,
        version: 1,
    }
}

/// Two concurrent saves may both have found the user name free.
pub fn taken(error: sea_orm::DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::field("userName", rules::EXISTS),
        _ => error.into(),
    }
}

/// The name of the chosen job; empty without an id.
pub async fn job(
    db: &impl ConnectionTrait,
    id: Option<Uuid>,
    errors: &mut FieldErrors,
) -> Result<Option<String>> {
    let Some(id) = id else { return Ok(None) };
    let found = reference_item::Entity::find_by_id(id).one(db).await?;
    let found = found.filter(|item| item.kind == kind::JOB_FUNCTION && !item.is_retired);
    errors.require(found.is_some(), "jobFunctionId", DEFAULT_FIELD_ERROR);
    Ok(found.map(|item| item.name))
}

/// Checks that the plan of an organization, whose row is locked, has room for one more.
pub async fn require_room(txn: &Transaction, organization: &organization::Model) -> Result<()> {
    let plan = plan::named(txn, organization.plan_id).await?;
    let users = number_of_users(txn, organization.id).await?;
    rules::check_room(&plan.name, plan.allowed_users, users)
}

/// Checks that the organization, whose row is locked, has another administrator.
pub async fn require_administrator(txn: &Transaction, organization_id: Uuid, except: Uuid) -> Result<()> {
    let others = Tenant::whole(organization_id)
        .memberships()
        .join(JoinType::InnerJoin, user_of_membership())
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR))
        .filter(membership::Column::IsDisabled.eq(false))
        .filter(membership::Column::UserId.ne(except))
        .filter(app_user::Column::IsDisabled.eq(false));
    if others.exists(txn).await? {
        return Ok(());
    }
    Err(Error::Conflict(rules::LAST_ADMINISTRATOR.into()))
}

/// Saves a member, if nobody changed them since the form was read. A changed user name sends the invitation to it; a
/// changed role ends the member's sessions in this organization.
pub async fn update(app: &App, member: &Member, id: Uuid, form: UserForm) -> Result<User> {
    let (_, before) = person(app, member, id).await?;
    let mut errors = rules::check(&form, false);
    errors.require(form.version.is_some(), "version", DEFAULT_FIELD_ERROR);
    errors.check()?;
    let renamed = renamed(&before, &form);
    let invites = renamed.is_some() && is_invited(app.store.db(), &before).await?;
    let link = match renamed.filter(|_| invites) {
        Some(renamed) => Some(links::prepare(app, &renamed).await?),
        None => None,
    };
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    locked(&txn, member.organization_id).await?;
    person::locked(&txn, id).await?;
    let (place, before) = find(&txn, &member.tenant(), id).await?;
    if form.version != Some(before.version) {
        return Err(Error::Outdated("this user"));
    }
    let mut errors = FieldErrors::default();
    let is_elsewhere = person::is_elsewhere(&txn, &before, member.organization_id).await?;
    let is_invited = is_invited(&txn, &before).await?;
    rules::check_person(&before, &form, is_elsewhere, is_invited, &mut errors);
    if link.is_some() {
        errors.require(!user_name::is_taken(&txn, &form.user_name).await?, "userName", rules::EXISTS);
    }
    let job = job(&txn, form.job_function_id, &mut errors).await?;
    let role = form.role_name.unwrap_or(RoleName::User);
    let changes_role = RoleName::of(&place.role) != role;
    errors.require(!changes_role || id != member.caller.user_id, "roleName", rules::NOT_ONESELF);
    errors.check()?;
    if changes_role && role == RoleName::User {
        require_administrator(&txn, member.organization_id, id).await?;
    }
    let wanted = Wanted { role: Some(role), job, permissions: form.permissions };
    let (place, mut changed) = memberships::save(&txn, place, wanted).await?;
    let user = save_user(&txn, before, &form, now, &mut changed).await?;
    let ended = if changes_role {
        session::end_in(&txn, now, id, member.organization_id, "The role was changed.").await?
    } else {
        Vec::new()
    };
    let actor = Actor::from(&member.caller);
    let act = Act::new(event::CHANGED, "user", id).detail(json!({
        "changed": changed,
        "role": role.name(),
        "permissions": place.permissions,
        "sessionsEnded": ended.len(),
    }));
    audit::record(app, &txn, &actor, act).await?;
    if let Some(link) = link {
        link.enqueue(&txn, now).await?;
        audit::record(app, &txn, &actor, Act::new(event::LINK_SENT, "user", id)).await?;
    }
    let saved = details(&txn, app, member.organization_id, (place, user)).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    session::tell_ended(app, ended).await;
    Ok(saved)
}

/// The account with the form's user name, if it was changed.
fn renamed(before: &app_user::Model, form: &UserForm) -> Option<app_user::Model> {
    let user_name = form.user_name.trim();
    let is_other = user_name_key(user_name) != before.user_name_key;
    is_other.then(|| app_user::Model {
        user_name: user_name.to_owned(),
        email: user_name.to_owned(),
        first_name: form.first_name.trim().to_owned(),
        last_name: form.last_name.trim().to_owned(),
        ..before.clone()
    })
}

async fn save_user(
    txn: &Transaction,
    before: app_user::Model,
    form: &UserForm,
    now: DateTime<Utc>,
    changed: &mut Vec<&'static str>,
) -> Result<app_user::Model> {
    let (key, version) = (before.user_name_key.clone(), before.version);
    let mut row = before.into_active_model();
    row.first_name.set_if_not_equals(form.first_name.trim().to_owned());
    row.last_name.set_if_not_equals(form.last_name.trim().to_owned());
    row.phone.set_if_not_equals(phone_digits(form.phone_number.trim()).unwrap_or_default());
    let user_name = form.user_name.trim();
    if user_name_key(user_name) != key {
        row.user_name = Set(user_name.to_owned());
        row.user_name_key = Set(user_name_key(user_name));
        row.email = Set(user_name.to_owned());
    }
    for (name, is_set) in [
        ("firstName", row.first_name.is_set()),
        ("lastName", row.last_name.is_set()),
        ("phoneNumber", row.phone.is_set()),
        ("userName", row.user_name.is_set()),
    ] {
        if is_set {
            changed.push(name);
        }
    }
    row.modified_at = Set(now);
    row.version = Set(version + 1);
    row.update(txn).await.map_err(taken)
}

/// Removes a member from the organization; without other roles, the account is deleted.
pub async fn remove(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let (_, user) = person(app, member, id).await?;
    if id == member.caller.user_id {
        return Err(Error::Conflict(rules::NOT_REMOVE_ONESELF.into()));
    }
    if person::is_elsewhere(app.store.db(), &user, member.organization_id).await? {
        assignments::remove(app, &member.caller, id, member.organization_id).await
    } else {
        deletion::delete(app, &member.caller, id).await
    }
}

/// Enables or disables a member in the organization. Repeating it changes nothing.
pub async fn enable(app: &App, member: &Member, id: Uuid, enable: bool) -> Result<()> {
    person(app, member, id).await?;
    if id == member.caller.user_id && !enable {
        return Err(Error::Conflict(rules::NOT_DISABLE_ONESELF.into()));
    }
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    let organization = locked(&txn, member.organization_id).await?;
    let (place, user) = find(&txn, &member.tenant(), id).await?;
    if enable && user.is_disabled {
        return Err(Error::Conflict(rules::BY_OPERATOR.into()));
    }
    if place.is_disabled != enable {
        return Ok(());
    }
    if enable {
        require_room(&txn, &organization).await?;
    } else {
        require_administrator(&txn, organization.id, id).await?;
    }
    let mut row = place.into_active_model();
    row.is_disabled = Set(!enable);
    row.disabled_at = Set((!enable).then_some(now));
    row.update(&txn).await?;
    let ended = if enable {
        Vec::new()
    } else {
        end_access(&txn, now, &user, organization.id, "The account was disabled.").await?
    };
    let act = Act::new(event::CHANGED, "user", id)
        .detail(json!({ "enabled": enable, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// Ends a user's access to an organization. Users without other roles also lose e-mailed links and pending sign-ins.
pub async fn end_access(
    txn: &Transaction,
    now: DateTime<Utc>,
    user: &app_user::Model,
    organization_id: Uuid,
    reason: &str,
) -> Result<Vec<Uuid>> {
    if person::is_elsewhere(txn, user, organization_id).await? {
        session::end_in(txn, now, user.id, organization_id, reason).await
    } else {
        access::end_access(txn, now, user.id, None, reason).await
    }
}
