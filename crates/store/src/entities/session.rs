//! A signed-in browser. Tokens refer to it, revoking it ends them all.

use sea_orm::entity::prelude::*;

/// A signed-in browser. Tokens refer to it, revoking it ends them all.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "session")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub organization_id: Option<Uuid>,
    pub created_at: DateTimeUtc,
    pub last_used_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub revoked_at: Option<DateTimeUtc>,
    pub revoke_reason: Option<String>,
    pub source_ip: String,
    pub user_agent: String,
    /// The sign-in provider, if any. Such a session works in that provider's organization only.
    pub connection_id: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
