//! An account of an organization at a fax provider. Credentials are sealed.

use sea_orm::entity::prelude::*;

/// An account of an organization at a fax provider. Credentials are sealed.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// `embedded`, `hylafax`, `westfax` or `efax`.
    pub provider: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: Json,
    /// Password and keys, sealed with the organization's key.
    pub sealed_secrets: Option<Vec<u8>>,
    /// Of the token in the address that the provider may call.
    pub callback_hash: Vec<u8>,
    /// When it is looked for received faxes next.
    pub poll_at: DateTimeUtc,
    pub polled_at: Option<DateTimeUtc>,
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
