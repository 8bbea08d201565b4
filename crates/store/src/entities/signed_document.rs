//! A document of a message as PDF with the signatures of its signers.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A document of a message as PDF with the signatures of its signers. A document that changes gets another one.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "signed_document")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub attachment_id: Uuid,
    /// Blob of the document that was signed.
    pub source_blob_id: Uuid,
    pub state: SigningState,
    /// Ids of the signatures, in the order of signing.
    #[sea_orm(column_type = "JsonBinary")]
    pub signatures: SignatureIds,
    /// How many of the signatures are in the file, from the first.
    pub signed_count: i32,
    /// The signed file; none before the first signature is in it.
    pub blob_id: Option<Uuid>,
    pub size_bytes: i64,
    /// Whether a signature has no timestamp because the time stamping authority did not answer.
    pub lacks_timestamp: bool,
    /// Why it could not be made, without patient data.
    #[sea_orm(column_type = "Text")]
    pub problem: String,
    pub created_at: DateTimeUtc,
    /// When the last signature was put into it.
    pub ready_at: Option<DateTimeUtc>,
}

/// Ids of signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct SignatureIds(pub Vec<Uuid>);

/// State of a signed PDF.
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
pub enum SigningState {
    /// Signatures are being put into it.
    Making,
    /// It has all signatures.
    Ready,
    /// It could not be made; somebody can try again.
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
