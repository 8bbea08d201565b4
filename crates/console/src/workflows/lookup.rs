//! `/api/utilities`: finds the message and workflow of an identifier.

use super::identifiers::{listed, uuid_of};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{Act, event, record_read},
    http::{Body, Items, Params},
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::entities::{
    app_user, attachment, fax_attempt, interface_reception,
    message::{self, Direction, SourceType, Status},
    organization, workflow, workflow_step,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const IDS_MAX: usize = 500;
/// A Message-ID (RFC 5322 section 2.1.1).
const ID_LENGTH_MAX: usize = 998;
/// Maximum number of messages of one identifier: the sender's and those of receiving organizations of this
/// installation.
const MESSAGES_MAX: u64 = 20;
const WORKFLOWS_MAX: u64 = 50;
const STEPS_MAX: u64 = 200;

const ID_NEEDED: &str = "Please enter a message id or a workflow id.";
const TOO_MANY: &str = "Please enter at most 500 ids.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(look_up_identifier))
        .route(SYSADMINS, routes!(decode_mail_messages))
        .route(SYSADMINS, routes!(decode_object_ids))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdentifierQuery {
    /// Id of a message or a workflow; or a Message-ID, a fax provider's id of a call, or an interface's id of a
    /// message (MSH-10, the unique id of a submission set).
    pub id: String,
}

/// A step of a workflow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundStep {
    pub id: Uuid,
    pub name: String,
    #[schema(value_type = String)]
    pub status: String,
    pub attempt: i32,
    pub run_at: DateTime<Utc>,
    pub error: Option<String>,
}

/// A workflow with its steps.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundWorkflow {
    pub id: Uuid,
    pub kind: String,
    pub status: String,
    pub create_date: DateTime<Utc>,
    pub end_date: Option<DateTime<Utc>>,
    pub steps: Vec<FoundStep>,
}

/// The records of an identifier, without patient data.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// None for a workflow without a message.
    pub message_id: Option<Uuid>,
    /// The workflow that sent or received the message, or the requested one.
    pub workflow_id: Option<Uuid>,
    /// None for workflows of the platform.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    /// Intake or Release
    pub direction: Option<String>,
    pub source_type: Option<SourceType>,
    pub status: Option<Status>,
    pub message_date: Option<DateTime<Utc>>,
    pub workflows: Vec<FoundWorkflow>,
}

/// Finds the messages and workflows of an identifier
#[utoipa::path(get, path = "/api/utilities", operation_id = "lookUpIdentifier", tag = "utilities",
    params(IdentifierQuery), responses((status = 200, body = Items<Found>)))]
async fn look_up_identifier(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<IdentifierQuery>,
) -> Result<Json<Items<Found>>> {
    let id = query.id.trim();
    if id.is_empty() || id.len() > ID_LENGTH_MAX {
        return Err(Error::field("id", ID_NEEDED));
    }
    let db = app.store.db();
    let messages = messages_of(db, id).await?;
    let mut items = Vec::with_capacity(messages.len());
    for message in messages {
        items.push(found(db, message).await?);
    }
    if items.is_empty()
        && let Some(id) = uuid_of(id)
        && let Some(row) = workflow::Entity::find_by_id(id).one(db).await?
    {
        items.push(found_workflow(db, row).await?);
    }
    if items.is_empty() {
        return Err(Error::NotFound);
    }
    for item in &items {
        let object = item.message_id.or(item.workflow_id).unwrap_or_default();
        record_read(&app, &caller, Act::new(event::READ, "identifier", object)).await?;
    }
    Ok(Json(Items { items }))
}

/// The messages of an identifier.
async fn messages_of(db: &impl ConnectionTrait, id: &str) -> Result<Vec<message::Model>> {
    let by = |condition| message::Entity::find().filter(condition).limit(MESSAGES_MAX);
    if let Some(id) = uuid_of(id) {
        if let Some(found) = message::Entity::find_by_id(id).one(db).await? {
            return Ok(vec![found]);
        }
        let Some(row) = workflow::Entity::find_by_id(id).one(db).await? else { return Ok(Vec::new()) };
        return Ok(by(message::Column::Id.eq(row.object_id)).all(db).await?);
    }
    let bare = id.trim_start_matches('<').trim_end_matches('>');
    let found =
        by(message::Column::RfcMessageId.is_in([id, bare])).order_by_asc(message::Column::Id).all(db).await?;
    if !found.is_empty() {
        return Ok(found);
    }
    let mut named: Vec<Uuid> = fax_attempt::Entity::find()
        .select_only()
        .column(fax_attempt::Column::MessageId)
        .filter(fax_attempt::Column::RemoteId.eq(id))
        .limit(MESSAGES_MAX)
        .into_tuple()
        .all(db)
        .await?;
    if named.is_empty() {
        let kept: Vec<Option<Uuid>> = interface_reception::Entity::find()
            .select_only()
            .column(interface_reception::Column::MessageId)
            .filter(interface_reception::Column::PartnerId.eq(id))
            .limit(MESSAGES_MAX)
            .into_tuple()
            .all(db)
            .await?;
        named = kept.into_iter().flatten().collect();
    }
    Ok(by(message::Column::Id.is_in(named)).all(db).await?)
}

async fn found(db: &impl ConnectionTrait, message: message::Model) -> Result<Found> {
    let workflows = workflow::Entity::find()
        .filter(workflow::Column::ObjectId.eq(message.id))
        .order_by_asc(workflow::Column::Id)
        .limit(WORKFLOWS_MAX)
        .all(db)
        .await?;
    let direction = if message.direction == Direction::Intake { "Intake" } else { "Release" };
    Ok(Found {
        message_id: Some(message.id),
        workflow_id: message.workflow_id.or_else(|| workflows.first().map(|w| w.id)),
        organization_id: Some(message.organization_id),
        organization_name: name_of(db, message.organization_id).await?,
        direction: Some(direction.into()),
        source_type: Some(message.source_type),
        status: Some(message.status),
        message_date: Some(message.message_date),
        workflows: with_steps(db, workflows).await?,
    })
}

async fn found_workflow(db: &impl ConnectionTrait, row: workflow::Model) -> Result<Found> {
    let organization_id = (!row.organization_id.is_nil()).then_some(row.organization_id);
    Ok(Found {
        message_id: None,
        workflow_id: Some(row.id),
        organization_id,
        organization_name: name_of(db, row.organization_id).await?,
        direction: None,
        source_type: None,
        status: None,
        message_date: None,
        workflows: with_steps(db, vec![row]).await?,
    })
}

async fn name_of(db: &impl ConnectionTrait, id: Uuid) -> Result<Option<String>> {
    Ok(organization::Entity::find_by_id(id).one(db).await?.map(|o| o.name))
}

async fn with_steps(db: &impl ConnectionTrait, rows: Vec<workflow::Model>) -> Result<Vec<FoundWorkflow>> {
    let all = workflow_step::Entity::find()
        .filter(workflow_step::Column::WorkflowId.is_in(rows.iter().map(|w| w.id)))
        .order_by_asc(workflow_step::Column::Stage)
        .order_by_asc(workflow_step::Column::Id)
        .limit(STEPS_MAX)
        .all(db)
        .await?;
    let mut steps: HashMap<Uuid, Vec<FoundStep>> = HashMap::new();
    for step in all {
        steps.entry(step.workflow_id).or_default().push(FoundStep {
            id: step.id,
            name: step.name,
            status: step.status.to_string(),
            attempt: step.attempt,
            run_at: step.run_at,
            error: step.error,
        });
    }
    let shown = |row: workflow::Model| FoundWorkflow {
        steps: steps.remove(&row.id).unwrap_or_default(),
        id: row.id,
        kind: row.kind,
        status: row.status.to_string(),
        create_date: row.created_at,
        end_date: row.ended_at,
    };
    Ok(rows.into_iter().map(shown).collect())
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectIds {
    /// Identifiers of messages or workflows, also Message-IDs; at most 500.
    pub object_ids: Vec<String>,
}

/// The message and the workflow of an identifier; both null if not found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectIdSearchResult {
    pub object_id: String,
    pub mail_message_id: Option<Uuid>,
    pub workflow_id: Option<Uuid>,
}

fn checked<'a>(field: &str, ids: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>> {
    let ids = listed(ids);
    if ids.is_empty() {
        return Err(Error::field(field, ID_NEEDED));
    }
    if ids.len() > IDS_MAX {
        return Err(Error::field(field, TOO_MANY));
    }
    Ok(ids)
}

/// Finds the messages and workflows of many identifiers
#[utoipa::path(post, path = "/api/utilities/mailmessages/objectids", operation_id = "decodeMailMessages",
    tag = "utilities", request_body = ObjectIds, responses((status = 200, body = Items<ObjectIdSearchResult>)))]
async fn decode_mail_messages(
    State(app): State<App>,
    Body(form): Body<ObjectIds>,
) -> Result<Json<Items<ObjectIdSearchResult>>> {
    let ids = checked("objectIds", form.object_ids.iter().map(String::as_str))?;
    let db = app.store.db();
    let uuids: BTreeSet<Uuid> = ids.iter().filter_map(|id| uuid_of(id)).collect();
    let workflows: HashMap<Uuid, Uuid> = workflow::Entity::find()
        .filter(workflow::Column::Id.is_in(uuids.iter().copied()))
        .all(db)
        .await?
        .into_iter()
        .map(|w| (w.id, w.object_id))
        .collect();
    let wanted: BTreeSet<Uuid> = uuids.iter().copied().chain(workflows.values().copied()).collect();
    let others =
        ids.iter().filter(|id| uuid_of(id).is_none()).map(|id| id.trim_matches(['<', '>']).to_owned());
    let mut by_rfc: BTreeMap<String, (Uuid, Option<Uuid>)> = BTreeMap::new();
    let mut messages: HashMap<Uuid, Option<Uuid>> = HashMap::new();
    type Ids = (Uuid, Option<Uuid>, Option<String>);
    let columns = || {
        use message::Column;
        message::Entity::find().select_only().columns([Column::Id, Column::WorkflowId, Column::RfcMessageId])
    };
    let found: Vec<Ids> = columns().filter(message::Column::Id.is_in(wanted)).into_tuple().all(db).await?;
    messages.extend(found.into_iter().map(|(id, workflow_id, _)| (id, workflow_id)));
    let found: Vec<Ids> = columns()
        .filter(message::Column::RfcMessageId.is_in(others))
        .limit(10 * IDS_MAX as u64)
        .into_tuple()
        .all(db)
        .await?;
    for (id, workflow_id, rfc) in found {
        // If several have the same Message-ID, the sender's, which is the oldest.
        let first = by_rfc.entry(rfc.unwrap_or_default()).or_insert((id, workflow_id));
        if id < first.0 {
            *first = (id, workflow_id);
        }
    }
    let item = |object_id: String| {
        let (message, workflow) = match uuid_of(&object_id) {
            Some(id) if messages.contains_key(&id) => (Some(id), messages[&id]),
            Some(id) => (
                workflows.get(&id).copied().filter(|m| messages.contains_key(m)),
                workflows.get(&id).map(|_| id),
            ),
            None => match by_rfc.get(object_id.trim_matches(['<', '>'])) {
                Some((id, workflow_id)) => (Some(*id), *workflow_id),
                None => (None, None),
            },
        };
        ObjectIdSearchResult { object_id, mail_message_id: message, workflow_id: workflow }
    };
    Ok(Json(Items { items: ids.into_iter().map(item).collect() }))
}

/// The record of an identifier.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectIdDecodeResult {
    pub object_id: String,
    /// The key of the record in the database; null if not found.
    pub db_entity_id: Option<Uuid>,
    /// Message, Workflow, Attachment, Organization or User
    pub entity: Option<&'static str>,
    /// Null if the text is not an identifier.
    pub uuid: Option<Uuid>,
}

#[derive(Deserialize, ToSchema)]
pub struct ObjectIdList(pub Vec<String>);

/// Finds the records of many identifiers
#[utoipa::path(post, path = "/api/utilities/objectids", operation_id = "decodeObjectIds", tag = "utilities",
    request_body = ObjectIdList, responses((status = 200, body = Items<ObjectIdDecodeResult>)))]
async fn decode_object_ids(
    State(app): State<App>,
    Body(ObjectIdList(given)): Body<ObjectIdList>,
) -> Result<Json<Items<ObjectIdDecodeResult>>> {
    let ids = checked("objectIds", given.iter().map(String::as_str))?;
    let db = app.store.db();
    let wanted: BTreeSet<Uuid> = ids.iter().filter_map(|id| uuid_of(id)).collect();
    let mut known: HashMap<Uuid, &'static str> = HashMap::new();
    macro_rules! look_in {
        ($($entity:ident $name:literal),+) => { $(
            let found: Vec<Uuid> = $entity::Entity::find()
                .select_only()
                .column($entity::Column::Id)
                .filter($entity::Column::Id.is_in(wanted.iter().copied()))
                .into_tuple()
                .all(db)
                .await?;
            known.extend(found.into_iter().map(|id| (id, $name)));
        )+ };
    }
    look_in!(message "Message", workflow "Workflow", attachment "Attachment", organization "Organization", app_user "User");
    let item = |object_id: String| {
        let uuid = uuid_of(&object_id);
        let entity = uuid.and_then(|id| known.get(&id).copied());
        ObjectIdDecodeResult { object_id, db_entity_id: uuid.filter(|_| entity.is_some()), entity, uuid }
    };
    Ok(Json(Items { items: ids.into_iter().map(item).collect() }))
}
