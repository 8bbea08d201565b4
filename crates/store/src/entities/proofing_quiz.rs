//! A quiz for proving a person's identity.

use sea_orm::entity::prelude::*;

/// A quiz for proving a person's identity.
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
    /// Whether it counts as an attempt of its day.
    pub counts: bool,
    /// Questions and correct answers; removed once it is answered.
    pub sealed: Option<Vec<u8>>,
}

/// Outcome of a quiz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum QuizOutcome {
    Passed,
    Failed,
    /// Answered too late.
    Late,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
