//! A fax that arrived at a provider.

use sea_orm::entity::prelude::*;

/// A fax that arrived at a provider.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_reception")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    /// That of the account, whose key seals the pages.
    pub organization_id: Uuid,
    /// The provider's name for it.
    pub remote_id: String,
    pub state: ReceptionState,
    pub called: Option<String>,
    pub caller: Option<String>,
    pub caller_name: Option<String>,
    pub sender_id: Option<String>,
    pub pages: Option<i32>,
    pub resolution: Option<String>,
    pub rate: Option<i32>,
    pub seconds: Option<i32>,
    pub line: Option<String>,
    /// Why the end is missing.
    #[sea_orm(column_type = "Text", nullable)]
    pub partial: Option<String>,
    /// The pages, while nobody knows whose they are.
    pub blob_id: Option<Uuid>,
    pub format: Option<PageFormat>,
    pub document_source_id: Option<Uuid>,
    pub message_id: Option<Uuid>,
    /// The message whose fax it answers.
    pub answers: Option<Uuid>,
    pub decided_by: Option<Uuid>,
    pub decided_at: Option<DateTimeUtc>,
    pub received_at: DateTimeUtc,
}

/// What became of a received fax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ReceptionState {
    /// Stored; its workflow step turns it into a message.
    Kept,
    /// In the Intake.
    Stored,
    /// Nobody's number; an operator decides.
    Unknown,
    /// An operator decided that it is nobody's.
    Discarded,
}

/// The file format of the received pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum PageFormat {
    Tiff,
    Pdf,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
