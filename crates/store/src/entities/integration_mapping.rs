//! A person or group of an EHR, and who that is in the organization.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A person or group of an EHR, and who that is in the organization. A group has one row for each of its people.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_mapping")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub integration_id: Uuid,
    pub kind: MappedKind,
    /// Id in the EHR.
    pub external_id: String,
    /// Name in the EHR when it was mapped.
    pub external_name: String,
    pub user_id: Uuid,
}

/// What is mapped.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
#[schema(as = IntegrationMappedKind)]
pub enum MappedKind {
    Person,
    Group,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
