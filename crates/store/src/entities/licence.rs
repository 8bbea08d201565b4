//! A licence issued for a connector.

use sea_orm::entity::prelude::*;

/// A licence issued for a connector.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "licence")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The signed text for the connector.
    #[sea_orm(column_type = "Text")]
    pub licence_key: String,
    pub licence_type: String,
    pub product: String,
    /// Empty for a licensed plan.
    pub application_name: String,
    pub is_licensed_plan: bool,
    pub organization_id: Uuid,
    pub organization_name: String,
    pub contact_name: String,
    pub contact_email: String,
    /// Reference of the request; a second request with it issues nothing.
    pub reference: String,
    /// Its number in the request, from 1.
    pub number: i32,
    /// Fingerprint of the only connector that may use it; empty for any.
    pub connector_id: String,
    pub connector_name: String,
    pub issued_by: String,
    pub issued_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
