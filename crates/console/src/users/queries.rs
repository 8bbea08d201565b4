//! Reading, creating and changing accounts.

use super::{
    list::rows_of,
    rules,
    types::{AdminUser, AdminUserForm, AdminUserUpdate, ProofStatus, SysAdminForm},
};
use crate::customer_messaging::{self, OrganizationCard, PersonCard};
use accounts::{
    access::end_access,
    factors, links,
    lockout::Place,
    onboarding::proofing::{self, review},
    organization::{locked as locked_organization, open as open_organizations},
    passwords::{self, PASSWORD_REQUIRED, confirm},
    people::{
        assignments, deletion,
        memberships::Wanted,
        queries::{is_invited, job, new_user, require_room, taken},
        types::{RoleName, UserForm},
    },
    person::{self, trail},
    profile::{notifications, own},
    reference_items::{kind, named_items},
    second_factor,
    user_name::{self, EXISTS, NOT_VALID},
};
use axum::Json;
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, phone_digits, user_name_key},
    session,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, SelectExt, sea_query::Expr,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        account_link, app_user, known_browser, membership, organization, proofing_document, reference_item,
    },
};
use uuid::Uuid;

/// An account that is not deleted.
pub async fn find(db: &impl ConnectionTrait, id: Uuid) -> Result<app_user::Model> {
    let found = app_user::Entity::find_by_id(id).filter(app_user::Column::DeletedAt.is_null());
    found.one(db).await?.ok_or(Error::NotFound)
}

/// An account with all its details.
pub async fn details(app: &App, id: Uuid) -> Result<AdminUser> {
    let db = app.store.db();
    let user = find(db, id).await?;
    let methods = factors::Factors::of(db, id).await?;
    let unclaimed = account_link::Entity::find()
        .filter(account_link::Column::UserId.eq(id))
        .filter(account_link::Column::EndedAt.is_null())
        .filter(account_link::Column::ExpiresAt.gt(app.clock.now()))
        .one(db)
        .await?;
    let Json(jobs) = named_items(app, kind::JOB_FUNCTION).await?;
    let row = rows_of(db, vec![user.clone()]).await?.pop().ok_or(Error::NotFound)?;
    let mut all_roles: Vec<String> = user.system_role.iter().cloned().collect();
    all_roles.extend(row.organizations.iter().map(|place| place.role.name().to_owned()));
    all_roles.dedup();
    Ok(AdminUser {
        token_auth_enabled: methods.app.is_some() || !methods.passkeys.is_empty(),
        has_unclaimed_security_tokens: unclaimed.is_some(),
        lockout_enabled: Place::Elsewhere.is_locked(app, &user),
        user_preferences: own::preferences_of(&user)?,
        primary_job_function: row.organizations.first().map(|place| place.primary_job_function.clone()),
        id_proofed: row.id_proof_status == Some(ProofStatus::Passed),
        id_proof_file_name: file_name(app, id).await?,
        all_roles,
        job_functions: jobs.items,
        create_date: user.created_at,
        phone_number: user.phone,
        row,
    })
}

/// The file name of a user's latest photo ID, while it is stored.
async fn file_name(app: &App, user_id: Uuid) -> Result<Option<String>> {
    let last = proofing_document::Entity::find()
        .filter(proofing_document::Column::UserId.eq(user_id))
        .filter(proofing_document::Column::BlobId.is_not_null())
        .order_by_desc(proofing_document::Column::UploadedAt)
        .one(app.store.db())
        .await?;
    let Some(document) = last else { return Ok(None) };
    let key = app.keys.data_key(document.organization_id).await?;
    Ok(Some(proofing::queries::open_name(&key, &document)?))
}

/// How a new account gets its first password.
enum FirstPassword {
    Link(Box<links::NewLink>),
    Hash(String),
}

impl FirstPassword {
    async fn of(app: &App, user: &app_user::Model, form: &AdminUserForm) -> Result<Self> {
        if form.email_create_password {
            return Ok(Self::Link(Box::new(links::prepare(app, user).await?)));
        }
        Ok(Self::Hash(passwords::queries::accepted(app, user, form.password.clone().into()).await?))
    }
}

/// Creates a user of an organization and returns the id.
pub async fn create(app: &App, caller: &Caller, form: AdminUserForm) -> Result<Uuid> {
    rules::check_new(&form).check()?;
    let (details, organization_id) = (&form.user_details, form.organization_id.unwrap_or_default());
    let person = UserForm {
        user_name: details.user_name.to_string(),
        first_name: details.first_name.to_string(),
        last_name: details.last_name.to_string(),
        phone_number: details.phone_number.to_string(),
        ..UserForm::default()
    };
    let mut user = new_user(app, Some(organization_id), &person);
    require_organization(app.store.db(), organization_id).await?;
    refuse_taken(app.store.db(), &user).await?;
    let password = FirstPassword::of(app, &user, &form).await?;
    if let FirstPassword::Hash(hash) = &password {
        user.password_hash.clone_from(hash);
    }
    let txn = app.store.begin().await?;
    let organization = locked_organization(&txn, organization_id).await?;
    let mut errors = FieldErrors::default();
    let job = job(&txn, details.job_function_id, &mut errors).await?;
    errors.check()?;
    require_room(&txn, &organization).await?;
    let role = details.role_name.unwrap_or(RoleName::User);
    insert(&txn, &user).await?;
    let job = job.unwrap_or_default();
    membership::Model::new(user.id, organization.id, role.name(), job).insert(&txn).await?;
    let actor = Actor::in_organization(caller, organization.id);
    let act = Act::new(event::CREATED, "user", user.id).detail(json!({ "role": role.name() }));
    audit::record(app, &txn, &actor, act).await?;
    if let FirstPassword::Link(link) = password {
        send(app, &txn, &actor, user.id, *link).await?;
    }
    let is_vouched_for = role == RoleName::Administrator
        && details.id_proof_status == Some(ProofStatus::Passed)
        && organization.id_proofed_at.is_none();
    if is_vouched_for {
        proofing::queries::prove(app, &txn, &organization, &actor, "operator").await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(user.id)
}

/// Creates an operator and returns the id.
pub async fn create_operator(app: &App, caller: &Caller, form: SysAdminForm) -> Result<Uuid> {
    let person = UserForm {
        user_name: form.user_name.to_string(),
        first_name: form.first_name.to_string(),
        last_name: form.last_name.to_string(),
        ..UserForm::default()
    };
    let user = app_user::Model { system_role: Some(form.role.name().into()), ..new_user(app, None, &person) };
    refuse_taken(app.store.db(), &user).await?;
    let link = links::prepare(app, &user).await?;
    let txn = app.store.begin().await?;
    insert(&txn, &user).await?;
    let actor = Actor::platform(caller);
    let act = Act::new(event::CREATED, "user", user.id).detail(json!({ "role": form.role.name() }));
    audit::record(app, &txn, &actor, act).await?;
    send(app, &txn, &actor, user.id, link).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(user.id)
}

async fn require_organization(db: &impl ConnectionTrait, id: Uuid) -> Result<()> {
    let found = open_organizations().filter(organization::Column::Id.eq(id));
    if found.exists(db).await? { Ok(()) } else { Err(Error::field("organizationId", DEFAULT_FIELD_ERROR)) }
}

/// Checked before an e-mail is prepared; the unique index decides about concurrent requests.
async fn refuse_taken(db: &impl ConnectionTrait, user: &app_user::Model) -> Result<()> {
    if user_name::is_taken(db, &user.user_name).await? {
        return Err(Error::field("userName", EXISTS));
    }
    Ok(())
}

async fn insert(txn: &Transaction, user: &app_user::Model) -> Result<()> {
    let row = user.clone().into_active_model().reset_all();
    app_user::Entity::insert(row).exec_without_returning(txn).await.map_err(taken)?;
    Ok(())
}

async fn send(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    user_id: Uuid,
    link: links::NewLink,
) -> Result<()> {
    link.enqueue(txn, app.clock.now()).await?;
    audit::record(app, txn, actor, Act::new(event::LINK_SENT, "user", user_id)).await
}

/// Other changes of an account form besides its fields.
struct Changes {
    wanted: app_user::Model,
    is_renamed: bool,
    /// The user name or the e-mail address.
    address: bool,
    removes_factors: bool,
}

/// The changes of a form, or its errors.
async fn checked(app: &App, known: &app_user::Model, form: &AdminUserUpdate) -> Result<Changes> {
    let wanted = wanted(known, form);
    let is_renamed = wanted.user_name_key != known.user_name_key;
    let address = is_renamed || wanted.email != known.email;
    let removes_factors = form.two_factor_enabled == Some(false) && is_protected(app, known).await?;
    let mut errors = FieldErrors::default();
    errors.require(form.version.is_some(), "version", DEFAULT_FIELD_ERROR);
    errors.require(!is_renamed || user_name::is_valid(&form.user_name), "userName", NOT_VALID);
    let is_role_known = form.system_role.is_none() || known.system_role.is_some();
    errors.require(is_role_known, "systemRole", rules::SYSTEM_ONLY);
    let is_proven = !removes_factors || form.identity_proof.is_some();
    errors.require(is_proven, "identityProof", rules::IDENTITY_REQUIRED);
    let is_confirmed = !address || !form.own_password.is_empty();
    errors.require(is_confirmed, "ownPassword", PASSWORD_REQUIRED);
    errors.check()?;
    if is_renamed {
        refuse_taken(app.store.db(), &wanted).await?;
    }
    Ok(Changes { wanted, is_renamed, address, removes_factors })
}

/// Changes an account, unless somebody else has changed it since it was read.
pub async fn update(app: &App, caller: &Caller, id: Uuid, form: AdminUserUpdate) -> Result<()> {
    let known = find(app.store.db(), id).await?;
    let Changes { wanted, is_renamed, address, removes_factors } = checked(app, &known, &form).await?;
    if address {
        confirm(app, caller, form.own_password.clone().into(), "ownPassword").await?;
    }
    let is_invited = is_invited(app.store.db(), &known).await?;
    let link = match is_renamed && is_invited {
        true => Some(links::prepare(app, &wanted).await?),
        false => None,
    };
    let notice = match address && !is_invited {
        true => person::notice(app, &known, rules::change_notice(is_renamed), &caller.source_ip).await?,
        false => None,
    };
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    // Locked before the account, in the same order as the assignment of people to organizations.
    let place = match place_of(&txn, &known, &form).await? {
        Some(wanted) => Some((assignments::only_organization(&txn, id).await?, wanted)),
        None => None,
    };
    let removed = match proof_of(&txn, &known, form.id_proof_status).await? {
        Some(passed) => review::decide_in(app, &txn, caller, id, passed).await?,
        None => Vec::new(),
    };
    let account = deletion::locked(&txn, id).await?;
    if form.version != Some(account.user.version) {
        return Err(Error::Outdated("this user"));
    }
    let changes_role = wanted.system_role != account.user.system_role;
    if changes_role {
        if id == caller.user_id {
            return Err(Error::field("systemRole", rules::NOT_OWN_ROLE));
        }
        account.require_another()?;
    }
    let actor = trail(&txn, caller, &account.user).await?;
    let mut ended = Vec::new();
    if let Some((organization, wanted)) = place {
        let place = (&organization, &account.user);
        ended = assignments::change_in(app, &txn, caller, place, wanted).await?.1.unwrap_or_default();
    }
    let changed = write(&txn, account.user, &wanted, now).await?;
    let unlocked = form.lockout_enabled == Some(false) && lift_lock(&txn, id).await?;
    if let Some(preferences) = &form.user_preferences {
        notifications::save(&txn, id, preferences, now).await?;
    }
    if changes_role {
        ended.extend(end_access(&txn, now, id, None, "The role was changed.").await?);
    }
    let act = Act::new(event::CHANGED, "user", id)
        .detail(json!({ "changed": changed, "unlocked": unlocked, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &actor, act).await?;
    if let Some(link) = link {
        send(app, &txn, &actor, id, link).await?;
    }
    if let Some(notice) = notice {
        notice.enqueue(&txn).await?;
    }
    txn.commit().await?;
    review::delete(app, removed).await?;
    app.bus.publish(Event::Work).await;
    session::tell_ended(app, ended).await;
    match removes_factors {
        true => second_factor::reset(app, caller, id, form.identity_proof).await,
        false => Ok(()),
    }
}

/// Whether a user has second factors.
async fn is_protected(app: &App, user: &app_user::Model) -> Result<bool> {
    let rows = rows_of(app.store.db(), vec![user.clone()]).await?;
    Ok(rows.iter().any(|row| row.two_factor_enabled))
}

/// The changed proof of identity of a form; `None` if it is unchanged.
async fn proof_of(
    txn: &Transaction,
    known: &app_user::Model,
    wanted: Option<ProofStatus>,
) -> Result<Option<bool>> {
    let Some(wanted) = wanted else { return Ok(None) };
    let now = rows_of(txn, vec![known.clone()]).await?.pop().and_then(|row| row.id_proof_status);
    match (now, wanted) {
        (None, _) => Err(Error::field("idProofStatus", rules::NO_PROOF)),
        (Some(now), wanted) if now == wanted => Ok(None),
        (_, ProofStatus::UnderReview) => Err(Error::field("idProofStatus", rules::PROOF_REQUIRED)),
        (_, wanted) => Ok(Some(wanted == ProofStatus::Passed)),
    }
}

/// The changes of a form to the user's membership. Unchanged values may be sent back with the rest.
async fn place_of(
    txn: &Transaction,
    known: &app_user::Model,
    form: &AdminUserUpdate,
) -> Result<Option<Wanted>> {
    let rows = rows_of(txn, vec![known.clone()]).await?;
    let places = rows.first().map(|row| row.organizations.as_slice()).unwrap_or_default();
    let role = form.role_name.clone().filter(|name| places.iter().all(|place| place.role.name() != name));
    let job = form.primary_job_function.clone();
    let job = job.filter(|name| places.iter().all(|place| place.primary_job_function != *name));
    if known.system_role.is_some() || (role.is_none() && job.is_none()) {
        return Ok(None);
    }
    let role = match role.as_deref() {
        None => None,
        Some("User") => Some(RoleName::User),
        Some("Administrator") => Some(RoleName::Administrator),
        Some(_) => return Err(Error::field("roleName", DEFAULT_FIELD_ERROR)),
    };
    if let Some(name) = &job {
        let jobs = reference_item::Entity::find()
            .filter(reference_item::Column::Kind.eq(kind::JOB_FUNCTION))
            .filter(reference_item::Column::Name.eq(name));
        if !jobs.exists(txn).await? {
            return Err(Error::field("primaryJobFunction", DEFAULT_FIELD_ERROR));
        }
    }
    Ok(Some(Wanted { role, job, ..Wanted::default() }))
}

/// The account with the values of the form.
fn wanted(known: &app_user::Model, form: &AdminUserUpdate) -> app_user::Model {
    app_user::Model {
        user_name: form.user_name.to_string(),
        user_name_key: user_name_key(&form.user_name),
        email: form.email.to_string(),
        first_name: form.first_name.to_string(),
        last_name: form.last_name.to_string(),
        phone: phone_digits(&form.phone_number).unwrap_or_default(),
        system_role: form.system_role.map(|role| role.name().to_owned()).or(known.system_role.clone()),
        preferences: match &form.user_preferences {
            Some(wanted) => own::with_preferences(known.preferences.clone(), &json!(wanted)),
            None => known.preferences.clone(),
        },
        ..known.clone()
    }
}

/// Writes the changes and returns the names of the changed fields.
async fn write(
    txn: &Transaction,
    before: app_user::Model,
    wanted: &app_user::Model,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<Vec<&'static str>> {
    let mut changed = Vec::new();
    let version = before.version;
    let mut row = before.into_active_model();
    macro_rules! set {
        ($($column:ident: $name:literal),+ $(,)?) => { $(
            row.$column.set_if_not_equals(wanted.$column.clone());
            if row.$column.is_set() {
                changed.push($name);
            }
        )+ };
    }
    set!(
        user_name: "userName", email: "email", first_name: "firstName", last_name: "lastName", phone: "phoneNumber",
        system_role: "role", preferences: "preferences",
    );
    row.user_name_key.set_if_not_equals(wanted.user_name_key.clone());
    row.modified_at = Set(now);
    row.version = Set(version + 1);
    row.update(txn).await.map_err(taken)?;
    Ok(changed)
}

/// Ends the lock of an account on all nodes; `false` if it was not locked.
async fn lift_lock(txn: &Transaction, id: Uuid) -> Result<bool> {
    let everywhere = app_user::Entity::update_many()
        .col_expr(app_user::Column::LockedUntil, Expr::value(None::<chrono::DateTime<chrono::Utc>>))
        .col_expr(app_user::Column::FailedLogins, Expr::value(0))
        .filter(app_user::Column::Id.eq(id))
        .filter(app_user::Column::LockedUntil.is_not_null())
        .exec(txn)
        .await?;
    let browsers = known_browser::Entity::update_many()
        .col_expr(known_browser::Column::LockedUntil, Expr::value(None::<chrono::DateTime<chrono::Utc>>))
        .col_expr(known_browser::Column::FailedLogins, Expr::value(0))
        .filter(known_browser::Column::UserId.eq(id))
        .filter(known_browser::Column::LockedUntil.is_not_null())
        .exec(txn)
        .await?;
    Ok(everywhere.rows_affected + browsers.rows_affected > 0)
}

/// Sends a user to the customer-messaging service. The request is audited first.
pub async fn sync(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let user = find(app.store.db(), id).await?;
    let service = customer_messaging::member(app)?;
    let txn = app.store.begin().await?;
    let act = Act::new(event::SENT, "user", id).detail(json!({ "to": "customer messaging" }));
    audit::record(app, &txn, &trail(&txn, caller, &user).await?, act).await?;
    txn.commit().await?;
    let organizations = rows_of(app.store.db(), vec![user.clone()])
        .await?
        .pop()
        .map(|row| row.organizations)
        .unwrap_or_default()
        .into_iter()
        .map(|place| OrganizationCard { id: place.id, name: place.name, number_of_users: None })
        .collect();
    let card = PersonCard {
        id,
        full_name: session::full_name(&user),
        email: user.email,
        organizations,
        created_at: user.created_at,
    };
    service.sync_person(&card).await
}
