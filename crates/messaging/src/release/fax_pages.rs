//! `GET /api/messages/{id}/fax/pages`: preview of the pages of a fax.

use super::{
    names::organizations_of,
    rules::{self, Recipient},
};
use crate::{
    attachments::opening,
    fax::{
        numbers::queries::display,
        pages::{self, To},
        sending::queries as sending,
        settings::FaxSettings,
    },
    files::of_message,
    messages::queries as messages,
    model::Direction,
    sealed::Content,
};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use fax::FaxNumber;
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::Id,
};
use serde_json::json;
use store::entities::{document_source, message};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(fax_pages))
}

const NO_RECIPIENT: &str = "This message has no fax recipient.";
const NO_SENDER: &str =
    "You have no fax number to send from. An administrator of your organization can give you one.";

/// Preview of a message's pages for its first fax recipient
///
/// Without the header that the call prints on each page. For a draft, the last saved version.
#[utoipa::path(get, path = "/api/messages/{id}/fax/pages", operation_id = "faxPages", tag = "fax",
    params(("id" = Uuid, Path)), responses((status = 200, content_type = "application/pdf", body = Vec<u8>)))]
async fn fax_pages(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Response> {
    let row = messages::find(&app, &member, id).await?;
    if row.direction != Direction::Release {
        return Err(Error::NotFound);
    }
    opening::permit_all(&app, &member, &of_message(app.store.db(), &row).await?).await?;
    let home = FaxSettings::of(app.store.db(), member.organization_id).await?.home();
    let recipients = rules::recipients(&row.to_address, &row.cc_address, &row.bcc_address, &home);
    let number = recipients.into_iter().find_map(|(recipient, _)| match recipient {
        Recipient::Fax(number) => Some(number),
        Recipient::Direct(_) => None,
    });
    let number = number.ok_or(Error::Conflict(NO_RECIPIENT.into()))?;
    let source = source(&app, &member, &row).await?;
    let known = organizations_of(app.store.db(), [number.to_string()]).await?;
    let name = known.get(&number.to_string()).cloned().unwrap_or_default();
    let to = To { name, number: display(&number.to_string()) };
    let pdf = pages::preview(&app, &row, to, &source).await?;
    let act = Act::new(event::VIEWED, "message", id).detail(json!({ "what": "fax pages" }));
    audit::record_read(&app, &member.caller, act).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"))], pdf).into_response())
}

/// The fax number of the message, or the first of the member's.
async fn source(app: &App, member: &Member, row: &message::Model) -> Result<document_source::Model> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let content = Content::open(&key, row)?;
    let home = FaxSettings::of(db, member.organization_id).await?.home();
    let wanted = [content.fax_from.as_deref(), Some(row.from_address.as_str())];
    let wanted = wanted.into_iter().flatten().find_map(|text| FaxNumber::parse(text, &home).ok());
    let mut own = sending::numbers(db, member).await?;
    let named = wanted.and_then(|number| own.iter().position(|s| s.address_key == number.to_string()));
    if own.is_empty() {
        return Err(Error::Conflict(NO_SENDER.into()));
    }
    Ok(own.swap_remove(named.unwrap_or_default()))
}
