//! Questions that somebody answers to prove their identity.

use sea_orm::entity::prelude::*;

/// Questions that somebody answers to prove their identity.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "proofing_quiz")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    pub issued_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub answered_at: Option<DateTimeUtc>,
    /// `Passed`, `Failed` or `Late`.
    pub outcome: Option<String>,
    /// It is one of the attempts of its day.
    pub counts: bool,
    /// Questions and right answers; forgotten once it was answered.
    pub sealed: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
