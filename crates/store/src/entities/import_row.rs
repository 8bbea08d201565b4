//! A row of an imported file.

use super::string_list::StringList;
use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A row of an imported file.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "import_row")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub batch_id: Uuid,
    /// The line of the file.
    pub line: i32,
    /// Unique key of the record: the subdomain of an organization.
    pub key: String,
    /// Kept until the record exists.
    #[sea_orm(column_type = "JsonBinary")]
    pub cells: Cells,
    pub status: ItemStatus,
    #[sea_orm(column_type = "JsonBinary")]
    pub errors: StringList,
    /// Errors of the contact person.
    #[sea_orm(column_type = "JsonBinary")]
    pub contact_errors: StringList,
}

/// The cells of a row by field name, without empty ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct Cells(pub BTreeMap<String, String>);

/// Outcome of a row.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ItemStatus {
    Waiting,
    Created,
    /// The organization existed already.
    Exists,
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
