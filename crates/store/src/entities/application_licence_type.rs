//! A licence type that an application is licensed under.

use sea_orm::entity::prelude::*;

/// A licence type that an application is licensed under.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "application_licence_type")]
pub struct Model {
    /// An entry of the list of applications.
    #[sea_orm(primary_key, auto_increment = false)]
    pub application_id: Uuid,
    /// An entry of the list of licence types.
    #[sea_orm(primary_key, auto_increment = false)]
    pub licence_type_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
