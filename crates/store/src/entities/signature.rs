//! A request to sign the documents of a message, and its outcome.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to sign the documents of a message, and its outcome.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "signature")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub requested_by: Uuid,
    pub signer_id: Uuid,
    pub state: SignatureState,
    /// Note for the signer.
    pub sealed_note: Option<Vec<u8>>,
    /// Reason for declining.
    pub sealed_reason: Option<Vec<u8>>,
    /// What the signer drew or typed, agreed to, and is called; none for signatures without one.
    pub sealed_mark: Option<Vec<u8>>,
    /// The signed files; empty until then.
    #[sea_orm(column_type = "JsonBinary")]
    pub files: SignedFiles,
    /// How the signer was authenticated.
    pub confirmed_by: Option<Confirmation>,
    pub created_at: DateTimeUtc,
    /// When it was signed, declined or cancelled.
    pub settled_at: Option<DateTimeUtc>,
}

/// The files that were signed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct SignedFiles(pub Vec<SignedFile>);

/// A file as it was signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedFile {
    pub attachment_id: Uuid,
    /// Blob of these bytes: a file converted afterwards has another one.
    pub blob_id: Uuid,
    /// Blob of the PDF as which it was shown, if it is no PDF itself. Older signatures do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_blob_id: Option<Uuid>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// State of a request.
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
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum SignatureState {
    Waiting = 0,
    Signed = 1,
    Declined = 2,
    Cancelled = 3,
}

/// Kind of re-authentication.
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
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Confirmation {
    Password,
    /// A code by e-mail.
    Code,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
