//! The sign-in provider of an organization (OpenID Connect).

use sea_orm::entity::prelude::*;

/// The sign-in provider of an organization (OpenID Connect).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sso_connection")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub organization_id: Uuid,
    /// Part of the sign-in address; lower-case.
    #[sea_orm(unique)]
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    /// The client's secret, sealed with the organization's key; none for a public client.
    pub sealed_secret: Option<Vec<u8>>,
    pub is_enabled: bool,
    /// Requested values of `acr`, which also mean that several factors were used; separated by spaces.
    #[sea_orm(column_type = "Text")]
    pub acr_values: String,
    /// Maximum age of the authentication at the provider; none for no limit.
    pub max_age_minutes: Option<i32>,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
    /// Number of changes by people.
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
