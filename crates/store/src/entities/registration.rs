//! A practice that registered itself and has not confirmed its e-mail address yet.

use sea_orm::entity::prelude::*;

/// A practice that registered itself and has not confirmed its e-mail address yet.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "registration")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub token_hash: Vec<u8>,
    pub user_name_key: String,
    pub sub_domain: String,
    /// The submitted form, sealed with the installation's key. Removed once it is confirmed.
    pub sealed_form: Option<Vec<u8>>,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    /// When it was confirmed or became void.
    pub ended_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
