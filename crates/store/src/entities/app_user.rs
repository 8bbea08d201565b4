//! A person who signs in. Roles in organizations are in `membership`.

use sea_orm::entity::prelude::*;

/// A person who signs in. Roles in organizations are in `membership`.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "app_user")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_name: String,
    #[sea_orm(unique)]
    pub user_name_key: String,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: String,
    pub password_hash: String,
    pub system_role: Option<String>,
    pub network_admin_of: Option<Uuid>,
    pub is_disabled: bool,
    pub disabled_at: Option<DateTimeUtc>,
    /// A deleted account is also disabled, has no memberships, and its user name is free again.
    pub deleted_at: Option<DateTimeUtc>,
    pub failed_logins: i32,
    pub locked_until: Option<DateTimeUtc>,
    pub password_changed_at: DateTimeUtc,
    #[sea_orm(column_type = "JsonBinary")]
    pub preferences: Json,
    pub last_organization_id: Option<Uuid>,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
