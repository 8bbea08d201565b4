//! `/api/messages/{id}/notes`: what colleagues write to each other about a message of the Intake. Notes are sealed like
//! the message, never leave the organization, and stand in the answer of the message itself.

use super::{
    colleagues, queries,
    view::{MessageView, PersonView, message_view, people},
};
use crate::model::Direction;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use email::Email;
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    http::{Body, Id},
    text::Rule,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, ModelTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{id_list::IdList, message, message_note, note_mention},
    keys::DataKey,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Notes of one message.
const NOTES_MAX: u64 = 200;
/// Colleagues mentioned in one note.
const MENTIONS_MAX: usize = 20;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(add_note)).route(MEMBERS, routes!(remove_note))
}

platform::text! {
    /// What a note says.
    pub NoteText = Rule::lines(1, 2_000).says("Please enter a note of up to 2,000 characters.");
}

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

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteForm {
    pub text: NoteText,
    /// Colleagues who are told by e-mail that they are named, at most 20.
    #[serde(default)]
    #[schema(max_items = 20)]
    pub mentioned: Vec<Uuid>,
}

/// Tells a colleague that a note names them. It says nothing of the message.
#[derive(Serialize)]
struct Mentioned {
    first_name: String,
    author: String,
    organization: String,
    #[serde(skip)]
    message_id: Uuid,
}

impl Email for Mentioned {
    const TEMPLATE: &'static str = "mentioned";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Open the message", format!("/intake/{}", self.message_id)))
    }
}

/// Adds a note to a message of the Intake
///
/// Mentioned colleagues get an e-mail that names neither the message nor the patient.
#[utoipa::path(post, path = "/api/messages/{id}/notes", operation_id = "addMessageNote", tag = "messages",
    params(("id" = Uuid, Path)), request_body = NoteForm, responses((status = 200, body = MessageView)))]
async fn add_note(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<NoteForm>,
) -> Result<Json<MessageView>> {
    let row = queries::find(&app, &member, id).await?;
    if row.direction != Direction::Intake {
        return Err(Error::Conflict("Only messages of the Intake have notes.".into()));
    }
    let mentioned = colleagues::named(&app, &row, "mentioned", form.mentioned, MENTIONS_MAX).await?;
    let author = &member.caller.full_name;
    let letters = colleagues::letters(&app, &member, &mentioned, |to| Mentioned {
        first_name: to.first_name,
        author: author.clone(),
        organization: to.organization,
        message_id: id,
    })
    .await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    // Locked, so that no two notes are the last one that fits.
    let row = queries::lock(&txn, &member, row.id).await?;
    let of_message = message_note::Column::MessageId.eq(id);
    if message_note::Entity::find().filter(of_message).count(&txn).await? >= NOTES_MAX {
        return Err(Error::Conflict("This message has as many notes as it can have.".into()));
    }
    let note = Uuid::now_v7();
    message_note::ActiveModel {
        id: Set(note),
        organization_id: Set(member.organization_id),
        message_id: Set(id),
        author_id: Set(member.caller.user_id),
        sealed_text: Set(key.seal(&context(note), form.text.as_bytes())),
        mentioned: Set(IdList(mentioned.clone())),
        created_at: Set(app.clock.now()),
    }
    .insert(&txn)
    .await?;
    mention(&txn, &member, id, note, &mentioned).await?;
    for letter in letters {
        letter.enqueue(&txn).await?;
    }
    let act = Act::new(event::CREATED, "note", note).detail(json!({ "message": id, "mentioned": mentioned }));
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    queries::announce(&app, &row).await;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Removes an own note
#[utoipa::path(delete, path = "/api/messages/{id}/notes/{noteId}", operation_id = "removeMessageNote",
    tag = "messages", params(("id" = Uuid, Path), ("noteId" = Uuid, Path)),
    responses((status = 200, body = MessageView), (status = 403, description = "Somebody else wrote it")))]
async fn remove_note(
    State(app): State<App>,
    member: Member,
    Id((id, note_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<MessageView>> {
    let row = queries::find(&app, &member, id).await?;
    let txn = app.store.begin().await?;
    let note = message_note::Entity::find_by_id(note_id)
        .filter(message_note::Column::MessageId.eq(row.id))
        .filter(message_note::Column::OrganizationId.eq(member.organization_id))
        .lock_exclusive()
        .one(&txn)
        .await?
        .ok_or(Error::NotFound)?;
    if note.author_id != member.caller.user_id {
        return Err(Error::Forbidden);
    }
    note.delete(&txn).await?;
    let of_note = note_mention::Column::NoteId.eq(note_id);
    note_mention::Entity::delete_many().filter(of_note).exec(&txn).await?;
    let act = Act::new(event::DELETED, "note", note_id).detail(json!({ "message": id }));
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    queries::announce(&app, &row).await;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Notes that colleagues are named, until they open the message.
async fn mention(
    txn: &Transaction,
    member: &Member,
    message_id: Uuid,
    note_id: Uuid,
    mentioned: &[Uuid],
) -> Result<()> {
    let row = |user_id: &Uuid| note_mention::ActiveModel {
        note_id: Set(note_id),
        user_id: Set(*user_id),
        organization_id: Set(member.organization_id),
        message_id: Set(message_id),
    };
    if !mentioned.is_empty() {
        let rows = mentioned.iter().map(row);
        note_mention::Entity::insert_many(rows).exec_without_returning(txn).await?;
    }
    Ok(())
}

/// Messages in whose notes the caller is named since they opened them.
pub struct Mentions {
    /// A hundred at most.
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

/// The caller opened a message: what names them there is no news any more. Returns whether anything was.
pub async fn note_seen(app: &App, member: &Member, message_id: Uuid) -> Result<bool> {
    let seen = note_mention::Entity::delete_many()
        .filter(note_mention::Column::UserId.eq(member.caller.user_id))
        .filter(note_mention::Column::OrganizationId.eq(member.organization_id))
        .filter(note_mention::Column::MessageId.eq(message_id));
    Ok(seen.exec(app.store.db()).await?.rows_affected > 0)
}

/// The notes of a message, the oldest first.
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
    let names = people(app, named).await?;
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

fn context(id: Uuid) -> String {
    format!("message_note.text:{id}")
}
