//! `/api/admin/documentsources/documentsourceproviders`: providers of addresses and numbers.

use crate::fax::accounts::{provider_name, queries as accounts};
use axum::{Json, extract::State};
use platform::{
    App, Error, Manager, Result,
    access::MANAGERS,
    api::Api,
    fields::DEFAULT_FIELD_ERROR,
    http::{Page, Paged, Params},
    sql::capped_count,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use store::entities::reference_item;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

/// `reference_item.kind` of providers of Direct addresses.
const HISP_PROVIDER: &str = "hisp_provider";

pub fn api() -> Api {
    Api::new().route(MANAGERS, routes!(document_source_providers))
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
enum ProviderType {
    #[default]
    DirectMessaging,
    Fax,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct ProviderParams {
    page_number: Option<u64>,
    /// Default 20, maximum 100.
    page_size: Option<u64>,
    /// Default `DirectMessaging`.
    #[serde(rename = "type")]
    #[param(inline)]
    kind: Option<ProviderType>,
}

/// A provider of addresses or numbers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceProvider {
    pub id: Uuid,
    pub name: String,
    /// No longer offered; organizations with it keep it.
    pub is_retired: bool,
}

/// The provider of the installation's Direct addresses, or of an organization's fax accounts
#[utoipa::path(get, path = "/api/admin/documentsources/documentsourceproviders",
    operation_id = "documentSourceProviders", tag = "fax", params(Manager, ProviderParams),
    responses((status = 200, body = Paged<SourceProvider>)))]
async fn document_source_providers(
    State(app): State<App>,
    manager: Option<Manager>,
    Params(params): Params<ProviderParams>,
) -> Result<Json<Paged<SourceProvider>>> {
    let page = Page::new(params.page_number, params.page_size, 20, 100)?;
    match (params.kind.unwrap_or_default(), manager) {
        (ProviderType::DirectMessaging, _) => of_addresses(&app, page).await,
        (ProviderType::Fax, Some(manager)) => of_fax(&app, manager.organization_id, page).await,
        (ProviderType::Fax, None) => Err(Error::field("organizationId", DEFAULT_FIELD_ERROR)),
    }
}

async fn of_addresses(app: &App, page: Page) -> Result<Json<Paged<SourceProvider>>> {
    let rows = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(HISP_PROVIDER))
        .order_by_asc(reference_item::Column::Position)
        .order_by_asc(reference_item::Column::Id);
    let total = capped_count(app.store.db(), rows.clone()).await?;
    let rows = rows.offset(page.offset()).limit(page.size).all(app.store.db()).await?;
    let items = rows
        .into_iter()
        .map(|row| SourceProvider { id: row.id, name: row.name, is_retired: row.is_retired })
        .collect();
    Ok(Json(Paged::capped(items, total)))
}

/// An organization has at most one account of each kind, so all of them are read.
async fn of_fax(app: &App, organization_id: Uuid, page: Page) -> Result<Json<Paged<SourceProvider>>> {
    let rows = accounts::list(app.store.db(), organization_id).await?;
    let total = rows.len() as u64;
    let start = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let shown = rows.iter().skip(start).take(size);
    let items = shown
        .map(|row| SourceProvider { id: row.id, name: provider_name(row.provider).into(), is_retired: false })
        .collect();
    Ok(Json(Paged::capped(items, total)))
}
