//! Features that can be switched on for an organization.

use platform::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use std::collections::HashSet;
use store::entities::organization_feature;
use uuid::Uuid;

/// Every feature that the product asks for somewhere.
pub const KNOWN: &[&str] = &[
    "OptimizedIntake",
    "IntakeCdaViewer",
    "PatientExtractionAPI",
    "AutomatedCarePlans",
    "PointClickCareIdentityProvider",
    "WestFaxInterface",
];

/// The features that are on for an organization.
pub async fn enabled(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<HashSet<String>> {
    let rows = organization_feature::Entity::find()
        .filter(organization_feature::Column::OrganizationId.eq(organization_id))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|f| f.name).collect())
}
