//! `/api/users/profiledata`, `/api/users/current`, `/api/users/ipaddress`, `/api/features`

use super::features;
use crate::{
    onboarding::{
        http::{ACTIVATION_NOTICE, is_dismissed},
        terms,
    },
    person::open_organizations,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use openssl::{hash::MessageDigest, pkey::PKey, sign::Signer};
use platform::{
    App, Caller, Error, Member, Result, Role,
    access::{MEMBERS, SIGNED_IN},
    api::Api,
    security::SecuritySettings,
    session,
    settings::Settings as _,
};
use sea_orm::EntityTrait;
use serde::Serialize;
use std::collections::BTreeMap;
use store::entities::{app_user, organization, plan, reseller};
use store::permissions::Permissions;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::before_terms()
        .route(SIGNED_IN, routes!(profile_data))
        .route(SIGNED_IN, routes!(current_user))
        .route(SIGNED_IN, routes!(ip_address))
        .route(SIGNED_IN, routes!(feature_flags))
        .merge(Api::new().route(MEMBERS, routes!(assignable_users)))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationChoice {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    pub user_id: Uuid,
    pub user_name: String,
    pub full_name: String,
    /// Role names: User, Administrator, SysAdmin, SysAdminReporting.
    pub roles: Vec<String>,
    /// Resource name -> allowed actions. A plan that lacks a resource gives it `plan-upgrade-prompt`.
    pub ui_resources: BTreeMap<String, Vec<String>>,
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    pub organizations: Vec<OrganizationChoice>,
    pub domain: Option<String>,
    pub host: String,
    pub administer_of_network_object_id: Option<Uuid>,
    pub is_admin: bool,
    pub is_network_admin: bool,
    /// How the session began: `password`, or `sso` by an organization's provider.
    pub auth_strategy: String,
    #[serde(rename = "orgIsAcceptedEULA")]
    pub org_is_accepted_eula: bool,
    /// New terms were activated that the caller has not accepted; until then, everything else is refused.
    pub must_accept_terms: bool,
    pub org_is_id_proofed: bool,
    pub id_proofed_attempt_date: Option<DateTime<Utc>>,
    pub reseller_bypass_tos: bool,
    pub org_is_activated: bool,
    /// Whether the caller dismissed the notice that activation takes some days.
    pub activation_notice_dismissed: bool,
    /// Permissions in the organization; none without one.
    pub permissions: Permissions,
    pub org_is_cancelled: bool,
    pub org_is_in_grace_period: bool,
    /// Last moment at which the organization can be used.
    pub grace_period_end_date: Option<DateTime<Utc>>,
    pub subscription_reference: Option<String>,
    pub brand_id: Option<Uuid>,
    /// The workspace of the support chat; none without a chat.
    pub intercom_app_id: Option<String>,
    /// Proves the user's identity to the chat (HMAC-SHA-256 of the id, in hexadecimal digits).
    pub intercom_user_hash: Option<String>,
    /// Addresses that contain this text can be sent to under a plan without sending; empty for none.
    pub test_marker: String,
    /// Seconds without activity after which the session ends.
    pub idle_timeout_seconds: u32,
}

/// The signed-in user's profile
#[utoipa::path(get, path = "/api/users/profiledata", operation_id = "profileData", tag = "users",
    responses((status = 200, body = Profile)))]
async fn profile_data(State(app): State<App>, caller: Caller) -> Result<Json<Profile>> {
    Ok(Json(profile(&app, &caller).await?))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CurrentUser {
    #[serde(flatten)]
    pub profile: Profile,
    #[schema(value_type = Object)]
    pub user_preferences: serde_json::Value,
}

/// The profile with the user's preferences
#[utoipa::path(get, path = "/api/users/current", operation_id = "currentUser", tag = "users",
    responses((status = 200, body = CurrentUser)))]
async fn current_user(State(app): State<App>, caller: Caller) -> Result<Json<CurrentUser>> {
    let user =
        app_user::Entity::find_by_id(caller.user_id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    Ok(Json(CurrentUser { profile: profile(&app, &caller).await?, user_preferences: user.preferences }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpAddress {
    pub ip_address: String,
}

/// The address of the caller's requests
#[utoipa::path(get, path = "/api/users/ipaddress", operation_id = "ipAddress", tag = "users",
    responses((status = 200, body = IpAddress)))]
async fn ip_address(caller: Caller) -> Json<IpAddress> {
    Json(IpAddress { ip_address: caller.source_ip })
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Feature {
    pub name: String,
    pub is_enabled: bool,
}

#[derive(Serialize, ToSchema)]
pub struct Features {
    pub features: Vec<Feature>,
}

/// The features that are on for the caller's organization
#[utoipa::path(get, path = "/api/features", operation_id = "features", tag = "users",
    responses((status = 200, body = Features)))]
async fn feature_flags(State(app): State<App>, caller: Caller) -> Result<Json<Features>> {
    let db = app.store.db();
    let on = features::enabled(db, caller.organization_id).await?;
    let flag = |name: String| Feature { is_enabled: on.contains(&name), name };
    Ok(Json(Features { features: features::all(db).await?.into_iter().map(flag).collect() }))
}

#[derive(Serialize, ToSchema)]
pub struct Colleague {
    pub id: Uuid,
    pub name: String,
}

#[derive(Serialize, ToSchema)]
pub struct Colleagues {
    pub items: Vec<Colleague>,
}

/// The members of the organization to whom work can be assigned
#[utoipa::path(get, path = "/api/users/assignable", operation_id = "assignableUsers", tag = "users",
    responses((status = 200, body = Colleagues)))]
async fn assignable_users(State(app): State<App>, member: Member) -> Result<Json<Colleagues>> {
    let items = colleagues(&app, member.organization_id).await?;
    Ok(Json(Colleagues { items }))
}

async fn colleagues(app: &App, organization_id: Uuid) -> Result<Vec<Colleague>> {
    use sea_orm::{ColumnTrait, QueryFilter, QueryOrder};
    use store::entities::membership;
    let ids = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .all(app.store.db())
        .await?
        .into_iter()
        .map(|m| m.user_id);
    let users = app_user::Entity::find()
        .filter(app_user::Column::Id.is_in(ids))
        .filter(app_user::Column::IsDisabled.eq(false))
        .order_by_asc(app_user::Column::LastName)
        .order_by_asc(app_user::Column::FirstName)
        .all(app.store.db())
        .await?;
    Ok(users.into_iter().map(|u| Colleague { id: u.id, name: session::full_name(&u) }).collect())
}

async fn profile(app: &App, caller: &Caller) -> Result<Profile> {
    let db = app.store.db();
    let organization = match caller.organization_id {
        Some(id) => organization::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    let mut choices = open_organizations(db, caller.user_id).await?;
    if caller.connection_id.is_some() {
        choices.retain(|o| Some(o.id) == caller.organization_id);
    }
    let chat = chat_of(app, caller)?;
    let mut profile = Profile {
        user_id: caller.user_id,
        user_name: caller.user_name.clone(),
        full_name: caller.full_name.clone(),
        roles: role_names(caller),
        ui_resources: BTreeMap::new(),
        organization_id: caller.organization_id,
        organization_name: None,
        organizations: choices
            .into_iter()
            .map(|o| OrganizationChoice { id: o.id, name: o.name, sub_domain: o.sub_domain })
            .collect(),
        domain: None,
        host: app.config.direct.host.clone(),
        administer_of_network_object_id: caller.network_id,
        is_admin: caller.has(Role::Admin),
        is_network_admin: caller.has(Role::NetAdmin),
        auth_strategy: if caller.connection_id.is_some() { "sso" } else { "password" }.into(),
        org_is_accepted_eula: false,
        must_accept_terms: caller.owes_terms,
        org_is_id_proofed: false,
        id_proofed_attempt_date: None,
        reseller_bypass_tos: false,
        org_is_activated: false,
        activation_notice_dismissed: is_dismissed(db, caller.user_id, ACTIVATION_NOTICE).await?,
        permissions: caller.permissions,
        org_is_cancelled: false,
        org_is_in_grace_period: false,
        grace_period_end_date: None,
        subscription_reference: None,
        brand_id: None,
        intercom_app_id: chat.as_ref().map(|chat| chat.app_id.clone()),
        intercom_user_hash: chat.and_then(|chat| chat.user_hash),
        test_marker: app.config.direct.test_marker.clone(),
        idle_timeout_seconds: app.config.session.idle_minutes * 60,
    };
    if let Some(organization) = organization {
        fill_organization(app, &mut profile, organization).await?;
    }
    Ok(profile)
}

/// Identity of a user at the support chat.
struct Chat {
    app_id: String,
    user_hash: Option<String>,
}

fn chat_of(app: &App, caller: &Caller) -> Result<Option<Chat>> {
    let settings = &app.config.support_chat;
    let is_excluded = settings.excluded_users.iter().any(|name| name.eq_ignore_ascii_case(&caller.user_name));
    let Some(app_id) = app.config.support_chat().filter(|_| !is_excluded) else { return Ok(None) };
    let user_hash = match &settings.identity_secret {
        Some(secret) => Some(hmac(secret, &caller.user_id.to_string()).map_err(Error::internal)?),
        None => None,
    };
    Ok(Some(Chat { app_id: app_id.to_owned(), user_hash }))
}

fn hmac(secret: &str, text: &str) -> Result<String, openssl::error::ErrorStack> {
    let key = PKey::hmac(secret.as_bytes())?;
    let mac = Signer::new(MessageDigest::sha256(), &key)?.sign_oneshot_to_vec(text.as_bytes())?;
    Ok(mac.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn role_names(caller: &Caller) -> Vec<String> {
    let name = |role: &Role| match role {
        Role::User => Some(session::ROLE_USER),
        Role::Admin => Some(session::ROLE_ADMINISTRATOR),
        Role::SysAdmin => Some(session::ROLE_SYSADMIN),
        Role::Reporting => Some(session::ROLE_REPORTING),
        _ => None,
    };
    caller.roles.iter().filter_map(name).map(Into::into).collect()
}

async fn fill_organization(
    app: &App,
    profile: &mut Profile,
    organization: organization::Model,
) -> Result<()> {
    let db = app.store.db();
    let now = app.clock.now();
    if let Some(id) = organization.plan_id
        && let Some(plan) = plan::Entity::find_by_id(id).one(db).await?
    {
        profile.ui_resources = plan
            .restricted
            .0
            .into_iter()
            .map(|name| (name, vec!["plan-upgrade-prompt".to_owned()]))
            .collect();
    }
    if let Some(id) = organization.reseller_id {
        profile.reseller_bypass_tos =
            reseller::Entity::find_by_id(id).one(db).await?.is_some_and(|r| r.bypass_tos);
    }
    let idle = SecuritySettings::of(&organization)?.idle(app.config.session.idle_minutes);
    profile.idle_timeout_seconds = idle.num_seconds().try_into().unwrap_or(profile.idle_timeout_seconds);
    profile.org_is_accepted_eula = terms::queries::is_accepted(db, &organization).await?;
    profile.domain = Some(app.config.direct_domain(&organization.sub_domain));
    profile.organization_name = Some(organization.name);
    profile.org_is_id_proofed = organization.id_proofed_at.is_some();
    profile.id_proofed_attempt_date = organization.id_proof_attempt_at;
    profile.org_is_activated = organization.is_activated;
    profile.org_is_cancelled = organization.is_cancelled;
    let in_grace = !organization.is_cancelled && organization.grace_until.is_some_and(|until| until > now);
    profile.org_is_in_grace_period = in_grace;
    profile.grace_period_end_date = organization.grace_until.filter(|_| in_grace);
    profile.subscription_reference = organization.subscription_reference;
    profile.brand_id = Some(organization.brand_id);
    Ok(())
}
