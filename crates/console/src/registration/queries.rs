//! Database access of registering and confirming.

use super::{
    mail::{AlreadyRegistered, ConfirmRegistration},
    rules::{self, Given},
    types::{Choice, RegistrationForm, RegistrationOptions},
};
use crate::organizations::{
    queries::{Author, check_new, create_in, is_free},
    rules::{SUB_DOMAIN_REFUSED, SubDomain, sub_domain},
};
use accounts::{links, passwords, person, reference_items::kind, user_name::EXISTS};
use chrono::{DateTime, Duration, Utc};
use email::{Prepared, Recipient};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::user_name_key,
    secret::{random_token, token_hash},
    session::ROLE_ADMINISTRATOR,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    SelectExt, SqlErr,
    sea_query::{Expr, ExprTrait},
};
use serde_json::json;
use store::{
    Transaction,
    entities::{app_user, brand, membership, reference_item, registration},
};
use uuid::Uuid;

/// Lifetime of a link.
const LIFE: Duration = Duration::days(7);
/// Maximum number of pending registrations of one address: each sends an e-mail there.
const WAITING_MAX: u64 = 3;

/// The choices of the form.
pub async fn options(app: &App) -> Result<RegistrationOptions> {
    Ok(RegistrationOptions {
        types: choices(app, kind::ORGANIZATION_TYPE).await?,
        specialties: choices(app, kind::ORGANIZATION_SPECIALTY).await?,
    })
}

async fn choices(app: &App, kind: &str) -> Result<Vec<Choice>> {
    let rows = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind))
        .filter(reference_item::Column::IsRetired.eq(false))
        .order_by_asc(reference_item::Column::Name)
        .all(app.store.db())
        .await?;
    Ok(rows.into_iter().map(|row| Choice { id: row.id, name: row.name }).collect())
}

/// Shown if no brand or no provider of Direct addresses is set up.
const NOT_READY: &str = "This installation does not take registrations yet.";

async fn given(db: &impl ConnectionTrait) -> Result<Given> {
    let brand = brand::Entity::find().order_by_asc(brand::Column::Id).one(db).await?;
    let provider = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind::HISP_PROVIDER))
        .filter(reference_item::Column::IsRetired.eq(false))
        .order_by_asc(reference_item::Column::Id)
        .one(db)
        .await?;
    match (brand, provider) {
        (Some(brand), Some(provider)) => Ok(Given { brand_id: brand.id, hisp_provider_id: provider.id }),
        _ => Err(Error::Conflict(NOT_READY.into())),
    }
}

/// Whether a practice may have the subdomain: it is neither taken nor pending for another address.
pub async fn is_sub_domain_free(
    app: &App,
    db: &impl ConnectionTrait,
    text: &str,
    asked_by: &str,
) -> Result<bool> {
    let name = sub_domain(text);
    if SubDomain::new(&name).is_err() || !is_free(db, &name, None).await? {
        return Ok(false);
    }
    let waiting = registration::Entity::find()
        .filter(registration::Column::SubDomain.eq(name))
        .filter(registration::Column::UserNameKey.ne(user_name_key(asked_by)))
        .filter(registration::Column::EndedAt.is_null())
        .filter(registration::Column::ExpiresAt.gt(app.clock.now()));
    Ok(!waiting.exists(db).await?)
}

/// Stores a registration until its link is opened, and sends the link. For an address with an account the answer is
/// the same, but the e-mail says so and has no link. Earlier registrations of the address stay: anybody can enter an
/// address, and its owner chooses.
pub async fn register(app: &App, form: RegistrationForm) -> Result<()> {
    if !email::is_available(app) {
        return Err(Error::Conflict(links::NO_MAIL.into()));
    }
    let db = app.store.db();
    let (key, now) = (user_name_key(&form.user_name), app.clock.now());
    let earlier = registration::Entity::find()
        .filter(registration::Column::UserNameKey.eq(&key))
        .filter(registration::Column::CreatedAt.gt(now - Duration::hours(1)));
    if earlier.count(db).await? >= WAITING_MAX {
        return Err(Error::TooMany(
            "Several links were already sent to this address. Please check its mailbox.".into(),
        ));
    }
    let given = given(db).await?;
    let (id, token) = (Uuid::now_v7(), random_token());
    let to = Recipient {
        name: format!("{} {}", &*form.primary_contact_first_name, &*form.primary_contact_last_name),
        address: form.user_name.to_string(),
    };
    let mail = ConfirmRegistration {
        first_name: form.primary_contact_first_name.to_string(),
        organization: form.name.to_string(),
        token: token.clone(),
    };
    let mail = match owner_of(app, &key).await? {
        Some(owner) => already_registered(app, owner).await?,
        None => Some(email::prepare(app, None, to, &mail).await?),
    };
    let txn = app.store.begin().await?;
    check_again(app, &txn, &form, given).await?;
    let sub_domain = sub_domain(&form.sub_domain);
    let waiting = serde_json::to_vec(&form).map_err(Error::internal)?;
    registration::Entity::insert(registration::ActiveModel {
        id: Set(id),
        token_hash: Set(token_hash(&token)),
        user_name_key: Set(key),
        sub_domain: Set(sub_domain),
        sealed_form: Set(Some(app.keys.master().seal(&context(id), &waiting))),
        created_at: Set(now),
        expires_at: Set(now + LIFE),
        ended_at: Set(None),
    })
    .exec_without_returning(&txn)
    .await?;
    if let Some(mail) = mail {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

async fn owner_of(app: &App, key: &str) -> Result<Option<app_user::Model>> {
    let of_name = app_user::Column::UserNameKey.eq(key);
    Ok(app_user::Entity::find().filter(of_name).one(app.store.db()).await?)
}

/// Tells the owner of an account about a registration with their address; the person who registers is not told.
async fn already_registered(app: &App, owner: app_user::Model) -> Result<Option<Prepared>> {
    let Some(to) = person::recipient(&owner) else { return Ok(None) };
    let home = person::home(app.store.db(), &owner).await?;
    Ok(Some(email::prepare(app, home, to, &AlreadyRegistered { first_name: owner.first_name }).await?))
}

fn context(id: Uuid) -> String {
    format!("registration.form:{id}")
}

/// Seals waiting forms with the current master key. Returns how many had another key.
pub async fn reseal(app: &App) -> Result<u64> {
    use registration::Column;
    let db = app.store.db();
    let waiting = registration::Entity::find().filter(Column::SealedForm.is_not_null());
    let mut changed = 0;
    for row in waiting.all(db).await? {
        let Some(before) = row.sealed_form else { continue };
        let Some(sealed) = app.keys.resealed(&context(row.id), &before)? else { continue };
        // It may have been confirmed meanwhile.
        changed += registration::Entity::update_many()
            .col_expr(Column::SealedForm, Expr::value(sealed))
            .filter(Column::Id.eq(row.id))
            .filter(Column::SealedForm.is_not_null())
            .exec(db)
            .await?
            .rows_affected;
    }
    Ok(changed)
}

async fn check_again(app: &App, txn: &Transaction, form: &RegistrationForm, given: Given) -> Result<()> {
    let (mut errors, _) = check_new(txn, &rules::organization(form, given)?).await?;
    if !errors.0.contains_key("subDomain")
        && !is_sub_domain_free(app, txn, &form.sub_domain, &form.user_name).await?
    {
        errors.add("subDomain", SUB_DOMAIN_REFUSED);
    }
    errors.check()
}

fn used() -> Error {
    Error::Conflict(links::USED.into())
}

/// The registration of a link.
pub async fn find(app: &App, token: &str) -> Result<(registration::Model, RegistrationForm)> {
    let of_token = registration::Column::TokenHash.eq(token_hash(token));
    let found = registration::Entity::find().filter(of_token).one(app.store.db()).await?;
    let found = found.ok_or(Error::NotFound)?;
    if found.ended_at.is_some() {
        return Err(used());
    }
    if found.expires_at <= app.clock.now() {
        return Err(Error::Conflict("This link has expired. Please register again.".into()));
    }
    let sealed = found.sealed_form.as_deref().ok_or_else(used)?;
    let opened = app.keys.open_secret(&context(found.id), sealed)?;
    let form = serde_json::from_slice(&opened).map_err(Error::internal)?;
    Ok((found, form))
}

/// Ends all registrations of an address after one is confirmed. They are locked in a fixed order, since two may be
/// confirmed at the same time.
async fn end(txn: &Transaction, now: DateTime<Utc>, confirmed: &registration::Model) -> Result<()> {
    use registration::Column;
    let of_address = Column::UserNameKey.eq(&confirmed.user_name_key).and(Column::EndedAt.is_null());
    let open = registration::Entity::find().select_only().column(Column::Id).filter(of_address.clone());
    let open: Vec<Uuid> = open.order_by_asc(Column::Id).lock_exclusive().into_tuple().all(txn).await?;
    if !open.contains(&confirmed.id) {
        return Err(used());
    }
    registration::Entity::update_many()
        .col_expr(Column::EndedAt, Expr::value(Some(now)))
        .col_expr(Column::SealedForm, Expr::value(Option::<Vec<u8>>::None))
        .filter(of_address)
        .exec(txn)
        .await?;
    Ok(())
}

/// Opens the account of a link: creates the organization and its administrator in one commit. Returns the user name.
pub async fn confirm(app: &App, token: &str, password: String, source_ip: &str) -> Result<String> {
    let (found, form) = find(app, token).await?;
    let owner = rules::owner(&form, app.config.requires_second_factor());
    let password_hash = passwords::accepted(app, password, &owner).await?;
    let given = given(app.store.db()).await?;
    let txn = app.store.begin().await?;
    end(&txn, app.clock.now(), &found).await?;
    let user_name = form.user_name.to_string();
    let user_id = Uuid::now_v7();
    let name = format!("{} {}", &*form.primary_contact_first_name, &*form.primary_contact_last_name);
    let actor = Actor { id: Some(user_id), name, organization_id: None, source_ip: source_ip.to_owned() };
    let author = Author { user_name: user_name.clone(), actor: actor.clone() };
    let organization = create_in(app, &txn, &author, rules::organization(&form, given)?).await?;
    administrator(app, user_id, &form, password_hash, organization.id).insert(&txn).await.map_err(taken)?;
    let job = &*form.primary_contact_title;
    membership::Model::new(user_id, organization.id, ROLE_ADMINISTRATOR, job).insert(&txn).await?;
    let actor = Actor { organization_id: Some(organization.id), ..actor };
    let act = Act::new(event::REGISTERED, "user", user_id).detail(json!({ "organization": organization.id }));
    audit::record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    Ok(user_name)
}

/// The user name may have been taken since the registration.
fn taken(error: sea_orm::DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::Conflict(EXISTS.into()),
        _ => error.into(),
    }
}

fn administrator(
    app: &App,
    id: Uuid,
    form: &RegistrationForm,
    password_hash: String,
    organization_id: Uuid,
) -> app_user::ActiveModel {
    let (now, user_name) = (app.clock.now(), &*form.user_name);
    app_user::ActiveModel {
        id: Set(id),
        user_name: Set(user_name.to_owned()),
        user_name_key: Set(user_name_key(user_name)),
        first_name: Set(form.primary_contact_first_name.to_string()),
        last_name: Set(form.primary_contact_last_name.to_string()),
        email: Set(user_name.to_owned()),
        phone: Set(platform::fields::phone_digits(&form.primary_phone).unwrap_or_default()),
        password_hash: Set(password_hash),
        system_role: Set(None),
        network_admin_of: Set(None),
        is_disabled: Set(false),
        disabled_at: Set(None),
        deleted_at: Set(None),
        failed_logins: Set(0),
        locked_until: Set(None),
        password_changed_at: Set(now),
        preferences: Set(json!({})),
        last_organization_id: Set(Some(organization_id)),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
    }
}
