//! An e-mail to a person, waiting or sent.

use sea_orm::entity::prelude::*;

/// An e-mail to a person, waiting or sent.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "email")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// None for people without an organization; the letter is then sealed with the installation's key.
    pub organization_id: Option<Uuid>,
    /// Kind of e-mail.
    pub template: String,
    /// Recipient, subject and content. Removed once a mail server has accepted it.
    pub sealed_letter: Option<Vec<u8>>,
    pub created_at: DateTimeUtc,
    pub sent_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
