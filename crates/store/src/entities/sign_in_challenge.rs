//! A pending challenge: the second step of a sign-in, or a passkey's.

use sea_orm::entity::prelude::*;

/// A pending challenge: the second step of a sign-in, or a passkey's.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_challenge")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub token_hash: Vec<u8>,
    /// None while the person is unknown.
    pub user_id: Option<Uuid>,
    pub purpose: Purpose,
    /// Challenge for a passkey, as JSON.
    #[sea_orm(column_type = "Text", nullable)]
    pub state: Option<String>,
    pub wrong_answers: i32,
    /// Hash of the e-mailed code, sealed with the installation's key.
    pub sealed_code: Option<Vec<u8>>,
    pub code_sent_at: Option<DateTimeUtc>,
    pub codes_sent: i32,
    /// The single sign-on connection whose second step this is.
    pub connection_id: Option<Uuid>,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
}

/// Kind of challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum Purpose {
    /// The second step of a sign-in.
    SecondStep,
    /// A passkey, which also identifies the person.
    Passkey,
    /// The first code of a new authenticator app.
    AddApp,
    AddPasskey,
    /// An e-mailed code that confirms a change of second factors.
    Confirm,
    /// The answer of an organization's sign-in provider.
    SingleSignOn,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
