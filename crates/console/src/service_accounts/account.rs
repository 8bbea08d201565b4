//! The row of a service account of a network or an organization: creation and new tokens.

use chrono::{DateTime, Utc};
use platform::{
    records::{Edit, Record},
    secret::token_hash,
    service,
};
use sea_orm::ActiveValue::Set;
use serde_json::json;
use store::entities::service_account::{ActiveModel, Column, Entity};
use uuid::Uuid;

const NAME_TAKEN: &str = "The organization already has a service account with this name.";

pub(crate) struct AccountRecord;

impl Record for AccountRecord {
    type Entity = Entity;
    const OBJECT: &'static str = service::OBJECT;
    const NOUN: &'static str = "this service account";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const ORGANIZATION: Option<Column> = Some(Column::OrganizationId);
    const AUDITED: &'static [Column] = &[
        Column::NetworkId,
        Column::ClientId,
        Column::Name,
        Column::IsEnabled,
        Column::AllowedAddresses,
        Column::AllowedAddressCount,
        Column::TokenIssuedAt,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", NAME_TAKEN);
}

/// Owner of an account.
pub enum Owner {
    Organization { id: Uuid, name: String },
    Network { id: Uuid },
}

/// A new account, which cannot be used until it has addresses, and its token.
pub fn new(now: DateTime<Utc>, owner: Owner, allowed_addresses: i32) -> (ActiveModel, String) {
    let token = service::new_token();
    let (network_id, organization_id, name) = match owner {
        Owner::Organization { id, name } => (None, Some(id), name),
        // A network has only one account, so it needs no name.
        Owner::Network { id } => (Some(id), None, String::new()),
    };
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        network_id: Set(network_id),
        organization_id: Set(organization_id),
        name: Set(name),
        allowed_address_count: Set(allowed_addresses),
        client_id: Set(Uuid::new_v4().simple().to_string()),
        token_hash: Set(token_hash(&token)),
        is_enabled: Set(true),
        allowed_addresses: Set(json!([])),
        version: Set(1),
        created_at: Set(now),
        token_issued_at: Set(now),
        last_used_at: Set(None),
        last_used_from: Set(None),
        last_refused_at: Set(None),
        last_refused_from: Set(None),
    };
    (row, token)
}

/// Gives an account a new token. The old one is refused once this is committed.
pub fn renew_token(edit: &mut Edit<'_, AccountRecord>, now: DateTime<Utc>) -> String {
    let token = service::new_token();
    edit.row.token_hash = Set(token_hash(&token));
    edit.row.token_issued_at = Set(now);
    edit.detail.insert("tokenRenewed".into(), true.into());
    token
}
