//! `POST /api/admin/messages/{id}/names`: texts that may name a patient, for operators who give a reason. The
//! organization finds the reason in its audit trail.

use crate::sealed::{Summary, open_name};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Body, Id},
    text::Rule,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::entities::{attachment, message};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(message_names))
}

platform::text! {
    /// Why somebody needs to see texts that may name a patient.
    pub Reason = Rule::line(5, 250).says("Please say in 5 to 250 characters why you need to see this.");
}

#[derive(Deserialize, ToSchema)]
pub struct NamesForm {
    pub reason: Reason,
}

#[derive(Serialize, ToSchema)]
pub struct MessageNames {
    pub subject: String,
    /// In the order of the message.
    pub files: Vec<String>,
}

/// The subject of a message and the names of its files
#[utoipa::path(post, path = "/api/admin/messages/{id}/names", operation_id = "messageNames", tag = "messages",
    params(("id" = Uuid, Path)), request_body = NamesForm, responses((status = 200, body = MessageNames)))]
async fn message_names(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<NamesForm>,
) -> Result<Json<MessageNames>> {
    let db = app.store.db();
    let row = message::Entity::find_by_id(id).filter(message::Column::IsDraft.eq(false)).one(db).await?;
    let row = row.ok_or(Error::NotFound)?;
    let key = app.keys.data_key(row.organization_id).await?;
    let files = attachment::Entity::find()
        .filter(attachment::Column::MessageId.eq(id))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::Position)
        .order_by_asc(attachment::Column::Id)
        .all(db)
        .await?;
    let names = MessageNames {
        subject: Summary::open(&key, &row)?.subject,
        files: files.iter().map(|file| open_name(&key, file)).collect::<Result<_>>()?,
    };
    let txn = app.store.begin().await?;
    let act = Act::new(event::VIEWED, "message", id).detail(json!({ "reason": &*form.reason }));
    audit::record(&app, &txn, &Actor::in_organization(&caller, row.organization_id), act).await?;
    txn.commit().await?;
    Ok(Json(names))
}
