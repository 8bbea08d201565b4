//! An e-mail to a person that is to be sent or was sent.

use sea_orm::entity::prelude::*;

/// An e-mail to a person that is to be sent or was sent.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "email")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// None for people of no organization; the letter is sealed with the installation's key then.
    pub organization_id: Option<Uuid>,
    /// Which kind of e-mail it is.
    pub template: String,
    /// Recipient, subject and content. Forgotten once a mail server has it.
    pub sealed_letter: Option<Vec<u8>>,
    pub created_at: DateTimeUtc,
    pub sent_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
