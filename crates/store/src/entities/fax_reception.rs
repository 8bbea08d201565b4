//! A fax that arrived at a provider.

use sea_orm::entity::prelude::*;

/// A fax that arrived at a provider.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_reception")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub account_id: Uuid,
    /// Organization of the account, whose key seals the pages.
    pub organization_id: Uuid,
    /// The provider's id of the fax.
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
    /// Reason for the missing end.
    #[sea_orm(column_type = "Text", nullable)]
    pub partial: Option<String>,
    /// The pages, while the fax is unassigned.
    pub blob_id: Option<Uuid>,
    pub format: Option<PageFormat>,
    pub document_source_id: Option<Uuid>,
    pub message_id: Option<Uuid>,
    /// The message that this fax answers.
    pub answers: Option<Uuid>,
    pub decided_by: Option<Uuid>,
    pub decided_at: Option<DateTimeUtc>,
    pub received_at: DateTimeUtc,
}

/// State of a received fax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ReceptionState {
    /// Stored; its workflow step turns it into a message.
    Kept,
    /// In the Intake.
    Stored,
    /// Unassigned; an operator decides.
    Unknown,
    /// Discarded by an operator.
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
