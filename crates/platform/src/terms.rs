//! Which terms of service apply to an organization, and whether somebody has to accept them before anything else.

use crate::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect};
use store::entities::{brand, organization, reseller, terms, terms_acceptance};
use uuid::Uuid;

/// The scope of the terms that apply where nothing else does.
pub const STANDARD: &str = "standard";
/// The scope of the terms for customers of resellers who have none of their own.
pub const RESELLER: &str = "reseller";
/// What the scopes of privacy terms begin with; the rest is the scope of the terms beside which they stand.
pub const PRIVACY: &str = "privacy:";

/// The scope of a brand's own terms.
pub fn brand_scope(id: Uuid) -> String {
    format!("brand:{id}")
}

/// The scope of a reseller's own terms.
pub fn reseller_scope(id: Uuid) -> String {
    format!("reseller:{id}")
}

/// The privacy terms beside the terms of a scope.
pub fn privacy_scope(scope: &str) -> String {
    format!("{PRIVACY}{scope}")
}

/// Whose terms apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Standard,
    Brand,
    Reseller,
}

/// The scopes in which terms for an organization are looked for, the first one that has an active version counts.
#[derive(Clone, Debug)]
pub struct Scopes {
    pub source: Source,
    pub terms: Vec<String>,
    pub privacy: Vec<String>,
}

/// The reseller's scope where it stands in for the standard terms, else the brand's own, else the standard one.
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

/// An active version, as far as it matters here: its id, its scope and whether it binds everybody.
type Active = (Uuid, String, Option<chrono::DateTime<chrono::Utc>>);

/// Whether a person has to accept terms that operators activated before they may do anything else in an organization.
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
    // Most installations have what came with the product.
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

/// The version that applies among some scopes, if it is one that binds everybody.
fn first_of(active: &[Active], scopes: &[String]) -> Option<Uuid> {
    let found = scopes.iter().find_map(|scope| active.iter().find(|(_, of, _)| of == scope));
    found.filter(|(_, _, activated_at)| activated_at.is_some()).map(|(id, ..)| *id)
}
