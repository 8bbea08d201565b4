//! An account of an organization at a fax provider. Credentials are sealed.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An account of an organization at a fax provider. Credentials are sealed.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub provider: ProviderKind,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: AccountSettings,
    /// Password and keys, sealed with the organization's key.
    pub sealed_secrets: Option<Vec<u8>>,
    /// Hash of the token in the callback address.
    pub callback_hash: Vec<u8>,
    /// When received faxes are polled next.
    pub poll_at: DateTimeUtc,
    pub polled_at: Option<DateTimeUtc>,
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
    /// Number of changes by people.
    pub version: i32,
}

/// The fax provider.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum ProviderKind {
    /// Between numbers of this installation, without a telephone line.
    Embedded,
    /// Own modems, behind HylaFAX.
    HylaFax,
    WestFax,
    EFax,
}

impl ProviderKind {
    /// Displayed name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Embedded => "Within this installation",
            Self::HylaFax => "HylaFAX",
            Self::WestFax => "WestFax",
            Self::EFax => "eFax",
        }
    }
}

/// The settings of an account, without its secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountSettings {
    /// `host:port` of HylaFAX.
    pub server: String,
    /// HylaFAX and WestFax; the user id at eFax.
    pub user_name: String,
    /// eFax: the id of the application.
    pub app_id: String,
    /// WestFax: the product whose numbers are used.
    pub product_id: String,
    /// eFax: the group that the numbers belong to.
    pub group_name: String,
    /// The prefix that gets an outside line, such as `9,`.
    pub outside_line: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
