//! A user's role in one organization.

use crate::permissions::Permissions;
use sea_orm::{IntoActiveModel, entity::prelude::*};

/// A user's role in one organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "membership")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    pub role: String,
    pub job_function: String,
    /// Whether access to this organization is disabled.
    pub is_disabled: bool,
    pub disabled_at: Option<DateTimeUtc>,
    #[sea_orm(column_type = "JsonBinary")]
    pub permissions: Permissions,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// A new membership with the permissions of new members.
    pub fn new(user_id: Uuid, organization_id: Uuid, role: &str, job_function: impl Into<String>) -> Self {
        Self {
            user_id,
            organization_id,
            role: role.to_owned(),
            job_function: job_function.into(),
            is_disabled: false,
            disabled_at: None,
            permissions: Permissions::default(),
        }
    }

    /// Stores a new membership.
    pub async fn insert(&self, db: &impl ConnectionTrait) -> Result<(), DbErr> {
        let row = self.clone().into_active_model().reset_all();
        Entity::insert(row).exec_without_returning(db).await.map(drop)
    }
}
