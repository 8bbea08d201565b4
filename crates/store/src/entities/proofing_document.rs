//! A photo ID for review by an operator.

use sea_orm::entity::prelude::*;

/// A photo ID for review by an operator.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "proofing_document")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    /// None once it is removed.
    pub blob_id: Option<Uuid>,
    pub sealed_name: Vec<u8>,
    pub mime_type: String,
    pub size_bytes: i64,
    pub uploaded_at: DateTimeUtc,
    /// None while it waits.
    pub decision: Option<Decision>,
    pub decided_at: Option<DateTimeUtc>,
    pub decided_by: Option<Uuid>,
    /// Reason for the person if the document is rejected.
    pub sealed_reason: Option<Vec<u8>>,
}

/// An operator's decision about a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Decision {
    Passed,
    NotPassed,
    Reset,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
