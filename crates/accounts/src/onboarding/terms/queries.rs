//! Which terms apply to whom, and who accepted them.

use super::{
    http::{Acceptance, PrivacyTerms, Terms, TermsType},
    paper,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    sea_query::OnConflict,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{brand, organization, reseller, terms, terms_acceptance},
};
use uuid::Uuid;

/// The scope of the terms that apply where nothing else does.
pub const STANDARD: &str = "standard";
/// The scope of the terms for customers of resellers who have none of their own.
pub const RESELLER: &str = "reseller";

const REPLACED: &str = "These terms have been replaced by a newer version. Please read the new ones.";

/// What the scopes of privacy terms begin with; the rest is the scope of the terms beside which they stand.
pub const PRIVACY: &str = "privacy:";

/// The privacy terms beside the terms of a scope.
pub fn privacy_scope(scope: &str) -> String {
    format!("{PRIVACY}{scope}")
}

pub fn brand_scope(id: Uuid) -> String {
    format!("brand:{id}")
}

pub fn reseller_scope(id: Uuid) -> String {
    format!("reseller:{id}")
}

/// The texts that come with the product, under ids that are the same on every node.
const OWN: &[(u128, &str, &str)] = &[
    (
        0x019a_0000_0000_7000_8000_0000_0000_0001,
        STANDARD,
        include_str!("../../../../../templates/terms/standard.html"),
    ),
    (
        0x019a_0000_0000_7000_8000_0000_0000_0002,
        RESELLER,
        include_str!("../../../../../templates/terms/reseller.html"),
    ),
];

/// Puts the product's own terms into a database that has none yet.
pub async fn ensure(app: &App) -> Result<()> {
    let db = app.store.db();
    for (id, scope, html) in OWN {
        let known = terms::Entity::find().filter(terms::Column::Scope.eq(*scope)).one(db).await?;
        if known.is_none() {
            let row = version(Uuid::from_u128(*id), scope, "1.0", html, app.clock.now());
            let once = OnConflict::column(terms::Column::Id).do_nothing().to_owned();
            terms::Entity::insert(row).on_conflict(once).exec_without_returning(db).await?;
        }
    }
    Ok(())
}

/// An active version; its text is sanitized here.
pub fn version(
    id: Uuid,
    scope: &str,
    version: &str,
    html: &str,
    created_at: DateTime<Utc>,
) -> terms::ActiveModel {
    terms::ActiveModel {
        id: Set(id),
        scope: Set(scope.to_owned()),
        version: Set(version.to_owned()),
        html: Set(ammonia::clean(html)),
        is_active: Set(true),
        created_at: Set(created_at),
    }
}

/// The terms that apply to an organization; none when the operator has no active ones.
pub struct Applicable {
    pub kind: TermsType,
    pub terms: terms::Model,
    /// The privacy terms that are accepted with them, where the operator has any.
    pub privacy: Option<terms::Model>,
    brand_name: String,
}

/// Finds what applies: the reseller's where it stands in for the standard terms, else the brand's own, else the
/// standard ones.
pub async fn applicable(
    db: &impl ConnectionTrait,
    organization: &organization::Model,
) -> Result<Option<Applicable>> {
    let brand = brand::Entity::find_by_id(organization.brand_id).one(db).await?.ok_or(Error::NotFound)?;
    let mut wanted = vec![(TermsType::Standard, STANDARD.to_owned())];
    if brand.has_own_terms {
        wanted = vec![(TermsType::Brand, brand_scope(brand.id)), (TermsType::Brand, STANDARD.to_owned())];
    }
    if let Some(id) = organization.reseller_id
        && reseller::Entity::find_by_id(id).one(db).await?.is_some_and(|r| r.bypass_tos)
    {
        wanted = vec![(TermsType::Reseller, reseller_scope(id)), (TermsType::Reseller, RESELLER.to_owned())];
    }
    let privacy_scopes = wanted.iter().map(|(_, scope)| privacy_scope(scope));
    let privacy_scopes: Vec<String> = privacy_scopes.chain([privacy_scope(STANDARD)]).collect();
    for (kind, scope) in wanted {
        if let Some(terms) = active(db, &scope).await? {
            let privacy = first_active(db, &privacy_scopes).await?;
            return Ok(Some(Applicable { kind, terms, privacy, brand_name: brand.display_name }));
        }
    }
    Ok(None)
}

async fn active(db: &impl ConnectionTrait, scope: &str) -> Result<Option<terms::Model>> {
    Ok(terms::Entity::find()
        .filter(terms::Column::Scope.eq(scope))
        .filter(terms::Column::IsActive.eq(true))
        .one(db)
        .await?)
}

async fn first_active(db: &impl ConnectionTrait, scopes: &[String]) -> Result<Option<terms::Model>> {
    for scope in scopes {
        if let Some(found) = active(db, scope).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether the organization accepted what applies to it now.
pub async fn is_accepted(db: &impl ConnectionTrait, organization: &organization::Model) -> Result<bool> {
    let Some(applicable) = applicable(db, organization).await? else { return Ok(true) };
    for terms in std::iter::once(&applicable.terms).chain(&applicable.privacy) {
        if first_acceptance(db, organization.id, terms.id).await?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn first_acceptance(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    terms_id: Uuid,
) -> Result<Option<terms_acceptance::Model>> {
    Ok(terms_acceptance::Entity::find()
        .filter(terms_acceptance::Column::OrganizationId.eq(organization_id))
        .filter(terms_acceptance::Column::TermsId.eq(terms_id))
        .order_by_asc(terms_acceptance::Column::AcceptedAt)
        .one(db)
        .await?)
}

async fn applicable_to(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
) -> Result<(organization::Model, Applicable)> {
    let organization =
        organization::Entity::find_by_id(organization_id).one(db).await?.ok_or(Error::NotFound)?;
    let applicable = applicable(db, &organization).await?.ok_or(Error::NotFound)?;
    Ok((organization, applicable))
}

/// What applies to an organization, to be set on paper.
pub async fn to_keep(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<paper::Terms> {
    let (_, Applicable { terms, privacy, brand_name, .. }) = applicable_to(db, organization_id).await?;
    let mut about = format!("{brand_name}, version {}", terms.version);
    if let Some(privacy) = &privacy {
        about += &format!("; privacy terms, version {}", privacy.version);
    }
    Ok(paper::Terms {
        title: "Terms of service".into(),
        about,
        at: privacy.iter().fold(terms.created_at, |at, row| at.max(row.created_at)).naive_utc(),
        texts: [Some(terms.html), privacy.map(|row| row.html)].into_iter().flatten().collect(),
    })
}

/// What applies to an organization, as it is shown.
pub async fn shown(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Terms> {
    let (organization, applicable) = applicable_to(db, organization_id).await?;
    let accepted = first_acceptance(db, organization_id, applicable.terms.id).await?;
    let is_accepted = is_accepted(db, &organization).await?;
    Ok(Terms {
        r#type: applicable.kind,
        version: applicable.terms.version,
        html: applicable.terms.html,
        brand_name: applicable.brand_name,
        privacy: applicable.privacy.map(|row| PrivacyTerms { version: row.version, html: row.html }),
        is_accepted,
        accepted_at: accepted.map(|a| a.accepted_at),
    })
}

/// Records that the member accepted what they read. Doing it again changes nothing.
pub async fn accept(app: &App, member: &Member, read: &Acceptance) -> Result<()> {
    let txn = app.store.begin().await?;
    let organization =
        organization::Entity::find_by_id(member.organization_id).one(&txn).await?.ok_or(Error::NotFound)?;
    let applicable = applicable(&txn, &organization).await?.ok_or(Error::NotFound)?;
    let privacy_version = applicable.privacy.as_ref().map(|row| row.version.as_str());
    let is_present = applicable.kind == read.r#type && applicable.terms.version == read.version;
    if !is_present || privacy_version != read.privacy_version.as_deref() {
        return Err(Error::Conflict(REPLACED.into()));
    }
    let caller = &member.caller;
    let place = (organization.id, caller.user_id);
    for terms in std::iter::once(&applicable.terms).chain(&applicable.privacy) {
        if record(&txn, terms.id, place, app.clock.now(), &caller.source_ip).await? {
            let act = Act::new(event::TERMS_ACCEPTED, "organization", organization.id)
                .detail(json!({ "scope": terms.scope, "version": terms.version }));
            audit::record(app, &txn, &Actor::from(caller), act).await?;
        }
    }
    Ok(txn.commit().await?)
}

/// Whether there is anything to read in a text once it is sanitized.
pub fn has_words(html: &str) -> bool {
    let bare = ammonia::Builder::empty().clean(html).to_string();
    bare.chars().any(char::is_alphanumeric)
}

/// Writes an acceptance for an organization by a user; `false` when it was there.
pub async fn record(
    txn: &Transaction,
    terms_id: Uuid,
    (organization_id, user_id): (Uuid, Uuid),
    at: DateTime<Utc>,
    source_ip: &str,
) -> Result<bool> {
    use terms_acceptance::Column;
    let row = terms_acceptance::ActiveModel {
        id: Set(Uuid::now_v7()),
        terms_id: Set(terms_id),
        organization_id: Set(organization_id),
        user_id: Set(user_id),
        accepted_at: Set(at),
        source_ip: Set(source_ip.to_owned()),
    };
    let once = OnConflict::columns([Column::OrganizationId, Column::TermsId, Column::UserId])
        .do_nothing()
        .to_owned();
    let added = terms_acceptance::Entity::insert(row).on_conflict(once).exec_without_returning(txn).await?;
    if added == 0 {
        return Ok(false);
    }
    organization::ActiveModel {
        id: Set(organization_id),
        eula_accepted_at: Set(Some(at)),
        ..Default::default()
    }
    .update(txn)
    .await?;
    Ok(true)
}
