//! E-mails about the proof of identity.

use crate::person;
use email::{Email, Prepared, Recipient};
use platform::{App, Error, Member, Result, session::full_name};
use sea_orm::EntityTrait;
use serde::Serialize;
use store::entities::{app_user, organization};
use uuid::Uuid;

/// The identity is verified, and the organization's domain is being added to the address book.
#[derive(Serialize)]
pub struct IdentityVerified {
    pub first_name: String,
    pub organization: String,
    pub direct_domain: String,
    pub is_activated: bool,
}

impl Email for IdentityVerified {
    const TEMPLATE: &'static str = "identity_verified";
}

/// A photo ID has arrived and is under review.
#[derive(Serialize)]
pub struct IdentityUnderReview {
    pub first_name: String,
    pub organization: String,
}

impl Email for IdentityUnderReview {
    const TEMPLATE: &'static str = "identity_under_review";
}

/// A photo ID was refused.
#[derive(Serialize)]
pub struct IdentityNotVerified {
    pub first_name: String,
    pub organization: String,
    /// The operator's reason; may be empty.
    pub reason: String,
}

impl Email for IdentityNotVerified {
    const TEMPLATE: &'static str = "identity_not_verified";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Sign in", "/account/login".into()))
    }
}

/// Tells an operator that a photo ID waits for review.
#[derive(Serialize)]
pub struct IdentityDocumentWaits {
    pub first_name: String,
    pub organization: String,
}

impl Email for IdentityDocumentWaits {
    const TEMPLATE: &'static str = "identity_document_waits";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Look at it", "/admin/proofing".into()))
    }
}

/// Kind of the news.
#[derive(Clone, Copy)]
pub enum News<'a> {
    Verified,
    UnderReview,
    /// With the operator's reason.
    NotVerified(&'a str),
}

/// One e-mail to each operator who reviews photo IDs.
pub async fn document_waits(app: &App, member: &Member) -> Result<Vec<Prepared>> {
    if !email::is_available(app) {
        return Ok(Vec::new());
    }
    let organization = organization::Entity::find_by_id(member.organization_id).one(app.store.db()).await?;
    let organization = organization.ok_or(Error::NotFound)?.name;
    let mut mails = Vec::new();
    for operator in person::operators(app).await? {
        let Some(to) = person::recipient(&operator) else { continue };
        let mail =
            IdentityDocumentWaits { first_name: operator.first_name, organization: organization.clone() };
        mails.push(email::prepare(app, None, to, &mail).await?);
    }
    Ok(mails)
}

/// An e-mail with news for a user; `None` if no e-mail can be sent or the user has no address.
pub async fn prepare(
    app: &App,
    organization_id: Uuid,
    user_id: Uuid,
    news: News<'_>,
) -> Result<Option<Prepared>> {
    let db = app.store.db();
    let user = app_user::Entity::find_by_id(user_id).one(db).await?.ok_or(Error::NotFound)?;
    if user.email.is_empty() || !email::is_available(app) {
        return Ok(None);
    }
    let organization =
        organization::Entity::find_by_id(organization_id).one(db).await?.ok_or(Error::NotFound)?;
    let to = Recipient { name: full_name(&user), address: user.email };
    let first_name = user.first_name;
    let direct_domain = app.config.direct_domain(&organization.sub_domain);
    let is_activated = organization.is_activated;
    let organization = organization.name;
    let prepared = match news {
        News::Verified => {
            let mail = IdentityVerified { first_name, organization, direct_domain, is_activated };
            email::prepare(app, organization_id, to, &mail).await?
        }
        News::UnderReview => {
            let mail = IdentityUnderReview { first_name, organization };
            email::prepare(app, organization_id, to, &mail).await?
        }
        News::NotVerified(reason) => {
            let mail = IdentityNotVerified { first_name, organization, reason: reason.to_owned() };
            email::prepare(app, organization_id, to, &mail).await?
        }
    };
    Ok(Some(prepared))
}
