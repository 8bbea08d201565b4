//! An imported file.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An imported file.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "import_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: BatchType,
    pub file_name: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub choices: ImportChoices,
    pub status: BatchStatus,
    /// Rows of the file.
    pub total: i32,
    /// The user name of the operator.
    pub created_by: String,
    pub actor_id: Option<Uuid>,
    pub actor_name: String,
    pub source_ip: String,
    pub created_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
}

/// Common values of all organizations of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct ImportChoices {
    pub hisp_provider_id: Uuid,
    pub brand_id: Uuid,
    /// None for the Free plan.
    pub plan_id: Option<Uuid>,
    pub reseller_id: Option<Uuid>,
    pub specialty_id: Uuid,
    pub type_id: Uuid,
}

/// Kind of records in a file.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum BatchType {
    Organization,
}

/// State of an import.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum BatchStatus {
    Waiting,
    Running,
    /// Every row was processed.
    Completed,
    /// The import itself failed, and some rows still wait.
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
