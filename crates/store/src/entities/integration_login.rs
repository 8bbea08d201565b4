//! A person's sign-in at an outside system.

use sea_orm::entity::prelude::*;

/// A person's sign-in at an outside system, begun or completed.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_login")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub integration_id: Uuid,
    pub user_id: Uuid,
    /// Hash of the state that the browser carries; usable once.
    pub state_hash: Option<Vec<u8>>,
    /// The PKCE verifier of a begun sign-in.
    pub sealed_verifier: Option<Vec<u8>>,
    /// The tokens of a completed sign-in.
    pub sealed_tokens: Option<Vec<u8>>,
    pub state: LoginState,
    /// End of the time to sign in, or of a completed sign-in that is not renewed.
    pub ends_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum LoginState {
    Begun,
    SignedIn,
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
