//! A photo ID that an operator looks at.

use sea_orm::entity::prelude::*;

/// A photo ID that an operator looks at.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "proofing_document")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    /// None once it was removed.
    pub blob_id: Option<Uuid>,
    pub sealed_name: Vec<u8>,
    pub mime_type: String,
    pub size_bytes: i64,
    pub uploaded_at: DateTimeUtc,
    /// `Passed`, `NotPassed` or `Reset`; none while it waits.
    pub decision: Option<String>,
    pub decided_at: Option<DateTimeUtc>,
    pub decided_by: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
