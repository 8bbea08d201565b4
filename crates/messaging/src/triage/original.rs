//! `GET /api/messages/{id}/original`: the batch of a message's document.

use super::{
    queries::{creator, files_of, open_file_name, open_part, pages_of},
    types::{OriginalFile, OriginalView},
};
use crate::messages;
use axum::{Json, extract::State};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, event},
    http::Id,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use store::entities::{triage_batch, triage_part};
use uuid::Uuid;

/// The origin of a message's document, if it comes from triage
#[utoipa::path(get, path = "/api/messages/{id}/original", operation_id = "messageOriginal", tag = "triage",
    params(("id" = Uuid, Path)), responses((status = 200, body = OriginalView)))]
pub async fn message_original(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<OriginalView>> {
    messages::queries::find(&app, &member, id).await?;
    let db = app.store.db();
    let of_organization = triage_part::Column::OrganizationId.eq(member.organization_id);
    let part = triage_part::Entity::find_by_id(id).filter(of_organization).one(db).await?;
    let part = part.ok_or(Error::NotFound)?;
    let batch = triage_batch::Entity::find_by_id(part.batch_id).one(db).await?.ok_or(Error::NotFound)?;
    let act = Act::new(event::VIEWED, "triagebatch", batch.id).detail(json!({ "message": id }));
    audit::record_read(&app, &member.caller, act).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let planned = open_part(&key, &part)?;
    let sources = files_of(db, batch.id).await?;
    let whole = planned.whole_file(&pages_of(&sources));
    let mut files = Vec::new();
    for source in &sources {
        let pages = planned.pages_of(source.position);
        if !pages.is_empty() {
            let pages = if whole == Some(source.position) { String::new() } else { pages };
            files.push(OriginalFile { id: source.id, name: open_file_name(&key, source)?, pages });
        }
    }
    Ok(Json(OriginalView {
        batch_id: batch.id,
        created_by: creator(&batch),
        created_date: batch.created_at,
        files,
    }))
}
