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
    pub outcome: Option<QuizOutcome>,
    /// It is one of the attempts of its day.
    pub counts: bool,
    /// Questions and right answers; forgotten once it was answered.
    pub sealed: Option<Vec<u8>>,
}

/// How a quiz ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum QuizOutcome {
    Passed,
    Failed,
    /// Answered after its time.
    Late,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
