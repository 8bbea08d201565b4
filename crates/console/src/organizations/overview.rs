//! What an operator looks up about an organization: its administrators, what is connected to it, and what the
//! installation offers.

use super::queries::open;
use crate::lookups::http::is_api_capture_enabled;
use accounts::profile::features;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Result,
    access::SYSADMINS,
    api::Api,
    http::{Id, Items},
    session::ROLE_ADMINISTRATOR,
};
use sea_orm::{
    ActiveEnum, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use serde::Serialize;
use store::entities::{app_user, fax_account, membership, organization, service_account, sso_connection};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(organization_admins))
        .route(SYSADMINS, routes!(organization_integrations))
        .route(SYSADMINS, routes!(feature_list))
        .route(SYSADMINS, routes!(configuration))
}

/// Administrators that are listed at most.
const ADMINS_MAX: u64 = 500;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationAdmin {
    pub id: Uuid,
    pub user_name: String,
    pub full_name: String,
    pub email: String,
    /// Keeps out of this organization, or of all.
    pub is_disabled: bool,
}

/// The administrators of an organization by last name, 500 at most
#[utoipa::path(get, path = "/api/admin/organizations/{id}/admins", operation_id = "organizationAdmins",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<OrganizationAdmin>)))]
async fn organization_admins(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<OrganizationAdmin>>> {
    let db = app.store.db();
    find(db, id).await?;
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
        full_name: format!("{} {}", user.first_name, user.last_name).trim().to_owned(),
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
}

/// A system outside that is connected to an organization.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Integration {
    pub id: Uuid,
    pub kind: IntegrationKind,
    pub name: String,
    pub is_enabled: bool,
    /// When it was last used, where that is kept.
    pub last_used_date: Option<DateTime<Utc>>,
}

/// What is connected to an organization: systems with a service account, fax services, the sign-in provider
#[utoipa::path(get, path = "/api/organizations/{id}/integrations", operation_id = "organizationIntegrations",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<Integration>)))]
async fn organization_integrations(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<Integration>>> {
    let db = app.store.db();
    find(db, id).await?;
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
            name: account.provider.to_value(),
            is_enabled: account.problem.is_none(),
            last_used_date: account.polled_at,
        }))
        .chain(providers.into_iter().map(|provider| Integration {
            id: provider.id,
            kind: IntegrationKind::SingleSignOn,
            name: provider.name,
            is_enabled: provider.is_enabled,
            last_used_date: None,
        }))
        .collect();
    Ok(Json(Items { items }))
}

async fn find(db: &impl ConnectionTrait, id: Uuid) -> Result<organization::Model> {
    open().filter(organization::Column::Id.eq(id)).one(db).await?.ok_or(Error::NotFound)
}

#[derive(Serialize, ToSchema)]
pub struct OrganizationFeature {
    pub name: &'static str,
}

/// The features that can be switched on for an organization
#[utoipa::path(get, path = "/api/admin/features", operation_id = "organizationFeatures", tag = "organizations",
    responses((status = 200, body = Items<OrganizationFeature>)))]
async fn feature_list() -> Json<Items<OrganizationFeature>> {
    Json(Items { items: features::KNOWN.iter().map(|name| OrganizationFeature { name }).collect() })
}

/// What this installation offers its operators.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    pub api_capture_enabled: bool,
    /// A customer-messaging service is configured.
    pub customer_messaging_enabled: bool,
}

/// What this installation offers its operators
#[utoipa::path(get, path = "/api/configuration", operation_id = "configuration", tag = "organizations",
    responses((status = 200, body = Configuration)))]
async fn configuration(State(app): State<App>) -> Result<Json<Configuration>> {
    Ok(Json(Configuration {
        api_capture_enabled: is_api_capture_enabled(app.store.db()).await?,
        customer_messaging_enabled: crate::customer_messaging::member(&app).is_ok(),
    }))
}
