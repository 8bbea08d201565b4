//! A request of a person to the operators of the installation.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request of a person to the operators of the installation.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "support_ticket")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    pub area: String,
    /// 1 is the most urgent, 4 a question.
    pub severity: i32,
    pub subject: String,
    pub sealed_details: Vec<u8>,
    pub user_name: String,
    pub full_name: String,
    /// Host name under which the product was used.
    pub host: String,
    pub state: TicketState,
    /// Whether it was e-mailed to the configured address.
    pub is_mailed: bool,
    pub created_at: DateTimeUtc,
    pub modified_at: DateTimeUtc,
    pub version: i32,
}

/// State of a ticket.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum TicketState {
    Open,
    InProgress,
    Closed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
