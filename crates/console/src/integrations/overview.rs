//! `/api/admin/integrations`: the integrations, and the organizations that use each.

use super::name_of;
use crate::vocabulary::lists::ListQuery;
use accounts::organization::open;
use axum::{Json, extract::State};
use platform::{
    App, Result,
    access::SYSADMINS,
    api::Api,
    http::{Id, Items, Paged, Params},
    sql::{self, holds_words},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::SelectStatement,
};
use serde::Serialize;
use std::collections::HashSet;
use store::entities::{
    fax_account,
    integration::{self, IntegrationType},
    integration_grant::{self, Integration},
    organization, service_account, sso_connection, webhook,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(integrations)).route(SYSADMINS, routes!(integration_organizations))
}

/// A way for outside systems to connect to organizations.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationOverview {
    pub id: Integration,
    pub name: &'static str,
    /// Organizations that use it, exact up to 10,000.
    pub organization_count: u64,
    /// Whether every organization may use it.
    pub is_open_to_all: bool,
    /// Number of organizations on the whitelist, exact up to 10,000.
    pub whitelisted_count: u64,
}

/// An organization that uses an integration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationOrganization {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
    /// Whether it is on the whitelist. Without it, the organization's connection does not work.
    pub is_allowed: bool,
}

/// The integrations with their numbers of organizations
#[utoipa::path(get, path = "/api/admin/integrations", operation_id = "integrations", tag = "integrations",
    responses((status = 200, body = Items<IntegrationOverview>)))]
async fn integrations(State(app): State<App>) -> Result<Json<Items<IntegrationOverview>>> {
    let db = app.store.db();
    let mut items = Vec::new();
    for integration in Integration::ALL {
        let named = grants(integration).filter(integration_grant::Column::Scope.ne(Uuid::nil()));
        items.push(IntegrationOverview {
            id: integration,
            name: name_of(integration),
            organization_count: sql::capped_count(db, users(integration)).await?,
            is_open_to_all: is_open_to_all(db, integration).await?,
            whitelisted_count: sql::capped_count(db, named).await?,
        });
    }
    Ok(Json(Items { items }))
}

/// The organizations that use an integration, by name
#[utoipa::path(get, path = "/api/admin/integrations/{id}/organizations", operation_id = "integrationOrganizations",
    tag = "integrations", params(("id" = inline(Integration), Path), ListQuery),
    responses((status = 200, body = Paged<IntegrationOrganization>)))]
async fn integration_organizations(
    State(app): State<App>,
    Id(integration): Id<Integration>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Paged<IntegrationOrganization>>> {
    let db = app.store.db();
    let rows = users(integration).filter(holds_words(organization::Column::NameKey, query.words()));
    let by_name = [(organization::Column::NameKey, Order::Asc), (organization::Column::Id, Order::Asc)];
    let page = sql::page(db, rows, &by_name, query.page()?).await?;
    let is_open = is_open_to_all(db, integration).await?;
    let ids = page.items.iter().map(|row| row.id);
    let named: HashSet<Uuid> = grants(integration)
        .filter(integration_grant::Column::Scope.is_in(ids))
        .select_only()
        .column(integration_grant::Column::Scope)
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    Ok(Json(page.map(|row| IntegrationOrganization {
        is_allowed: is_open || named.contains(&row.id),
        id: row.id,
        name: row.name,
        sub_domain: row.sub_domain,
    })))
}

fn grants(integration: Integration) -> Select<integration_grant::Entity> {
    integration_grant::Entity::find().filter(integration_grant::Column::Integration.eq(integration))
}

async fn is_open_to_all(db: &impl ConnectionTrait, integration: Integration) -> Result<bool> {
    Ok(platform::integrations::is_allowed(db, integration, Uuid::nil()).await?)
}

/// The organizations with connected systems.
fn users(integration: Integration) -> Select<organization::Entity> {
    fn of<E: EntityTrait>(column: E::Column) -> SelectStatement {
        E::find().select_only().column(column).filter(column.is_not_null()).into_query()
    }
    let connected = |kind: IntegrationType| {
        let rows = integration::Entity::find().filter(integration::Column::Kind.eq(kind));
        rows.select_only().column(integration::Column::OrganizationId).into_query()
    };
    let ids = match integration {
        Integration::ServiceAccounts => {
            of::<service_account::Entity>(service_account::Column::OrganizationId)
        }
        Integration::Webhooks => of::<webhook::Entity>(webhook::Column::OrganizationId),
        Integration::SingleSignOn => of::<sso_connection::Entity>(sso_connection::Column::OrganizationId),
        Integration::FaxAccounts => of::<fax_account::Entity>(fax_account::Column::OrganizationId),
        Integration::Fhir => connected(IntegrationType::Fhir),
        Integration::Hl7 => connected(IntegrationType::Hl7),
        Integration::WebService => connected(IntegrationType::WebService),
    };
    open().filter(organization::Column::Id.in_subquery(ids))
}
