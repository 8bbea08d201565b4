//! `/api/messages/{id}/notes`: writing notes for colleagues, and removing one's own.

use crate::{
    messages::{
        colleagues,
        notes::{NOTES_MAX, context},
        queries,
    },
    model::Direction,
    view::{MessageView, message_view},
};
use axum::{Json, extract::State};
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
    QuerySelect,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{id_list::IdList, message_note, note_mention},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of colleagues mentioned in a note.
const MENTIONS_MAX: usize = 20;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(add_note)).route(MEMBERS, routes!(remove_note))
}

platform::text! {
    /// Text of a note.
    pub NoteText = Rule::lines(1, 2_000).says("Please enter a note of up to 2,000 characters.");
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteForm {
    pub text: NoteText,
    /// Colleagues who are notified by e-mail that they are mentioned, at most 20.
    #[serde(default)]
    #[schema(max_items = 20)]
    pub mentioned: Vec<Uuid>,
}

/// E-mail to a mentioned colleague. It says nothing about the message.
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

/// Adds a note to an Intake message
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
        return Err(Error::Conflict("Notes can only be added to Intake messages.".into()));
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
    // Locked, so that concurrent notes do not exceed the limit.
    let row = queries::lock(&txn, &member, row.id).await?;
    let of_message = message_note::Column::MessageId.eq(id);
    if message_note::Entity::find().filter(of_message).count(&txn).await? >= NOTES_MAX {
        return Err(Error::Conflict("This message has 200 notes, which is the limit.".into()));
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

/// Removes one's own note
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

/// Records the mentions of colleagues, until they open the message.
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
