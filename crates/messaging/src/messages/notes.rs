//! Notes of colleagues on an Intake message. They are sealed like the message, never leave the organization, and are
//! part of the message's API answer.

use crate::people::{PersonView, names_of};
use chrono::{DateTime, Utc};
use platform::{App, Member, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};
use serde::Serialize;
use store::{
    entities::{message, message_note, note_mention},
    keys::DataKey,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum number of notes on a message.
pub const NOTES_MAX: u64 = 200;

/// A note on a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteView {
    pub id: Uuid,
    pub text: String,
    pub author: PersonView,
    pub mentioned: Vec<PersonView>,
    pub created_at: DateTime<Utc>,
    /// The caller wrote it, and may remove it.
    pub is_own: bool,
}

/// Messages with notes that mention the caller and are newer than the caller's last visit.
pub struct Mentions {
    /// At most 100.
    pub count: u64,
    /// The newest of them.
    pub newest: Option<Uuid>,
}

const MENTIONED_MAX: u64 = 100;

pub async fn mentions(app: &App, member: &Member) -> Result<Mentions> {
    let of_caller = note_mention::Entity::find()
        .select_only()
        .column(note_mention::Column::MessageId)
        .filter(note_mention::Column::UserId.eq(member.caller.user_id))
        .filter(note_mention::Column::OrganizationId.eq(member.organization_id));
    let ids: Vec<Uuid> = member
        .tenant()
        .messages()
        .select_only()
        .column(message::Column::Id)
        .filter(message::Column::Id.in_subquery(of_caller.into_query()))
        .order_by_desc(message::Column::ReceivedAt)
        .limit(MENTIONED_MAX)
        .into_tuple()
        .all(app.store.db())
        .await?;
    Ok(Mentions { count: ids.len() as u64, newest: ids.first().copied() })
}

/// Marks the caller's mentions in a message as seen, because it was opened. Returns whether there were any.
pub async fn note_seen(app: &App, member: &Member, message_id: Uuid) -> Result<bool> {
    let seen = note_mention::Entity::delete_many()
        .filter(note_mention::Column::UserId.eq(member.caller.user_id))
        .filter(note_mention::Column::OrganizationId.eq(member.organization_id))
        .filter(note_mention::Column::MessageId.eq(message_id));
    Ok(seen.exec(app.store.db()).await?.rows_affected > 0)
}

/// The notes of a message, oldest first.
pub async fn of_message(
    app: &App,
    member: &Member,
    key: &DataKey,
    message_id: Uuid,
) -> Result<Vec<NoteView>> {
    let rows = message_note::Entity::find()
        .filter(message_note::Column::MessageId.eq(message_id))
        .filter(message_note::Column::OrganizationId.eq(member.organization_id))
        .order_by_asc(message_note::Column::CreatedAt)
        .order_by_asc(message_note::Column::Id)
        .limit(NOTES_MAX)
        .all(app.store.db())
        .await?;
    let named = rows.iter().flat_map(|row| row.mentioned.0.iter().copied().chain([row.author_id]));
    let names = names_of(app, named).await?;
    let person = |id: Uuid| PersonView { id, name: names.get(&id).cloned().unwrap_or_default() };
    rows.into_iter()
        .map(|row| {
            let text = key.open(&context(row.id), &row.sealed_text)?;
            Ok(NoteView {
                id: row.id,
                text: String::from_utf8_lossy(&text).into_owned(),
                author: person(row.author_id),
                mentioned: row.mentioned.0.iter().map(|id| person(*id)).collect(),
                created_at: row.created_at,
                is_own: row.author_id == member.caller.user_id,
            })
        })
        .collect()
}

/// Encryption context of a note's text.
pub fn context(id: Uuid) -> String {
    format!("message_note.text:{id}")
}
