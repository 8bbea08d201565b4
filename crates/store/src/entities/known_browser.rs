//! A browser used by a person before. Guesses from elsewhere do not lock it.

use sea_orm::entity::prelude::*;

/// A browser used by a person before. Guesses from elsewhere do not lock it.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "known_browser")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    /// Hash of the token in its cookie, shared by all people who use the browser.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    /// The last session in it.
    pub session_id: Uuid,
    /// Wrong passwords from this browser; others are counted in `app_user`.
    pub failed_logins: i32,
    pub locked_until: Option<DateTimeUtc>,
    pub last_used_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
