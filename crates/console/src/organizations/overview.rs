//! Details of an organization for operators: its administrators and connected systems. Also the features of the
//! installation.

use crate::subscriptions::{queries as subscriptions, types::SubscriptionStatus};
use accounts::{organization::find_open, user_name};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Result,
    access::SYSADMINS,
    api::Api,
    capture,
    http::{Id, Items},
    session::{ROLE_ADMINISTRATOR, full_name},
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};
use serde::Serialize;
use store::entities::{
    app_user, fax_account, inbound_connection, licence, membership, reseller, service_account, session,
    sso_connection, webhook,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(organization_admins))
        .route(SYSADMINS, routes!(organization_integrations))
        .route(SYSADMINS, routes!(organization_devices))
        .route(SYSADMINS, routes!(organization_licenses))
        .route(SYSADMINS, routes!(configuration))
}

/// Maximum number of administrators in the list.
const ADMINS_MAX: u64 = 500;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationAdmin {
    pub id: Uuid,
    pub user_name: String,
    pub full_name: String,
    pub email: String,
    /// Whether the account is disabled in this organization, or in all.
    pub is_disabled: bool,
}

/// The administrators of an organization by last name, at most 500
#[utoipa::path(get, path = "/api/admin/organizations/{id}/admins", operation_id = "organizationAdmins",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<OrganizationAdmin>)))]
async fn organization_admins(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<OrganizationAdmin>>> {
    let db = app.store.db();
    find_open(db, id).await?;
    let of_role = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(id))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR));
    let disabled = of_role
        .clone()
        .filter(membership::Column::IsDisabled.eq(true))
        .all(db)
        .await?
        .into_iter()
        .map(|m| m.user_id)
        .collect::<std::collections::HashSet<Uuid>>();
    let ids = of_role.select_only().column(membership::Column::UserId).into_query();
    let people = app_user::Entity::find()
        .filter(app_user::Column::Id.in_subquery(ids))
        .filter(app_user::Column::DeletedAt.is_null())
        .order_by_asc(app_user::Column::LastName)
        .order_by_asc(app_user::Column::Id)
        .limit(ADMINS_MAX)
        .all(db)
        .await?;
    let item = |user: app_user::Model| OrganizationAdmin {
        is_disabled: user.is_disabled || disabled.contains(&user.id),
        full_name: full_name(&user),
        id: user.id,
        user_name: user.user_name,
        email: user.email,
    };
    Ok(Json(Items { items: people.into_iter().map(item).collect() }))
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub enum IntegrationKind {
    ServiceAccount,
    FaxAccount,
    SingleSignOn,
    Webhook,
    /// A system that sends documents by HL7 v2 or XDR.
    Interface,
}

/// An outside system connected to an organization.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Integration {
    pub id: Uuid,
    pub kind: IntegrationKind,
    pub name: String,
    pub is_enabled: bool,
    /// Time of the last use, if it is recorded.
    pub last_used_date: Option<DateTime<Utc>>,
}

/// Systems connected to an organization: service accounts, fax services, the sign-in provider, webhooks and inbound
/// interfaces
#[utoipa::path(get, path = "/api/organizations/{id}/integrations", operation_id = "organizationIntegrations",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<Integration>)))]
async fn organization_integrations(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<Integration>>> {
    let db = app.store.db();
    find_open(db, id).await?;
    let systems = service_account::Entity::find()
        .filter(service_account::Column::OrganizationId.eq(id))
        .order_by_asc(service_account::Column::Name)
        .all(db)
        .await?;
    let faxes = fax_account::Entity::find()
        .filter(fax_account::Column::OrganizationId.eq(id))
        .order_by_asc(fax_account::Column::Id)
        .all(db)
        .await?;
    let hooks = webhook::Entity::find()
        .filter(webhook::Column::OrganizationId.eq(id))
        .order_by_asc(webhook::Column::Id)
        .all(db)
        .await?;
    let interfaces = inbound_connection::Entity::find()
        .filter(inbound_connection::Column::OrganizationId.eq(id))
        .order_by_asc(inbound_connection::Column::NameKey)
        .all(db)
        .await?;
    let last_sign_in = last_sign_in(db, id).await?;
    let providers =
        sso_connection::Entity::find().filter(sso_connection::Column::OrganizationId.eq(id)).all(db).await?;
    let items = systems
        .into_iter()
        .map(|account| Integration {
            id: account.id,
            kind: IntegrationKind::ServiceAccount,
            name: account.name,
            is_enabled: account.is_enabled,
            last_used_date: account.last_used_at,
        })
        .chain(faxes.into_iter().map(|account| Integration {
            id: account.id,
            kind: IntegrationKind::FaxAccount,
            name: account.provider.label().into(),
            is_enabled: account.problem.is_none(),
            last_used_date: account.polled_at,
        }))
        .chain(providers.into_iter().map(|provider| Integration {
            id: provider.id,
            kind: IntegrationKind::SingleSignOn,
            name: provider.name,
            is_enabled: provider.is_enabled,
            last_used_date: last_sign_in,
        }))
        .chain(hooks.into_iter().map(|hook| Integration {
            id: hook.id,
            kind: IntegrationKind::Webhook,
            name: hook.name,
            is_enabled: hook.is_enabled && hook.paused_at.is_none(),
            last_used_date: None,
        }))
        .chain(interfaces.into_iter().map(|connection| Integration {
            id: connection.id,
            kind: IntegrationKind::Interface,
            name: connection.name,
            is_enabled: connection.is_enabled,
            last_used_date: connection.last_received_at,
        }))
        .collect();
    Ok(Json(Items { items }))
}

/// Maximum number of licence keys in the list.
const KEYS_MAX: u64 = 200;

/// Time of the last sign-in to an organization by its provider.
async fn last_sign_in(db: &impl ConnectionTrait, id: Uuid) -> Result<Option<DateTime<Utc>>> {
    let last = session::Entity::find()
        .filter(session::Column::OrganizationId.eq(id))
        .filter(session::Column::ConnectionId.is_not_null())
        .order_by_desc(session::Column::CreatedAt)
        .one(db)
        .await?;
    Ok(last.map(|session| session.created_at))
}

/// Maximum number and age of sign-ins in the list.
const DEVICES_MAX: u64 = 200;
const DEVICES_FOR: Duration = Duration::days(30);

/// A browser or system used to sign in to an organization.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationDevice {
    pub id: Uuid,
    pub user_name: String,
    /// The browser's description of itself.
    pub device: String,
    pub ip_address: String,
    pub sign_in_date: DateTime<Utc>,
    pub last_used_date: DateTime<Utc>,
    pub is_signed_in: bool,
}

/// The devices used to sign in to an organization in the last 30 days, newest first, at most 200
#[utoipa::path(get, path = "/api/admin/organizations/{id}/devices", operation_id = "organizationDevices",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<OrganizationDevice>)))]
async fn organization_devices(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<OrganizationDevice>>> {
    let (db, now) = (app.store.db(), app.clock.now());
    find_open(db, id).await?;
    let members = membership::Entity::find()
        .filter(membership::Column::OrganizationId.eq(id))
        .select_only()
        .column(membership::Column::UserId)
        .into_query();
    let sessions = session::Entity::find()
        .filter(session::Column::UserId.in_subquery(members))
        .filter(session::Column::OrganizationId.eq(id))
        .filter(session::Column::CreatedAt.gte(now - DEVICES_FOR))
        .order_by_desc(session::Column::CreatedAt)
        .order_by_desc(session::Column::Id)
        .limit(DEVICES_MAX)
        .all(db)
        .await?;
    let names = user_name::names_of(db, sessions.iter().map(|s| s.user_id)).await?;
    let item = |session: session::Model| OrganizationDevice {
        id: session.id,
        user_name: names.get(&session.user_id).cloned().unwrap_or_default(),
        device: session.user_agent,
        ip_address: session.source_ip,
        sign_in_date: session.created_at,
        last_used_date: session.last_used_at,
        is_signed_in: session.revoked_at.is_none() && session.expires_at > now,
    };
    Ok(Json(Items { items: sessions.into_iter().map(item).collect() }))
}

/// The licences of an organization's users.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationLicense {
    /// The plan.
    pub name: String,
    /// -1 for no limit.
    pub allowed_users: i32,
    pub number_of_users: u64,
    /// The licensing reseller.
    pub reseller_name: Option<String>,
    pub status: SubscriptionStatus,
    /// Last moment at which the organization can be used.
    pub end_date: Option<DateTime<Utc>>,
}

/// A licence key issued to an organization for a connector.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationLicenseKey {
    pub id: Uuid,
    /// The licensed application or plan.
    pub name: String,
    pub license_type: String,
    pub license_key: String,
    /// The only connector that may use it; empty for any.
    pub connector_name: String,
    pub issued_by: String,
    pub issued_date: DateTime<Utc>,
    pub expiration_date: DateTime<Utc>,
}

impl From<licence::Model> for OrganizationLicenseKey {
    fn from(row: licence::Model) -> Self {
        Self {
            id: row.id,
            name: if row.application_name.is_empty() { row.product } else { row.application_name },
            license_type: row.licence_type,
            license_key: row.licence_key,
            connector_name: row.connector_name,
            issued_by: row.issued_by,
            issued_date: row.issued_at,
            expiration_date: row.expires_at,
        }
    }
}

/// The licences of an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationLicenses {
    /// Its plan and numbers of users.
    pub items: Vec<OrganizationLicense>,
    /// Latest first, at most 200.
    pub license_keys: Vec<OrganizationLicenseKey>,
}

/// The licences of an organization: its plan with the numbers of users, and the licence keys issued to it
#[utoipa::path(get, path = "/api/admin/organizations/{id}/licenses", operation_id = "organizationLicenses",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = OrganizationLicenses)))]
async fn organization_licenses(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<OrganizationLicenses>> {
    let organization = find_open(app.store.db(), id).await?;
    let reseller = match organization.reseller_id {
        Some(id) => reseller::Entity::find_by_id(id).one(app.store.db()).await?,
        None => None,
    };
    let shown = subscriptions::subscription_of(&app, id).await?;
    let keys = licence::Entity::find()
        .filter(licence::Column::OrganizationId.eq(id))
        .order_by_desc(licence::Column::IssuedAt)
        .order_by_desc(licence::Column::Id)
        .limit(KEYS_MAX)
        .all(app.store.db())
        .await?;
    Ok(Json(OrganizationLicenses {
        license_keys: keys.into_iter().map(Into::into).collect(),
        items: vec![OrganizationLicense {
            name: shown.plan.name,
            allowed_users: shown.plan.allowed_users,
            number_of_users: shown.number_of_users,
            reseller_name: reseller.map(|r| r.name),
            status: shown.status,
            end_date: shown.end_date,
        }],
    }))
}

/// Optional services of this installation for operators.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    pub api_capture_enabled: bool,
    /// Whether a customer-messaging service is configured.
    pub customer_messaging_enabled: bool,
}

/// Optional services of this installation for operators
#[utoipa::path(get, path = "/api/configuration", operation_id = "configuration", tag = "organizations",
    responses((status = 200, body = Configuration)))]
async fn configuration(State(app): State<App>) -> Result<Json<Configuration>> {
    Ok(Json(Configuration {
        api_capture_enabled: capture::is_offered(&app, app.store.db()).await?,
        customer_messaging_enabled: crate::customer_messaging::member(&app).is_ok(),
    }))
}
