//! `/api/account/profile`, `/api/account/preferences`: the user's own details and notifications.

use super::notifications;
use crate::person;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SIGNED_IN,
    api::Api,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, phone_digits},
    http::{Body, Id},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, QuerySelect};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Transaction, entities::app_user};
use utoipa::ToSchema;
use utoipa_axum::routes;

const NAME_MAX: usize = 255;

pub fn api() -> Api {
    Api::before_terms()
        .route(SIGNED_IN, routes!(own_profile, save_own_profile))
        .route(SIGNED_IN, routes!(preferences, save_preferences))
        .route(SIGNED_IN, routes!(save_screen_preference))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnProfile {
    pub user_name: String,
    pub email: String,
    pub first_name: String,
    pub last_name: String,
    pub phone_number: String,
    pub version: i32,
}

impl From<app_user::Model> for OwnProfile {
    fn from(user: app_user::Model) -> Self {
        Self {
            user_name: user.user_name,
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            phone_number: user.phone,
            version: user.version,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub struct OwnProfileForm {
    pub first_name: String,
    pub last_name: String,
    /// Ten digits, or empty.
    pub phone_number: String,
    /// The version that was read.
    pub version: Option<i32>,
}

impl OwnProfileForm {
    fn check(&self) -> Result<()> {
        let mut errors = FieldErrors::default();
        for (field, text, needed) in [
            ("firstName", &self.first_name, "First Name is required."),
            ("lastName", &self.last_name, "Last Name is required."),
        ] {
            errors.require(!text.trim().is_empty(), field, needed);
            let fits = text.chars().count() <= NAME_MAX && !text.contains(char::is_control);
            errors.require(fits, field, DEFAULT_FIELD_ERROR);
        }
        let phone = self.phone_number.trim();
        let is_phone = phone.is_empty() || phone_digits(phone).is_some();
        errors.require(is_phone, "phoneNumber", DEFAULT_FIELD_ERROR);
        errors.check()
    }
}

async fn user(app: &App, caller: &Caller) -> Result<app_user::Model> {
    app_user::Entity::find_by_id(caller.user_id).one(app.store.db()).await?.ok_or(Error::Unauthenticated)
}

/// The caller's row, for changes. Refused if the caller came by single sign-on and also has a role elsewhere.
async fn changeable(app: &App, caller: &Caller) -> Result<app_user::Model> {
    let user = user(app, caller).await?;
    person::refuse_confined(app.store.db(), caller, &user).await?;
    Ok(user)
}

async fn locked(txn: &Transaction, caller: &Caller) -> Result<app_user::Model> {
    let row = app_user::Entity::find_by_id(caller.user_id).lock_exclusive();
    row.one(txn).await?.ok_or(Error::Unauthenticated)
}

/// The caller's own names and telephone number
#[utoipa::path(get, path = "/api/account/profile", operation_id = "ownProfile", tag = "account",
    responses((status = 200, body = OwnProfile)))]
async fn own_profile(State(app): State<App>, caller: Caller) -> Result<Json<OwnProfile>> {
    Ok(Json(user(&app, &caller).await?.into()))
}

/// Saves the caller's own names and telephone number
#[utoipa::path(put, path = "/api/account/profile", operation_id = "saveOwnProfile", tag = "account",
    request_body = OwnProfileForm, responses((status = 200, body = OwnProfile)))]
async fn save_own_profile(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<OwnProfileForm>,
) -> Result<Json<OwnProfile>> {
    form.check()?;
    changeable(&app, &caller).await?;
    let txn = app.store.begin().await?;
    let before = locked(&txn, &caller).await?;
    Error::unless_current(form.version, &before.version, "this profile")?;
    let row = app_user::ActiveModel {
        id: Set(before.id),
        first_name: Set(form.first_name.trim().into()),
        last_name: Set(form.last_name.trim().into()),
        phone: Set(phone_digits(form.phone_number.trim()).unwrap_or_default()),
        modified_at: Set(app.clock.now()),
        version: Set(before.version + 1),
        ..Default::default()
    };
    let saved = row.update(&txn).await?;
    audit_change(&app, &txn, &caller, "profile").await?;
    txn.commit().await?;
    Ok(Json(saved.into()))
}

/// A user's e-mail notifications.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UserPreferences {
    pub email_new_messages: bool,
    pub email_unprocessed_messages: bool,
    pub email_system_notifications: bool,
    pub email_unassigned_messages: bool,
    pub email_failed_messages_digest: bool,
    /// What intake rules filed into charts, once a day; for administrators.
    pub email_filed_by_rule: bool,
}

impl Default for UserPreferences {
    fn default() -> Self {
        Self {
            email_new_messages: false,
            email_unprocessed_messages: false,
            email_system_notifications: true,
            email_unassigned_messages: false,
            email_failed_messages_digest: false,
            email_filed_by_rule: true,
        }
    }
}

/// Changed preferences; absent ones stay the same.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PreferencesForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_new_messages: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_unprocessed_messages: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_system_notifications: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_unassigned_messages: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_failed_messages_digest: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_filed_by_rule: Option<bool>,
}

/// The caller's e-mail notifications
#[utoipa::path(get, path = "/api/account/preferences", operation_id = "preferences", tag = "account",
    responses((status = 200, body = UserPreferences)))]
async fn preferences(State(app): State<App>, caller: Caller) -> Result<Json<UserPreferences>> {
    Ok(Json(preferences_of(&user(&app, &caller).await?)?))
}

/// A user's e-mail notifications.
pub fn preferences_of(user: &app_user::Model) -> Result<UserPreferences> {
    serde_json::from_value(user.preferences.clone())
        .map_err(|_| Error::internal("a user's preferences cannot be read"))
}

/// Stored preferences with the changed members; other members stay the same.
pub fn with_preferences(mut kept: Value, wanted: &Value) -> Value {
    if !kept.is_object() {
        kept = json!({});
    }
    if let (Some(kept), Value::Object(wanted)) = (kept.as_object_mut(), wanted.clone()) {
        kept.extend(wanted);
    }
    kept
}

/// Saves the caller's e-mail notifications
#[utoipa::path(put, path = "/api/account/preferences", operation_id = "savePreferences", tag = "account",
    request_body = PreferencesForm, responses((status = 200, body = UserPreferences)))]
async fn save_preferences(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<PreferencesForm>,
) -> Result<Json<UserPreferences>> {
    changeable(&app, &caller).await?;
    let txn = app.store.begin().await?;
    let kept = with_preferences(locked(&txn, &caller).await?.preferences, &json!(form));
    let wanted: UserPreferences = serde_json::from_value(kept.clone()).unwrap_or_default();
    let row = app_user::ActiveModel {
        id: Set(caller.user_id),
        preferences: Set(kept),
        modified_at: Set(app.clock.now()),
        ..Default::default()
    };
    row.update(&txn).await?;
    notifications::save(&txn, caller.user_id, &wanted, app.clock.now()).await?;
    audit_change(&app, &txn, &caller, "preferences").await?;
    txn.commit().await?;
    Ok(Json(wanted))
}

/// The key of the web app's preferences in `app_user.preferences`.
const SCREENS: &str = "screens";
const SCREENS_MAX: usize = 50;
const SCREEN_VALUE_MAX: usize = 2_000;

#[derive(Deserialize, ToSchema)]
pub struct ScreenPreference {
    /// Any JSON up to 2,000 bytes. Null removes it.
    pub value: Value,
}

/// Saves a preference of the web app, such as a page size. `/api/users/current` returns them all
#[utoipa::path(put, path = "/api/account/preferences/screens/{name}", operation_id = "saveScreenPreference",
    tag = "account", params(("name" = String, Path)), request_body = ScreenPreference, responses((status = 204)))]
async fn save_screen_preference(
    State(app): State<App>,
    caller: Caller,
    Id(name): Id<String>,
    Body(wanted): Body<ScreenPreference>,
) -> Result<StatusCode> {
    let is_name = (1..=40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric());
    if !is_name || wanted.value.to_string().len() > SCREEN_VALUE_MAX {
        return Err(Error::field("value", DEFAULT_FIELD_ERROR));
    }
    let txn = app.store.begin().await?;
    let user = person::locked(&txn, caller.user_id).await?.ok_or(Error::Unauthenticated)?;
    let mut kept = user.preferences;
    let screens = kept.as_object_mut().map(|all| all.entry(SCREENS).or_insert_with(|| json!({})));
    if let Some(Value::Object(screens)) = screens {
        screens.insert(name, wanted.value);
        screens.retain(|_, value| !value.is_null());
        if screens.len() > SCREENS_MAX {
            return Err(Error::field("value", DEFAULT_FIELD_ERROR));
        }
    }
    let row = app_user::ActiveModel { id: Set(caller.user_id), preferences: Set(kept), ..Default::default() };
    row.update(&txn).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn audit_change(app: &App, txn: &Transaction, caller: &Caller, what: &str) -> Result<()> {
    let act = Act::new(event::CHANGED, "user", caller.user_id).detail(json!({ "changed": what }));
    audit::record(app, txn, &Actor::from(caller), act).await
}
