//! The entity sets. Patient data (subjects, names of files) is not among their properties: `POST
//! /api/admin/messages/{id}/names` shows it for a stated reason.

use super::{
    filter::{Filtered, Kind, Properties, conditions, refused},
    parser::{Comparison, Literal, Operator, Options, options},
};
use crate::workflows::{
    types::span,
    view::{numbered_files, origin},
};
use ::workflow::names;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Result,
    access::{OPERATORS, SYSADMINS},
    api::Api,
    http::{COUNT_CAP, Id, Page, Params},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use store::entities::{
    attachment, attachment_number, message, message::SourceType, message_event, message_number, step_attempt,
    step_attempt::AttemptOutcome, workflow, workflow_step,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(odata_messages))
        .route(SYSADMINS, routes!(odata_attachments))
        .route(SYSADMINS, routes!(odata_conversions))
        .route(OPERATORS, routes!(odata_events))
}

const TOP: u64 = 20;
const TOP_OF_EVENTS: u64 = 5;
const TOP_MAX: u64 = 100;
/// Maximum number of a file's last conversions that are read.
const CONVERSIONS_MAX: u64 = 1_000;
/// The workflows that convert a file: for display, and in place.
const CONVERSIONS: [&str; 2] = [names::PREVIEW, names::TRANSFORM];

/// The query options, for the API description; [`options`] parses them.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it only describes")]
pub struct ODataOptions {
    /// Comparisons joined by `and`, such as `IsDraft eq false and MailMessageId lt 1000`. Texts are in single quotes
    #[param(rename = "$filter")]
    pub filter: Option<String>,
    /// One property with `asc` or `desc`
    #[param(rename = "$orderby")]
    pub orderby: Option<String>,
    /// Number of rows in the answer, at most 100
    #[param(rename = "$top")]
    pub top: Option<u64>,
    /// Number of rows to skip, below 10,000; for further rows, compare ids
    #[param(rename = "$skip")]
    pub skip: Option<u64>,
    /// Whether the answer includes the number of rows
    #[param(rename = "$count")]
    pub count: Option<bool>,
}

/// Rows of an entity set.
#[derive(Debug, Serialize, ToSchema)]
pub struct ODataRows<T> {
    /// Only if requested; exact up to 10,000.
    #[serde(rename = "@odata.count", skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    pub value: Vec<T>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ODataMessage {
    pub mail_message_id: i64,
    /// Id of the message in the organization.
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub sender: String,
    pub mail_to: String,
    /// Release for sent messages; Direct, Fax, Upload or Triage for received ones.
    pub origin: String,
    pub workflow_id: Option<Uuid>,
    /// 0 Sent, 1 Received, 2 Pending, 3 Signed, 4 Suspended, 5 Deleted, 6 Removed, 7 Forwarded, 8 Replied, 9 Processed,
    /// 10 Uploaded, 11 Triaged, 12 Failed
    pub status: i16,
    pub is_draft: bool,
    /// Time of writing.
    pub created_date: DateTime<Utc>,
    pub system_received_date: DateTime<Utc>,
    pub hisp_message_id: Option<String>,
    /// Always null: the id belongs to a network that this installation is not part of.
    pub surescripts_document_message_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ODataAttachment {
    pub mail_attachment_id: i64,
    /// Always null: a name may be a patient's.
    pub name: Option<String>,
    pub mime_type: String,
    pub size: i64,
    pub preview_available: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ODataConversion {
    pub mail_attachment_id: i64,
    /// Always null: a name may be a patient's.
    pub document_name: Option<String>,
    pub document_extension: String,
    pub document_size: i64,
    /// Hours, minutes and seconds.
    pub process_time: String,
    /// The node that converted it.
    pub system_name: String,
    pub date: DateTime<Utc>,
    pub outcome: AttemptOutcome,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ODataEvent {
    pub mail_message_id: i64,
    pub origin: String,
    pub event_type: String,
    pub created_date: DateTime<Utc>,
    pub system_received_date: DateTime<Utc>,
}

type Query = Params<BTreeMap<String, String>>;

fn read(query: &BTreeMap<String, String>) -> Result<Options> {
    options(query).map_err(|wrong| refused(&wrong.option, wrong.reason))
}

impl Options {
    fn page(&self, top: u64) -> Result<Page> {
        let (skip, top) = (self.skip, self.top.unwrap_or(top));
        if top == 0 || top > TOP_MAX {
            return Err(refused("$top", "It is 1 to 100."));
        }
        Page::starting_at(skip, Some(top), TOP, TOP_MAX)
            .map_err(|_| refused("$skip", "It must be below 10,000. For further rows, compare ids."))
    }

    /// The required comparison with the rows' owner.
    fn owner(&self, property: &str) -> Result<i64> {
        let owner = self.filter.iter().find_map(|comparison| match comparison {
            Comparison { property: given, operator: Operator::Eq, value: Literal::Number(number) }
                if given == property =>
            {
                Some(*number)
            }
            _ => None,
        });
        let needed = || refused("$filter", format!("Please filter by {property}, such as: {property} eq 1."));
        owner.ok_or_else(needed)
    }

    /// As [`Self::owner`], if no other comparison is supported.
    fn only(&self, property: &str) -> Result<i64> {
        if self.filter.len() > 1 {
            return Err(refused("$filter", format!("These rows can only be filtered by {property}.")));
        }
        self.owner(property)
    }

    fn without_order(self) -> Result<Self> {
        match self.order {
            Some(_) => Err(refused("$orderby", "The order of these rows cannot be changed.")),
            None => Ok(self),
        }
    }
}

#[derive(FromQueryResult)]
struct Numbered {
    number: i64,
    message_id: Uuid,
}

#[derive(FromQueryResult)]
struct Count {
    n: i64,
}

/// Messages of all organizations. `$filter` by any property but SurescriptsDocumentMessageId, `$orderby` MailMessageId
#[utoipa::path(get, path = "/odata/mailmessages", operation_id = "odataMessages", tag = "odata",
    params(ODataOptions), responses((status = 200, body = ODataRows<ODataMessage>)))]
async fn odata_messages(
    State(app): State<App>,
    Params(query): Query,
) -> Result<Json<ODataRows<ODataMessage>>> {
    let options = read(&query)?;
    let page = options.page(TOP)?;
    let order = match &options.order {
        None => "DESC",
        Some(order) if order.property == "MailMessageId" => {
            if order.is_descending {
                "DESC"
            } else {
                "ASC"
            }
        }
        Some(_) => return Err(refused("$orderby", "Messages can only be ordered by MailMessageId.")),
    };
    let (conditions, values) = conditions(&options.filter)?;
    let (db, backend) = (app.store.db(), app.store.db().get_database_backend());
    // A cross join stops SQLite from starting with the messages, and sorting all of them.
    let from = format!(
        "FROM message_number AS numbered CROSS JOIN message WHERE message.id = numbered.message_id{conditions}"
    );
    let rows = format!(
        "SELECT numbered.number, numbered.message_id {from} ORDER BY numbered.number {order} LIMIT {} OFFSET {}",
        page.size,
        page.offset()
    );
    let rows = Statement::from_sql_and_values(backend, rows, values.clone());
    let rows = Numbered::find_by_statement(rows).all(db).await?;
    let count = if options.count {
        let sql = format!("SELECT COUNT(*) AS n FROM (SELECT 1 {from} LIMIT {}) AS counted", COUNT_CAP);
        let counted = Count::find_by_statement(Statement::from_sql_and_values(backend, sql, values));
        Some(counted.one(db).await?.map_or(0, |count| count.n as u64))
    } else {
        None
    };
    let messages = message::Entity::find()
        .filter(message::Column::Id.is_in(rows.iter().map(|row| row.message_id)))
        .all(db)
        .await?;
    let mut messages: HashMap<Uuid, message::Model> = messages.into_iter().map(|row| (row.id, row)).collect();
    let view = |row: Numbered| Some(message_view(row.number, messages.remove(&row.message_id)?));
    Ok(Json(ODataRows { count, value: rows.into_iter().filter_map(view).collect() }))
}

fn message_view(number: i64, row: message::Model) -> ODataMessage {
    ODataMessage {
        mail_message_id: number,
        message_id: row.id,
        organization_id: row.organization_id,
        origin: origin(&row).into(),
        sender: row.from_address,
        mail_to: row.to_address,
        workflow_id: row.workflow_id,
        status: row.status as i16,
        is_draft: row.is_draft,
        created_date: row.message_date,
        system_received_date: row.received_at,
        hisp_message_id: row.rfc_message_id.filter(|_| row.source_type == SourceType::DirectMessage),
        surescripts_document_message_id: None,
    }
}

impl Filtered for ODataAttachment {
    const PROPERTIES: Properties = &[
        ("MailAttachmentId", Kind::Number),
        ("MimeType", Kind::Text),
        ("Size", Kind::Number),
        ("PreviewAvailable", Kind::Boolean),
    ];

    fn value(&self, property: &str) -> Literal {
        match property {
            "MailAttachmentId" => Literal::Number(self.mail_attachment_id),
            "MimeType" => Literal::Text(self.mime_type.clone()),
            "Size" => Literal::Number(self.size),
            _ => Literal::Boolean(self.preview_available),
        }
    }
}

impl Filtered for ODataConversion {
    const PROPERTIES: Properties = &[
        ("MailAttachmentId", Kind::Number),
        ("DocumentExtension", Kind::Text),
        ("DocumentSize", Kind::Number),
        ("SystemName", Kind::Text),
        ("Date", Kind::Time),
        ("Outcome", Kind::Text),
    ];

    fn value(&self, property: &str) -> Literal {
        match property {
            "MailAttachmentId" => Literal::Number(self.mail_attachment_id),
            "DocumentExtension" => Literal::Text(self.document_extension.clone()),
            "DocumentSize" => Literal::Number(self.document_size),
            "SystemName" => Literal::Text(self.system_name.clone()),
            "Date" => Literal::Time(self.date),
            _ => Literal::Text(self.outcome.to_string()),
        }
    }
}

/// The requested part of the complete list of rows.
fn part<T: Filtered>(rows: Vec<T>, options: &Options) -> Result<Json<ODataRows<T>>> {
    let page = options.page(TOP)?;
    let rows = T::filtered(rows, options)?;
    let count = options.count.then_some(rows.len() as u64);
    let value = rows.into_iter().skip(page.offset() as usize).take(page.size as usize).collect();
    Ok(Json(ODataRows { count, value }))
}

/// The files of a message, such as `/odata/mailmessages(1)/MailAttachments`. `$filter` by any property but Name
#[utoipa::path(get, path = "/odata/mailmessages/{id}/MailAttachments", operation_id = "odataAttachments",
    tag = "odata", params(("id" = i64, Path), ODataOptions),
    responses((status = 200, body = ODataRows<ODataAttachment>)))]
async fn odata_attachments(
    State(app): State<App>,
    Id(number): Id<i64>,
    Params(query): Query,
) -> Result<Json<ODataRows<ODataAttachment>>> {
    let options = read(&query)?.without_order()?;
    let message_id = message_of(app.store.db(), number).await?.ok_or(Error::NotFound)?;
    let files = numbered_files(app.store.db(), std::iter::once(message_id)).await?;
    let view = |(number, file): (i64, attachment::Model)| ODataAttachment {
        mail_attachment_id: number,
        name: None,
        size: file.size_bytes,
        preview_available: file.pdf_blob_id.is_some() || file.mime_type == "application/pdf",
        mime_type: file.mime_type,
    };
    part(files.into_iter().map(view).collect(), &options)
}

async fn message_of(db: &impl ConnectionTrait, number: i64) -> Result<Option<Uuid>> {
    Ok(message_number::Entity::find_by_id(number).one(db).await?.map(|row| row.message_id))
}

/// Duration and place of file conversions. `$filter` by MailAttachmentId, and by any other property but DocumentName
/// and ProcessTime
#[utoipa::path(get, path = "/odata/conversionperformance", operation_id = "odataConversions", tag = "odata",
    params(ODataOptions), responses((status = 200, body = ODataRows<ODataConversion>)))]
async fn odata_conversions(
    State(app): State<App>,
    Params(query): Query,
) -> Result<Json<ODataRows<ODataConversion>>> {
    let options = read(&query)?.without_order()?;
    let number = options.owner("MailAttachmentId")?;
    let db = app.store.db();
    let file = match attachment_number::Entity::find_by_id(number).one(db).await? {
        Some(row) => attachment::Entity::find_by_id(row.attachment_id).one(db).await?,
        None => None,
    };
    let rows = match file {
        Some(file) => conversions(db, number, file).await?,
        None => Vec::new(),
    };
    part(rows, &options)
}

/// The conversions of a file, latest first.
async fn conversions(
    db: &impl ConnectionTrait,
    number: i64,
    file: attachment::Model,
) -> Result<Vec<ODataConversion>> {
    let workflows: Vec<Uuid> = workflow::Entity::find()
        .select_only()
        .column(workflow::Column::Id)
        .filter(workflow::Column::ObjectId.eq(file.id))
        .filter(workflow::Column::Kind.is_in(CONVERSIONS))
        .into_tuple()
        .all(db)
        .await?;
    let attempts = step_attempt::Entity::find()
        .filter(step_attempt::Column::WorkflowId.is_in(workflows))
        .order_by_desc(step_attempt::Column::EndedAt)
        .order_by_desc(step_attempt::Column::Id)
        .limit(CONVERSIONS_MAX)
        .all(db)
        .await?;
    let steps = workflow_step::Entity::find()
        .filter(workflow_step::Column::Id.is_in(attempts.iter().map(|attempt| attempt.step_id)))
        .all(db)
        .await?;
    // The size of the file at the time of the conversion.
    let sources: HashMap<Uuid, _> = steps.into_iter().map(|step| (step.id, step.meta)).collect();
    let source =
        |attempt: &step_attempt::Model, field: &str| sources.get(&attempt.step_id)?.get(field).cloned();
    let view = |attempt: step_attempt::Model| ODataConversion {
        mail_attachment_id: number,
        document_name: None,
        document_extension: source(&attempt, "kind")
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_else(|| file.kind.clone()),
        document_size: source(&attempt, "size_bytes")
            .and_then(|size| size.as_i64())
            .unwrap_or(file.size_bytes),
        process_time: span(attempt.started_at, attempt.ended_at),
        system_name: attempt.node,
        date: attempt.ended_at,
        outcome: attempt.outcome,
    };
    Ok(attempts.into_iter().map(view).collect())
}

/// The events of a message, newest first. `$filter` by MailMessageId
#[utoipa::path(get, path = "/odata/eventmessages", operation_id = "odataEvents", tag = "odata",
    params(ODataOptions), responses((status = 200, body = ODataRows<ODataEvent>)))]
async fn odata_events(State(app): State<App>, Params(query): Query) -> Result<Json<ODataRows<ODataEvent>>> {
    use message_event::Column;
    let options = read(&query)?.without_order()?;
    let (number, page) = (options.only("MailMessageId")?, options.page(TOP_OF_EVENTS)?);
    let db = app.store.db();
    let message = match message_of(db, number).await? {
        Some(id) => message::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    let Some(message) = message else {
        return Ok(Json(ODataRows { count: options.count.then_some(0), value: Vec::new() }));
    };
    let events = message_event::Entity::find().filter(Column::MessageId.eq(message.id));
    let count = if options.count { Some(events.clone().count(db).await?) } else { None };
    let events = events
        .order_by_desc(Column::At)
        .order_by_desc(Column::Id)
        .offset(page.offset())
        .limit(page.size)
        .all(db)
        .await?;
    let view = |event: message_event::Model| ODataEvent {
        mail_message_id: number,
        origin: origin(&message).into(),
        event_type: event.event_type.to_string(),
        created_date: event.at,
        system_received_date: message.received_at,
    };
    Ok(Json(ODataRows { count, value: events.into_iter().map(view).collect() }))
}
