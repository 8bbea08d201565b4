//! A tenant: a provider organization with its own Direct domain.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// A tenant: a provider organization with its own Direct domain.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "organization")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub name_key: String,
    #[sea_orm(unique)]
    pub sub_domain: String,
    pub brand_id: Uuid,
    pub organization_type_id: Option<Uuid>,
    pub organization_specialty_id: Option<Uuid>,
    pub npi: String,
    pub emr: String,
    /// Preferred name of its group; empty for none.
    pub preferred_group_name: String,
    pub reseller_id: Option<Uuid>,
    pub plan_id: Option<Uuid>,
    pub network_id: Option<Uuid>,
    pub hisp_provider_id: Option<Uuid>,
    pub street: String,
    pub unit: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub primary_phone: String,
    pub primary_fax: String,
    pub phone: String,
    pub contact_first_name: String,
    pub contact_last_name: String,
    pub contact_email: String,
    pub contact_title: String,
    pub contact_npi: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub purposes_of_use: StringList,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: Json,
    pub is_activated: bool,
    pub is_enabled: bool,
    pub login_type: String,
    pub api_capture: bool,
    pub is_cancelled: bool,
    pub is_pending_cancellation: bool,
    pub grace_until: Option<DateTimeUtc>,
    pub subscription_reference: Option<String>,
    pub eula_accepted_at: Option<DateTimeUtc>,
    pub id_proofed_at: Option<DateTimeUtc>,
    pub id_proof_attempt_at: Option<DateTimeUtc>,
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub modified_by: String,
    pub modified_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
