//! Small lists for forms.

use axum::Json;
use platform::{App, Result, http::Items};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, Select};
use serde::Serialize;
use store::entities::reference_item;
use utoipa::ToSchema;
use uuid::Uuid;

/// Kinds of reference items, as stored in `reference_item.kind`.
pub mod kind {
    pub const ORGANIZATION_TYPE: &str = "organization_type";
    pub const ORGANIZATION_SPECIALTY: &str = "organization_specialty";
    /// Provider of an organization's Direct addresses (health information service provider).
    pub const HISP_PROVIDER: &str = "hisp_provider";
    /// Job function in an organization.
    pub const JOB_FUNCTION: &str = "job_function";
    /// Classification of a message, by LOINC code.
    pub const CLASSIFICATION: &str = "classification";
    /// Purpose of a document request (PurposeOfUse of HL7 Version 3).
    pub const PURPOSE_OF_USE: &str = "purpose_of_use";
    /// Application that can be licensed.
    pub const APPLICATION: &str = "application";
    /// Licence type, such as standard or trial.
    pub const LICENCE_TYPE: &str = "licence_type";
}

#[derive(Serialize, ToSchema)]
pub struct NamedItem {
    pub id: Uuid,
    pub name: String,
}

/// A small list in order, including retired items.
pub fn reference_items(kind: &str) -> Select<reference_item::Entity> {
    reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind))
        .order_by_asc(reference_item::Column::Position)
        .order_by_asc(reference_item::Column::Id)
}

/// The offered items of a small list, in order.
pub async fn named_items(app: &App, kind: &str) -> Result<Json<Items<NamedItem>>> {
    let rows = reference_items(kind).filter(reference_item::Column::IsRetired.eq(false));
    let rows = rows.all(app.store.db()).await?;
    let items = rows.into_iter().map(|row| NamedItem { id: row.id, name: row.name }).collect();
    Ok(Json(Items { items }))
}
