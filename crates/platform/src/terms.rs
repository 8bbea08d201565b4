//! The terms of service of an organization, and whether a user has to accept them first.

use crate::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect};
use store::entities::{brand, organization, reseller, terms, terms_acceptance};
use uuid::Uuid;

/// Scope of the standard terms.
pub const STANDARD: &str = "standard";
/// Scope of the terms for customers of resellers without their own terms.
pub const RESELLER: &str = "reseller";
/// Prefix of the scopes of privacy terms; the rest is the scope of the related terms.
pub const PRIVACY: &str = "privacy:";

/// Scope of a brand's own terms.
pub fn brand_scope(id: Uuid) -> String {
    format!("brand:{id}")
}

/// Scope of a reseller's own terms.
pub fn reseller_scope(id: Uuid) -> String {
    format!("reseller:{id}")
}

/// Scope of the privacy terms for the terms of a scope.
pub fn privacy_scope(scope: &str) -> String {
    format!("{PRIVACY}{scope}")
}

/// Origin of the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Standard,
    Brand,
    Reseller,
}

/// The scopes of an organization's terms in order; the first one with an active version applies.
#[derive(Clone, Debug)]
pub struct Scopes {
    pub source: Source,
    pub terms: Vec<String>,
    pub privacy: Vec<String>,
}

/// The reseller's scope if it replaces the standard terms, else the brand's own, else the standard one.
pub async fn scopes(db: &impl ConnectionTrait, organization: &organization::Model) -> Result<Scopes, DbErr> {
    let (mut source, mut terms) = (Source::Standard, vec![STANDARD.to_owned()]);
    let brand = brand::Entity::find_by_id(organization.brand_id).one(db).await?;
    if brand.is_some_and(|brand| brand.has_own_terms) {
        (source, terms) = (Source::Brand, vec![brand_scope(organization.brand_id), STANDARD.to_owned()]);
    }
    if let Some(id) = organization.reseller_id
        && reseller::Entity::find_by_id(id).one(db).await?.is_some_and(|r| r.bypass_tos)
    {
        (source, terms) = (Source::Reseller, vec![reseller_scope(id), RESELLER.to_owned()]);
    }
    let privacy = terms.iter().map(|scope| privacy_scope(scope));
    let privacy = privacy.chain([privacy_scope(STANDARD)]).collect();
    Ok(Scopes { source, terms, privacy })
}

/// The needed columns of an active version: its id, its scope and whether it binds everybody.
type Active = (Uuid, String, Option<chrono::DateTime<chrono::Utc>>);

/// Whether a user has to accept newly activated terms before anything else in an organization.
pub async fn is_owed(
    db: &impl ConnectionTrait,
    organization: &organization::Model,
    user_id: Uuid,
) -> Result<bool, DbErr> {
    use terms::Column;
    let active: Vec<Active> = terms::Entity::find()
        .select_only()
        .columns([Column::Id, Column::Scope, Column::ActivatedAt])
        .filter(Column::IsActive.eq(true))
        .into_tuple()
        .all(db)
        .await?;
    // Most installations only have the product's own terms.
    if active.iter().all(|(_, _, activated_at)| activated_at.is_none()) {
        return Ok(false);
    }
    let Scopes { terms, privacy, .. } = scopes(db, organization).await?;
    let binding =
        [terms, privacy].into_iter().filter_map(|scopes| first_of(&active, &scopes)).collect::<Vec<_>>();
    if binding.is_empty() {
        return Ok(false);
    }
    let accepted = terms_acceptance::Entity::find()
        .filter(terms_acceptance::Column::OrganizationId.eq(organization.id))
        .filter(terms_acceptance::Column::UserId.eq(user_id))
        .filter(terms_acceptance::Column::TermsId.is_in(binding.iter().copied()));
    Ok(accepted.count(db).await? < binding.len() as u64)
}

/// The applicable version among some scopes, if it binds everybody.
fn first_of(active: &[Active], scopes: &[String]) -> Option<Uuid> {
    let found = scopes.iter().find_map(|scope| active.iter().find(|(_, of, _)| of == scope));
    found.filter(|(_, _, activated_at)| activated_at.is_some()).map(|(id, ..)| *id)
}
