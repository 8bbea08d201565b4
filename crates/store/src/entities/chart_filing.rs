//! A document of a message filed into a patient's chart.

use super::integration::IntegrationType;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A document of a message filed into a patient's chart, or on its way there.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "chart_filing")]
pub struct Model {
    /// Also the identifier of the document in the chart.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub attachment_id: Uuid,
    pub integration_id: Uuid,
    /// Kind of the connection, which may be deleted later.
    pub integration_kind: IntegrationType,
    pub state: FilingState,
    /// Patient, visit, type and reviewer in the chart, as chosen.
    pub sealed_chosen: Vec<u8>,
    /// Id of the document in the chart.
    pub chart_document_id: Option<String>,
    /// When the chart confirmed it.
    pub filed_at: Option<DateTimeUtc>,
    /// Who filed it. Nil for a rule, until a person tries again.
    pub user_id: Uuid,
    /// The intake rule that filed it.
    pub rule_id: Option<Uuid>,
    /// Its name at that time.
    pub rule_name: Option<String>,
    /// How certain the rule was of the patient.
    pub percent: Option<i16>,
    /// Why it failed, without patient data.
    #[sea_orm(column_type = "Text")]
    pub problem: String,
    /// Who withdrew it.
    pub withdrawn_by: Option<Uuid>,
    pub withdrawn_at: Option<DateTimeUtc>,
    /// When somebody took note of its failure.
    pub acknowledged_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

/// State of a filing.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum FilingState {
    /// On its way to the chart.
    Waiting,
    /// In the chart.
    Filed,
    /// Not in the chart; somebody has to decide.
    Failed,
    /// To be marked in the chart as entered in error.
    Withdrawing,
    /// Marked in the chart as entered in error, or never written there.
    Withdrawn,
    /// In the chart, and could not be withdrawn from it.
    WithdrawalFailed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
