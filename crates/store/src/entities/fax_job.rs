//! The fax of one recipient of a message.

use sea_orm::entity::prelude::*;

/// The fax of one recipient of a message.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_job")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    /// The sending number.
    pub document_source_id: Uuid,
    /// The workflow that sends it.
    pub workflow_id: Uuid,
    /// The pages (TIFF class F), once they are drawn.
    pub blob_id: Option<Uuid>,
    pub pages: i32,
    /// Pages that need not be sent again.
    pub confirmed_pages: i32,
    /// Number of calls that reached the network, or may have.
    pub dials: i32,
    /// Set while it waits for its line.
    pub waiting_since: Option<DateTimeUtc>,
    pub next_at: Option<DateTimeUtc>,
    /// Reason for waiting, shown to the sender.
    #[sea_orm(column_type = "Text", nullable)]
    pub waits_for: Option<String>,
    /// When the sender cancelled it; none once the provider has refused to cancel.
    pub cancel_at: Option<DateTimeUtc>,
    /// Reason why it could not be cancelled, shown to the sender.
    #[sea_orm(column_type = "Text", nullable)]
    pub cancel_problem: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
