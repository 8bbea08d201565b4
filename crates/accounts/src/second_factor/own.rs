//! Users set up their second factors; administrators reset them.

use crate::{
    access,
    challenges::{self, Purpose},
    factors::{Factors, codes, is_required, passkeys, totp},
    passwords::confirm,
    person::{self, managed},
};
use email::Prepared;
use platform::{
    App, Caller, Error, Result, Role,
    audit::{self, Act, Actor, event},
    bus::Event,
    session,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::OnConflict,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{app_user, brand, passkey, recovery_code, second_factor},
};
use utoipa::ToSchema;
use uuid::Uuid;

pub const NO_MAIL: &str = "Codes by e-mail cannot be sent, because this installation has no mail server configured, or your account has no e-mail address.";
const OWN: &str = "You can change your own second step in your profile, with your password.";
const ELSEWHERE: &str = "This person also has a role elsewhere in this installation. Only they themselves or its operator can reset their second step.";
const PASSKEYS_MAX: u64 = 20;
const NAME_MAX: usize = 60;

/// The second factors of a user.
pub struct Status {
    pub factors: Factors,
    pub is_required: bool,
    pub email_address: Option<String>,
    pub passkeys_available: bool,
}

pub async fn status(app: &App, caller: &Caller) -> Result<Status> {
    let db = app.store.db();
    let user = app_user::Entity::find_by_id(caller.user_id).one(db).await?.ok_or(Error::Unauthenticated)?;
    Ok(Status {
        factors: Factors::of(db, user.id).await?,
        is_required: is_required(app, db, user.id).await?,
        email_address: person::recipient(&user).filter(|_| email::is_available(app)).map(|to| to.address),
        passkeys_available: passkeys::are_available(app),
    })
}

/// A change of a user's own second factors: the event, and the e-mail about it.
struct Change<'a> {
    app: &'a App,
    caller: &'a Caller,
    what: &'static str,
    mail: Option<Prepared>,
}

impl<'a> Change<'a> {
    /// Must be called before the transaction begins.
    async fn new(
        app: &'a App,
        caller: &'a Caller,
        user: &app_user::Model,
        what: &'static str,
    ) -> Result<Self> {
        let mail = person::notice(app, user, what, &caller.source_ip).await?;
        Ok(Self { app, caller, what, mail })
    }

    async fn commit(self, txn: Transaction) -> Result<()> {
        let act = Act::new(event::SECOND_FACTOR_CHANGED, "user", self.caller.user_id)
            .detail(json!({ "what": self.what }));
        audit::record(self.app, &txn, &Actor::from(self.caller), act).await?;
        if let Some(mail) = self.mail {
            mail.enqueue(&txn).await?;
        }
        txn.commit().await?;
        self.app.bus.publish(Event::Work).await;
        Ok(())
    }
}

/// The secret of a new authenticator app, which becomes active with its first code.
pub async fn start_app(app: &App, caller: &Caller, password: String) -> Result<(String, totp::Setup)> {
    let user = confirm(app, caller, password, "password").await?;
    begin_app(app, &user).await
}

/// As [`start_app`], for a user who has already confirmed it.
pub(super) async fn begin_app(app: &App, user: &app_user::Model) -> Result<(String, totp::Setup)> {
    let db = app.store.db();
    let brand = brand::Entity::find().one(db).await?.map_or("Carepost".into(), |b| b.display_name);
    let secret = totp::new_secret()?;
    let setup = totp::setup(&secret, &brand, &user.user_name)?;
    let state = json!(totp::seal(app, user.id, &secret)).to_string();
    let token = challenges::begin(app, db, Purpose::AddApp, Some(user.id), Some(state)).await?;
    Ok((token, setup))
}

/// Activates a new app with its first code. Returns recovery codes if the user has none yet.
pub async fn confirm_app(app: &App, caller: &Caller, token: &str, code: &str) -> Result<Vec<String>> {
    let db = app.store.db();
    let challenge = challenges::find_own(app, db, token, Purpose::AddApp, caller.user_id).await?;
    let sealed: Vec<u8> = challenge
        .state
        .as_deref()
        .and_then(|state| serde_json::from_str(state).ok())
        .ok_or(Error::internal("a challenge without a secret"))?;
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let step = totp::step(&totp::open(app, caller.user_id, &sealed)?, &code, app.clock.now())?;
    let step = step.ok_or(Error::field("code", "This code is wrong. Please wait for the next one."))?;
    let user = app_user::Entity::find_by_id(caller.user_id).one(db).await?.ok_or(Error::Unauthenticated)?;
    let change = Change::new(app, caller, &user, "An authenticator app was set up for your account").await?;
    let txn = app.store.begin().await?;
    if !challenges::end(&txn, challenge.id).await? {
        return Err(Error::Conflict(challenges::ENDED.into()));
    }
    let row = row_of(&txn, caller.user_id).await?;
    second_factor::ActiveModel {
        user_id: Set(row.user_id),
        sealed_secret: Set(Some(sealed)),
        confirmed_at: Set(Some(app.clock.now())),
        last_step: Set(step),
        ..Default::default()
    }
    .update(&txn)
    .await?;
    let codes = first_recovery_codes(&txn, caller.user_id).await?;
    change.commit(txn).await?;
    Ok(codes)
}

pub async fn remove_app(app: &App, caller: &Caller, password: String) -> Result<()> {
    let user = confirm(app, caller, password, "password").await?;
    let change =
        Change::new(app, caller, &user, "The authenticator app was removed from your account").await?;
    let txn = app.store.begin().await?;
    let row = row_of(&txn, caller.user_id).await?;
    second_factor::ActiveModel {
        user_id: Set(row.user_id),
        sealed_secret: Set(None),
        confirmed_at: Set(None),
        ..Default::default()
    }
    .update(&txn)
    .await?;
    drop_unneeded_codes(&txn, caller.user_id).await?;
    change.commit(txn).await
}

/// Switches e-mailed codes on or off. Returns recovery codes if the user has none yet.
pub async fn set_email_codes(app: &App, caller: &Caller, password: String, on: bool) -> Result<Vec<String>> {
    let user = confirm(app, caller, password, "password").await?;
    switch_email_codes(app, caller, &user, on).await
}

/// As [`set_email_codes`], for a user who has already confirmed it.
pub(super) async fn switch_email_codes(
    app: &App,
    caller: &Caller,
    user: &app_user::Model,
    on: bool,
) -> Result<Vec<String>> {
    if on && (person::recipient(user).is_none() || !email::is_available(app)) {
        return Err(Error::Conflict(NO_MAIL.into()));
    }
    let what = if on {
        "Codes by e-mail were switched on for your account"
    } else {
        "Codes by e-mail were switched off for your account"
    };
    let change = Change::new(app, caller, user, what).await?;
    let txn = app.store.begin().await?;
    let row = row_of(&txn, caller.user_id).await?;
    second_factor::ActiveModel { user_id: Set(row.user_id), email_codes: Set(on), ..Default::default() }
        .update(&txn)
        .await?;
    let codes = if on { first_recovery_codes(&txn, caller.user_id).await? } else { Vec::new() };
    drop_unneeded_codes(&txn, caller.user_id).await?;
    change.commit(txn).await?;
    Ok(codes)
}

fn refuse_more_passkeys(known: u64) -> Result<()> {
    match known < PASSKEYS_MAX {
        true => Ok(()),
        false => Err(Error::Conflict("An account has at most 20 passkeys. Please remove one first.".into())),
    }
}

/// Starts the registration of a passkey.
pub async fn start_passkey(app: &App, caller: &Caller, password: String) -> Result<(String, Value)> {
    let user = confirm(app, caller, password, "password").await?;
    let db = app.store.db();
    let existing = Factors::of(db, user.id).await?.passkeys;
    refuse_more_passkeys(existing.len() as u64)?;
    let question = passkeys::ask_new(app, &user, &existing)?;
    let token = challenges::begin(app, db, Purpose::AddPasskey, Some(user.id), Some(question.state)).await?;
    Ok((token, question.options))
}

/// Stores the passkey created by the browser. Returns recovery codes if the user has none yet.
pub async fn add_passkey(
    app: &App,
    caller: &Caller,
    token: &str,
    name: &str,
    answer: Value,
) -> Result<Vec<String>> {
    let name = checked_name(name)?;
    let db = app.store.db();
    let challenge = challenges::find_own(app, db, token, Purpose::AddPasskey, caller.user_id).await?;
    let refused = || Error::field("passkey", "This passkey could not be added. Please try again.");
    let made = passkeys::new(app, challenge.state.as_deref(), answer)?.ok_or_else(refused)?;
    let user = app_user::Entity::find_by_id(caller.user_id).one(db).await?.ok_or(Error::Unauthenticated)?;
    let change = Change::new(app, caller, &user, "A passkey was added to your account").await?;
    let txn = app.store.begin().await?;
    if !challenges::end(&txn, challenge.id).await? {
        return Err(refused());
    }
    let row = passkey::ActiveModel {
        id: Set(Uuid::now_v7()),
        user_id: Set(caller.user_id),
        name: Set(name),
        credential_id: Set(made.credential_id),
        credential: Set(made.credential),
        created_at: Set(app.clock.now()),
        last_used_at: Set(None),
    };
    let new = OnConflict::column(passkey::Column::CredentialId).do_nothing().to_owned();
    person::locked(&txn, caller.user_id).await?;
    let own = passkey::Entity::find().filter(passkey::Column::UserId.eq(caller.user_id));
    refuse_more_passkeys(own.count(&txn).await?)?;
    let added = passkey::Entity::insert(row).on_conflict(new).exec_without_returning(&txn).await?;
    if added == 0 {
        return Err(refused());
    }
    let codes = first_recovery_codes(&txn, caller.user_id).await?;
    change.commit(txn).await?;
    Ok(codes)
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= NAME_MAX && !name.contains(char::is_control);
    if fits {
        Ok(name.into())
    } else {
        Err(Error::field("name", "Please enter a name of at most 60 characters."))
    }
}

pub async fn rename_passkey(
    app: &App,
    caller: &Caller,
    id: Uuid,
    password: String,
    name: &str,
) -> Result<()> {
    own_passkey(app, caller, id).await?;
    let name = checked_name(name)?;
    let user = confirm(app, caller, password, "password").await?;
    let change = Change::new(app, caller, &user, "A passkey of your account was renamed").await?;
    let txn = app.store.begin().await?;
    passkey::ActiveModel { id: Set(id), name: Set(name), ..Default::default() }.update(&txn).await?;
    change.commit(txn).await
}

pub async fn remove_passkey(app: &App, caller: &Caller, id: Uuid, password: String) -> Result<()> {
    own_passkey(app, caller, id).await?;
    let user = confirm(app, caller, password, "password").await?;
    let change = Change::new(app, caller, &user, "A passkey was removed from your account").await?;
    let txn = app.store.begin().await?;
    passkey::Entity::delete_by_id(id).exec(&txn).await?;
    drop_unneeded_codes(&txn, caller.user_id).await?;
    change.commit(txn).await
}

async fn own_passkey(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let found = passkey::Entity::find_by_id(id).one(app.store.db()).await?;
    found.filter(|key| key.user_id == caller.user_id).map(drop).ok_or(Error::NotFound)
}

/// Replaces the recovery codes.
pub async fn renew_recovery_codes(app: &App, caller: &Caller, password: String) -> Result<Vec<String>> {
    let user = confirm(app, caller, password, "password").await?;
    if !Factors::of(app.store.db(), user.id).await?.any() {
        return Err(Error::Conflict(
            "Recovery codes belong to a second step. Please set one up first.".into(),
        ));
    }
    let change = Change::new(app, caller, &user, "New recovery codes were created for your account").await?;
    let txn = app.store.begin().await?;
    let codes = new_recovery_codes(&txn, caller.user_id).await?;
    change.commit(txn).await?;
    Ok(codes)
}

/// The user's row, created if missing.
async fn row_of(txn: &Transaction, user_id: Uuid) -> Result<second_factor::Model> {
    let empty = second_factor::ActiveModel {
        user_id: Set(user_id),
        sealed_secret: Set(None),
        confirmed_at: Set(None),
        last_step: Set(0),
        email_codes: Set(false),
    };
    second_factor::Entity::insert(empty)
        .on_conflict(OnConflict::column(second_factor::Column::UserId).do_nothing().to_owned())
        .exec_without_returning(txn)
        .await?;
    let row = second_factor::Entity::find_by_id(user_id).one(txn).await?;
    row.ok_or_else(|| Error::internal("the second factor of a user is missing"))
}

async fn first_recovery_codes(txn: &Transaction, user_id: Uuid) -> Result<Vec<String>> {
    let has_some = Factors::of(txn, user_id).await?.recovery_codes > 0;
    if has_some { Ok(Vec::new()) } else { new_recovery_codes(txn, user_id).await }
}

async fn new_recovery_codes(txn: &Transaction, user_id: Uuid) -> Result<Vec<String>> {
    drop_recovery_codes(txn, user_id).await?;
    let codes = codes::recovery_codes()?;
    let rows = codes.iter().map(|code| recovery_code::ActiveModel {
        id: Set(Uuid::now_v7()),
        user_id: Set(user_id),
        hash: Set(codes::recovery_hash(user_id, code)),
        used_at: Set(None),
    });
    recovery_code::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(codes)
}

/// Deletes the recovery codes if no other second factor is left.
async fn drop_unneeded_codes(txn: &Transaction, user_id: Uuid) -> Result<()> {
    if Factors::of(txn, user_id).await?.any() { Ok(()) } else { drop_recovery_codes(txn, user_id).await }
}

async fn drop_recovery_codes(txn: &Transaction, user_id: Uuid) -> Result<()> {
    recovery_code::Entity::delete_many().filter(recovery_code::Column::UserId.eq(user_id)).exec(txn).await?;
    Ok(())
}

/// A user whose second factors the caller may reset. Not the caller, who needs the password. Second factors protect
/// every role of a user, so an organization's administrators may not reset them for users with roles elsewhere.
async fn resettable(app: &App, caller: &Caller, id: Uuid) -> Result<app_user::Model> {
    let db = app.store.db();
    if id == caller.user_id {
        return Err(Error::Conflict(OWN.into()));
    }
    let user = managed(app, caller, id).await?;
    let organization_id = caller.organization_id.filter(|_| !caller.has(Role::SysAdmin));
    if let Some(organization_id) = organization_id
        && person::is_elsewhere(db, &user, organization_id).await?
    {
        return Err(Error::Conflict(ELSEWHERE.into()));
    }
    Ok(user)
}

/// How the identity was checked before a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum IdentityProof {
    /// In person.
    InPerson,
    /// By video call with a known person.
    Video,
    /// By calling back a previously known telephone number.
    CallBack,
    /// By a photo ID.
    PhotoId,
}

/// Removes all second factors of a user who lost phone and codes, and ends their sessions. The audit trail has `null`
/// for a proof that an API caller left out; the web app always asks.
pub async fn reset(app: &App, caller: &Caller, id: Uuid, proof: Option<IdentityProof>) -> Result<()> {
    let user = resettable(app, caller, id).await?;
    let mail =
        person::notice(app, &user, "The second step of your sign-in was reset", &caller.source_ip).await?;
    let txn = app.store.begin().await?;
    second_factor::Entity::delete_by_id(id).exec(&txn).await?;
    passkey::Entity::delete_many().filter(passkey::Column::UserId.eq(id)).exec(&txn).await?;
    drop_recovery_codes(&txn, id).await?;
    let now = app.clock.now();
    let ended = access::end_access(&txn, now, id, None, "The second step was reset.").await?;
    let act = Act::new(event::SECOND_FACTOR_CHANGED, "user", id)
        .detail(json!({ "what": "reset", "identityProof": proof, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &Actor::from(caller), act).await?;
    if let Some(mail) = mail {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    session::tell_ended(app, ended).await;
    Ok(())
}
