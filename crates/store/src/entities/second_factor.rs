//! What a person signs in with beside the password. Passkeys and recovery codes have tables of their own.

use sea_orm::entity::prelude::*;

/// What a person signs in with beside the password. Passkeys and recovery codes have tables of their own.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factor")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    /// The authenticator app's secret, sealed with the installation's key.
    pub sealed_secret: Option<Vec<u8>>,
    /// None until a first code of the app was given.
    pub confirmed_at: Option<DateTimeUtc>,
    /// The last time step whose code was taken; no code of it or before it is taken again.
    pub last_step: i64,
    /// The person chose codes by e-mail.
    pub email_codes: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
