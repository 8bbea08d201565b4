//! Second factors of a person. Passkeys and recovery codes have their own tables.

use sea_orm::entity::prelude::*;

/// Second factors of a person. Passkeys and recovery codes have their own tables.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factor")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    /// The authenticator app's secret, sealed with the installation's key.
    pub sealed_secret: Option<Vec<u8>>,
    /// None until a first code of the app was entered.
    pub confirmed_at: Option<DateTimeUtc>,
    /// The last time step with an accepted code; codes of it or earlier steps are refused.
    pub last_step: i64,
    /// Whether the person chose codes by e-mail.
    pub email_codes: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
