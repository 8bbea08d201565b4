//! The applicable terms of organizations, and their acceptance.

use super::{
    paper,
    types::{Acceptance, PrivacyTerms, Terms, TermsType},
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result, Role,
    audit::{self, Act, Actor, event},
    terms::{RESELLER, STANDARD, Scopes, Source, scopes},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, OnConflict},
};
use serde_json::json;
use store::{
    Transaction,
    entities::{brand, organization, terms, terms_acceptance},
};
use uuid::Uuid;

const REPLACED: &str = "These terms have been replaced by a newer version. Please read the new ones.";

/// The product's own texts, with the same ids on every node.
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

/// Adds the product's own terms to a database without any.
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
        activated_at: Set(None),
    }
}

/// The terms of an organization; none if the operator has no active ones.
pub struct Applicable {
    pub kind: TermsType,
    pub terms: terms::Model,
    /// The privacy terms that are accepted with them, if any.
    pub privacy: Option<terms::Model>,
    brand_name: String,
}

/// Finds the applicable terms: the reseller's if it replaces the standard terms, else the brand's, else the standard
/// ones.
pub async fn applicable(
    db: &impl ConnectionTrait,
    organization: &organization::Model,
) -> Result<Option<Applicable>> {
    let brand = brand::Entity::find_by_id(organization.brand_id).one(db).await?.ok_or(Error::NotFound)?;
    let Scopes { source, terms, privacy } = scopes(db, organization).await?;
    let kind = match source {
        Source::Standard => TermsType::Standard,
        Source::Brand => TermsType::Brand,
        Source::Reseller => TermsType::Reseller,
    };
    if let Some(terms) = first_active(db, &terms).await? {
        let privacy = first_active(db, &privacy).await?;
        return Ok(Some(Applicable { kind, terms, privacy, brand_name: brand.display_name }));
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

/// Whether the organization accepted its current terms.
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
        .filter(terms_acceptance::Column::ForOrganization.eq(true))
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

/// The terms of an organization, for the PDF.
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

/// The terms of an organization, in the shape of the API.
pub async fn current_terms(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Terms> {
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

/// Records that the member accepted the terms; an administrator accepts for the organization too. Repeating it
/// changes nothing.
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
    let by = By {
        organization_id: organization.id,
        user_id: caller.user_id,
        for_organization: caller.has(Role::Admin),
        source_ip: &caller.source_ip,
    };
    for terms in std::iter::once(&applicable.terms).chain(&applicable.privacy) {
        if record(&txn, terms.id, &by, app.clock.now()).await? {
            let act = Act::new(event::TERMS_ACCEPTED, "organization", organization.id)
                .detail(json!({ "scope": terms.scope, "version": terms.version,
                    "forOrganization": by.for_organization }));
            audit::record(app, &txn, &Actor::from(caller), act).await?;
        }
    }
    Ok(txn.commit().await?)
}

/// Whether a text is not empty after sanitizing.
pub fn has_words(html: &str) -> bool {
    let bare = ammonia::Builder::empty().clean(html).to_string();
    bare.chars().any(char::is_alphanumeric)
}

/// The accepting user, and the organization if they accept for it.
pub struct By<'a> {
    pub organization_id: Uuid,
    pub user_id: Uuid,
    /// Administrators accept for the organization too.
    pub for_organization: bool,
    pub source_ip: &'a str,
}

/// Stores an acceptance; `false` if it already existed.
pub async fn record(txn: &Transaction, terms_id: Uuid, by: &By<'_>, at: DateTime<Utc>) -> Result<bool> {
    use terms_acceptance::Column;
    let row = terms_acceptance::ActiveModel {
        id: Set(Uuid::now_v7()),
        terms_id: Set(terms_id),
        organization_id: Set(by.organization_id),
        user_id: Set(by.user_id),
        accepted_at: Set(at),
        source_ip: Set(by.source_ip.to_owned()),
        for_organization: Set(by.for_organization),
    };
    let once = OnConflict::columns([Column::OrganizationId, Column::TermsId, Column::UserId])
        .do_nothing()
        .to_owned();
    let added = terms_acceptance::Entity::insert(row).on_conflict(once).exec_without_returning(txn).await?;
    if !by.for_organization {
        return Ok(added > 0);
    }
    if added == 0 && !counts_now(txn, terms_id, by).await? {
        return Ok(false);
    }
    organization::ActiveModel {
        id: Set(by.organization_id),
        eula_accepted_at: Set(Some(at)),
        ..Default::default()
    }
    .update(txn)
    .await?;
    Ok(true)
}

/// Extends a user's own acceptance to the organization, now that they administer it; returns `false` if it already
/// counted.
async fn counts_now(txn: &Transaction, terms_id: Uuid, by: &By<'_>) -> Result<bool> {
    use terms_acceptance::Column;
    let changed = terms_acceptance::Entity::update_many()
        .col_expr(Column::ForOrganization, Expr::value(true))
        .filter(Column::TermsId.eq(terms_id))
        .filter(Column::OrganizationId.eq(by.organization_id))
        .filter(Column::UserId.eq(by.user_id))
        .filter(Column::ForOrganization.eq(false))
        .exec(txn)
        .await?;
    Ok(changed.rows_affected > 0)
}
