//! `POST /api/users/sendinvitation`: invites a person who is not in the directory.

use axum::{Json, extract::State};
use chrono::Duration;
use email::{Email, Prepared, Recipient};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, is_email},
    http::{Body, Message},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use store::{
    Transaction,
    entities::{app_user, document_source, invitation, organization},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const NAME_LIMIT: usize = 255;
/// The longest address that SMTP carries (RFC 5321, section 4.5.3.1.3, without the brackets).
const ADDRESS_LIMIT: usize = 254;
/// Most invitations that a person may send in 24 hours.
const DAILY_LIMIT: u64 = 50;
const FAILED: &str = "An error occurred while sending the invitation.";

pub fn api() -> Api {
    Api::new().route(MEMBERS, routes!(send_invitation))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub struct InvitationRequest {
    pub full_name: String,
    pub email_address: String,
    /// One of the organization's own Direct addresses, to be mentioned in the invitation.
    pub direct_address: Option<String>,
}

/// Invites somebody to use the product
#[utoipa::path(post, path = "/api/users/sendinvitation", operation_id = "sendInvitation", tag = "directory",
    request_body = InvitationRequest, responses((status = 200, body = Message)))]
async fn send_invitation(
    State(app): State<App>,
    member: Member,
    Body(body): Body<InvitationRequest>,
) -> Result<Json<Message>> {
    let to = recipient(&body)?;
    if !email::is_available(&app) {
        return Err(Error::Conflict(format!("{FAILED} No mail server is set up.").into()));
    }
    let mails = mails(&app, &member, to, own_address(&app, &member, body.direct_address).await?).await?;
    let txn = app.store.begin().await?;
    count(&app, &txn, &member).await?;
    for mail in mails {
        mail.enqueue(&txn).await?;
    }
    let act = Act::new(event::INVITED, "user", member.caller.user_id);
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(Json(Message { message: "Invitation has been sent.".into() }))
}

fn recipient(body: &InvitationRequest) -> Result<Recipient> {
    let (name, address) = (body.full_name.trim(), body.email_address.trim());
    let mut errors = FieldErrors::default();
    errors.require(!name.is_empty(), "fullName", "Full name is required.");
    errors.require(name.chars().count() <= NAME_LIMIT, "fullName", DEFAULT_FIELD_ERROR);
    let is_address = is_email(address) && address.len() <= ADDRESS_LIMIT;
    errors.require(!address.is_empty(), "emailAddress", "Email address is required.");
    errors.require(address.is_empty() || is_address, "emailAddress", "Please enter a valid email address.");
    errors.check()?;
    Ok(Recipient { name: name.into(), address: address.into() })
}

/// Looks the address up among those of the organization.
async fn own_address(app: &App, member: &Member, given: Option<String>) -> Result<Option<String>> {
    let Some(given) = given.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let refused = || Error::field("directAddress", DEFAULT_FIELD_ERROR);
    if !is_email(&given) {
        return Err(refused());
    }
    let own = member.tenant().document_sources().filter(document_source::Column::AddressKey.eq(given));
    let own = own.one(app.store.db()).await?.ok_or_else(refused)?;
    Ok(Some(own.address))
}

/// The invitation, and a copy for a sender who has an e-mail address.
async fn mails(
    app: &App,
    member: &Member,
    to: Recipient,
    direct_address: Option<String>,
) -> Result<Vec<Prepared>> {
    let db = app.store.db();
    let organization =
        organization::Entity::find_by_id(member.organization_id).one(db).await?.ok_or(Error::NotFound)?;
    let sender = app_user::Entity::find_by_id(member.caller.user_id).one(db).await?.ok_or(Error::NotFound)?;
    let invitation = Invitation {
        full_name: to.name.clone(),
        sender: member.caller.full_name.clone(),
        organization: organization.name,
        direct_address,
    };
    let mut mails = Vec::new();
    if !sender.email.is_empty() {
        let copy = InvitationCopy { invitation: invitation.clone(), email_address: to.address.clone() };
        let to = Recipient { name: member.caller.full_name.clone(), address: sender.email };
        mails.push(email::prepare(app, member.organization_id, to, &copy).await?);
    }
    mails.push(email::prepare(app, member.organization_id, to, &invitation).await?);
    Ok(mails)
}

/// Counts the invitation against the sender's daily limit.
async fn count(app: &App, txn: &Transaction, member: &Member) -> Result<()> {
    let now = app.clock.now();
    let today = invitation::Entity::find()
        .filter(invitation::Column::UserId.eq(member.caller.user_id))
        .filter(invitation::Column::CreatedAt.gt(now - Duration::days(1)))
        .count(txn)
        .await?;
    if today >= DAILY_LIMIT {
        return Err(Error::TooMany(format!("{FAILED} You can send {DAILY_LIMIT} invitations a day.").into()));
    }
    let new = invitation::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(member.organization_id),
        user_id: Set(member.caller.user_id),
        created_at: Set(now),
    };
    invitation::Entity::insert(new).exec_without_returning(txn).await?;
    Ok(())
}

/// The invitation to join.
#[derive(Clone, Serialize)]
struct Invitation {
    full_name: String,
    sender: String,
    organization: String,
    direct_address: Option<String>,
}

impl Email for Invitation {
    const TEMPLATE: &'static str = "network_invitation";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Register", "/account/register".into()))
    }
}

/// The sender's copy.
#[derive(Serialize)]
struct InvitationCopy {
    #[serde(flatten)]
    invitation: Invitation,
    email_address: String,
}

impl Email for InvitationCopy {
    const TEMPLATE: &'static str = "network_invitation_copy";
}
