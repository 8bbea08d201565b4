//! A link by e-mail that opens an account once, stored as the hash of its token.

use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// A link by e-mail that opens an account once, stored as the hash of its token.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "account_link")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub token_hash: Vec<u8>,
    pub user_id: Uuid,
    pub purpose: Purpose,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    /// When it was used or became void.
    pub ended_at: Option<DateTimeUtc>,
}

/// Purpose of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    Reset,
    Invitation,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
