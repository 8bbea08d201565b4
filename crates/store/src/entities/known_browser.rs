//! A browser in which a person signed in before. Strangers who guess at their password do not lock them out of it.

use sea_orm::entity::prelude::*;

/// A browser in which a person signed in before. Strangers who guess at their password do not lock them out of it.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "known_browser")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    /// Of the token in its cookie, which all people who share the browser have in common.
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    /// The session that was opened in it last.
    pub session_id: Uuid,
    /// Wrong passwords that came from here; those from elsewhere are counted in `app_user`.
    pub failed_logins: i32,
    pub locked_until: Option<DateTimeUtc>,
    pub last_used_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
