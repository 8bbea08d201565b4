//! `/api/demo/emails`: the mailbox of a demonstration, which receives all e-mails of the installation.

use crate::outbox;
use axum::{Json, extract::State};
use platform::{
    App, Error, Result,
    access::PUBLIC,
    api::Api,
    http::{Id, Items},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use store::entities::email;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Number of newest e-mails in the list.
const LISTED: u64 = 50;

pub fn api() -> Api {
    Api::new().route(PUBLIC, routes!(demo_emails)).route(PUBLIC, routes!(demo_email))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoEmail {
    pub id: Uuid,
    pub to_name: String,
    pub to_address: String,
    pub subject: String,
    pub sent_at: chrono::DateTime<chrono::Utc>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoEmailContent {
    pub text: String,
    /// A complete page, to be shown in a frame without scripts.
    pub html: String,
}

/// The newest e-mails of a demonstration
#[utoipa::path(get, path = "/api/demo/emails", operation_id = "demoEmails", tag = "demo",
    responses((status = 200, body = Items<DemoEmail>), (status = 404, description = "This is no demonstration")))]
async fn demo_emails(State(app): State<App>) -> Result<Json<Items<DemoEmail>>> {
    require_demo(&app)?;
    let rows = email::Entity::find()
        .filter(email::Column::SentAt.is_not_null())
        .order_by_desc(email::Column::Id)
        .limit(LISTED)
        .all(app.store.db())
        .await?;
    let mut items = Vec::with_capacity(rows.len());
    for row in rows {
        if let (Some(letter), Some(sent_at)) = (outbox::open(&app, &row).await?, row.sent_at) {
            let (to, subject) = (letter.to, letter.subject);
            items.push(DemoEmail { id: row.id, to_name: to.name, to_address: to.address, subject, sent_at });
        }
    }
    Ok(Json(Items { items }))
}

/// One e-mail of a demonstration
#[utoipa::path(get, path = "/api/demo/emails/{id}", operation_id = "demoEmail", tag = "demo",
    params(("id" = Uuid, Path)), responses((status = 200, body = DemoEmailContent), (status = 404)))]
async fn demo_email(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<DemoEmailContent>> {
    require_demo(&app)?;
    let row = email::Entity::find_by_id(id).one(app.store.db()).await?;
    let row = row.filter(|row| row.sent_at.is_some()).ok_or(Error::NotFound)?;
    let letter = outbox::open(&app, &row).await?.ok_or(Error::NotFound)?;
    Ok(Json(DemoEmailContent { text: letter.text, html: letter.html }))
}

/// Refuses outside demonstrations: anybody may read this mailbox, so it exists for sample data only.
fn require_demo(app: &App) -> Result<()> {
    if app.config.has_demo_mailbox() { Ok(()) } else { Err(Error::NotFound) }
}
