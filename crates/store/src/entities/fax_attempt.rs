//! One call for one recipient of a message.

use super::fax_account::ProviderKind;
use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// One call for one recipient of a message.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fax_attempt")]
pub struct Model {
    /// Key of the call at the provider.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub delivery_id: Uuid,
    pub document_source_id: Uuid,
    /// From 1.
    pub number: i32,
    pub provider: ProviderKind,
    pub from_number: String,
    pub to_number: String,
    /// The provider's id of the call.
    pub job: Option<String>,
    pub state: AttemptState,
    pub first_page: i32,
    pub pages: i32,
    /// The page being sent.
    pub page: Option<i32>,
    /// From the first page of the whole fax.
    pub confirmed_pages: i32,
    pub outcome: Option<String>,
    /// The provider's own description.
    #[sea_orm(column_type = "Text")]
    pub words: String,
    pub line: Option<String>,
    /// Bits per second.
    pub rate: Option<i32>,
    /// Time on the line.
    pub seconds: Option<i32>,
    /// Station id of the other machine.
    pub remote_id: Option<String>,
    /// The T.30 log, of own modems.
    #[sea_orm(column_type = "Text", nullable)]
    pub log: Option<String>,
    pub started_at: DateTimeUtc,
    pub submitted_at: Option<DateTimeUtc>,
    pub ended_at: Option<DateTimeUtc>,
}

/// State of a call.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
#[schema(as = FaxCallState)]
pub enum AttemptState {
    /// Being submitted to the provider, which may have it already.
    Submitting,
    Queued,
    Dialling,
    Sending,
    Finished,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
