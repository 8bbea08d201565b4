//! Applicants' descriptions of themselves, stored sealed for the operator who reviews the photo ID.

use super::port::{Address, Identity};
use chrono::NaiveDate;
use platform::{App, Member, Result};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, sea_query::OnConflict};
use serde::{Deserialize, Serialize};
use store::{Transaction, entities::proofing_identity, keys::DataKey};
use utoipa::ToSchema;
use uuid::Uuid;

/// An applicant's description, without the social security number.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescribedPerson {
    pub first_name: String,
    pub last_name: String,
    pub date_of_birth: NaiveDate,
    /// Ten digits.
    pub phone_number: Option<String>,
    pub current_address: DescribedAddress,
    pub former_address: Option<DescribedAddress>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DescribedAddress {
    pub address_line: String,
    pub address_unit: String,
    pub city: String,
    pub state: String,
    pub zip: String,
}

impl From<&Address> for DescribedAddress {
    fn from(address: &Address) -> Self {
        let Address { line, unit, city, state, zip } = address.clone();
        Self { address_line: line, address_unit: unit, city, state, zip }
    }
}

impl From<&Identity> for DescribedPerson {
    fn from(identity: &Identity) -> Self {
        Self {
            first_name: identity.first_name.clone(),
            last_name: identity.last_name.clone(),
            date_of_birth: identity.date_of_birth,
            phone_number: identity.phone.clone(),
            current_address: (&identity.current_address).into(),
            former_address: identity.former_address.as_ref().map(Into::into),
        }
    }
}

fn context(organization_id: Uuid) -> String {
    format!("proofing.identity:{organization_id}")
}

/// Saves a description, replacing an earlier one.
pub async fn keep(
    app: &App,
    txn: &Transaction,
    member: &Member,
    key: &DataKey,
    person: &DescribedPerson,
) -> Result<()> {
    use proofing_identity::Column;
    let row = proofing_identity::ActiveModel {
        organization_id: Set(member.organization_id),
        user_id: Set(member.caller.user_id),
        sealed: Set(key.seal_json(&context(member.organization_id), person)?),
        created_at: Set(app.clock.now()),
    };
    let newest = OnConflict::column(Column::OrganizationId)
        .update_columns([Column::UserId, Column::Sealed, Column::CreatedAt])
        .to_owned();
    proofing_identity::Entity::insert(row).on_conflict(newest).exec_without_returning(txn).await?;
    Ok(())
}

/// Whether a user has entered a description for an organization.
pub async fn is_kept(db: &impl ConnectionTrait, organization_id: Uuid, user_id: Uuid) -> Result<bool> {
    let found = proofing_identity::Entity::find_by_id(organization_id).one(db).await?;
    Ok(found.is_some_and(|row| row.user_id == user_id))
}

/// The description that a user entered for an organization.
pub async fn described(app: &App, organization_id: Uuid, user_id: Uuid) -> Result<Option<DescribedPerson>> {
    let found = proofing_identity::Entity::find_by_id(organization_id).one(app.store.db()).await?;
    let Some(row) = found.filter(|row| row.user_id == user_id) else { return Ok(None) };
    let key = app.keys.data_key(organization_id).await?;
    Ok(Some(key.open_json(&context(organization_id), &row.sealed)?))
}

pub async fn forget(txn: &Transaction, organization_id: Uuid) -> Result<()> {
    proofing_identity::Entity::delete_by_id(organization_id).exec(txn).await?;
    Ok(())
}
