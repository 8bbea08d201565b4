//! Requests and answers of [`super::http`].

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::entities::{
    import_batch::{self, BatchStatus, BatchType},
    import_row::{self, ItemStatus},
};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ItemQuery {
    /// Only rows of this file.
    pub batch_id: Option<Uuid>,
    #[param(inline)]
    pub item_status: Option<ItemStatus>,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// Result of a row's contact person.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub enum ContactStatus {
    Waiting,
    Saved,
    /// The organization already existed, and keeps its contact.
    Unchanged,
    /// The row failed, but not because of the contact.
    NotSaved,
    Invalid,
}

/// A row of a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportItem {
    pub id: Uuid,
    pub batch_id: Uuid,
    pub batch_type: BatchType,
    /// Line number in the file.
    pub line: i32,
    pub item_status: ItemStatus,
    /// Errors of the organization.
    pub item_error: Option<String>,
    /// The subdomain.
    pub key: String,
    pub file_name: String,
    pub batch_status: BatchStatus,
    pub primary_contact_status: ContactStatus,
    /// Errors of the contact person.
    pub pcs_errors: Vec<String>,
}

impl ImportItem {
    pub fn new(batch: &import_batch::Model, row: import_row::Model) -> Self {
        let contact = match row.status {
            _ if !row.contact_errors.0.is_empty() => ContactStatus::Invalid,
            ItemStatus::Waiting => ContactStatus::Waiting,
            ItemStatus::Created => ContactStatus::Saved,
            ItemStatus::Exists => ContactStatus::Unchanged,
            ItemStatus::Failed => ContactStatus::NotSaved,
        };
        Self {
            id: row.id,
            batch_id: batch.id,
            batch_type: batch.kind,
            line: row.line,
            item_status: row.status,
            item_error: (!row.errors.0.is_empty()).then(|| row.errors.0.join(" ")),
            key: row.key,
            file_name: batch.file_name.clone(),
            batch_status: batch.status,
            primary_contact_status: contact,
            pcs_errors: row.contact_errors.0,
        }
    }
}

/// A file with its progress.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    pub id: Uuid,
    pub batch_type: BatchType,
    pub file_name: String,
    pub batch_status: BatchStatus,
    /// Number of rows of the file.
    pub total: i64,
    pub waiting: i64,
    pub created: i64,
    /// Number of organizations that already existed.
    pub existing: i64,
    pub failed: i64,
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    pub end_date: Option<DateTime<Utc>>,
}

impl Batch {
    pub fn new(batch: import_batch::Model, counts: &BTreeMap<String, i64>) -> Self {
        let of = |status: ItemStatus| counts.get(&status.to_string()).copied().unwrap_or_default();
        Self {
            id: batch.id,
            batch_type: batch.kind,
            file_name: batch.file_name,
            batch_status: batch.status,
            total: batch.total.into(),
            waiting: of(ItemStatus::Waiting),
            created: of(ItemStatus::Created),
            existing: of(ItemStatus::Exists),
            failed: of(ItemStatus::Failed),
            created_by: batch.created_by,
            create_date: batch.created_at,
            end_date: batch.ended_at,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowProblem {
    pub line: u32,
    pub key: String,
    pub problems: Vec<String>,
}

/// Result that the import of a file would have.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportCheck {
    pub total: usize,
    /// Number of organizations that would be created.
    pub ready: usize,
    /// Number of organizations that already exist.
    pub existing: usize,
    pub failed: usize,
    /// The first 100 rows that would fail.
    pub problems: Vec<RowProblem>,
}
