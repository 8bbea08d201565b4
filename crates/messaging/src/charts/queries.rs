//! Filings in the database.

use super::types::{ChartView, Chosen, FilingView, RefusalView};
use crate::{files, sealed::open_name};
use platform::{App, Error, Member, Result, session::full_name};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        app_user, attachment,
        chart_filing::{Column, Entity, Model},
        filing_refusal, integration, message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Context of what was chosen.
fn context(id: Uuid) -> String {
    format!("chart_filing.chosen:{id}")
}

pub fn seal_chosen(key: &DataKey, id: Uuid, chosen: &Chosen) -> Result<Vec<u8>> {
    Ok(key.seal(&context(id), &serde_json::to_vec(chosen).map_err(Error::internal)?))
}

pub fn open_chosen(key: &DataKey, row: &Model) -> Result<Chosen> {
    let chosen = key.open(&context(row.id), &row.sealed_chosen)?;
    serde_json::from_slice(&chosen).map_err(Error::internal)
}

/// The filings of a message, newest first.
pub fn of_message(organization_id: Uuid, message_id: Uuid) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::MessageId.eq(message_id))
        .order_by_desc(Column::Id)
}

/// A filing of a message, locked.
pub async fn lock(txn: &Transaction, message: &message::Model, id: Uuid) -> Result<Model> {
    let found = of_message(message.organization_id, message.id).filter(Column::Id.eq(id)).lock_exclusive();
    found.one(txn).await?.ok_or(Error::NotFound)
}

/// The filings of a message with their names, for the screen.
pub async fn chart_view(app: &App, member: &Member, message: &message::Model) -> Result<ChartView> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let rows = of_message(message.organization_id, message.id).all(db).await?;
    let refusal = filing_refusal::Entity::find_by_id(message.id).one(db).await?;
    let refusal = refusal.map(|row| RefusalView { rule_name: row.rule_name, reason: row.reason, at: row.at });
    if rows.is_empty() {
        return Ok(ChartView { items: Vec::new(), refusal });
    }
    let names = file_names(db, &key, message).await?;
    let people = people(db, rows.iter().map(|row| row.user_id)).await?;
    let connections = connections(db, &rows).await?;
    let view = |row: Model| {
        let chosen = open_chosen(&key, &row)?;
        let connection = connections.get(&row.integration_id);
        Ok(FilingView {
            file_name: names.get(&row.attachment_id).cloned().unwrap_or_default(),
            integration_type: row.integration_kind,
            integration_name: connection.map(|of| of.name.clone()).unwrap_or_default(),
            patient_name: chosen.patient.display_name(),
            chart_url: chart_url(connection, &chosen.patient_id),
            filed_by: filed_by(&row, &people),
            rule_id: row.rule_id,
            percent: row.percent,
            id: row.id,
            attachment_id: row.attachment_id,
            integration_id: row.integration_id,
            state: row.state,
            chart_document_id: row.chart_document_id,
            filed_at: row.filed_at,
            withdrawn_at: row.withdrawn_at,
            problem: row.problem,
            created_at: row.created_at,
        })
    };
    Ok(ChartView { items: rows.into_iter().map(view).collect::<Result<_>>()?, refusal })
}

/// The connections of some filings.
pub async fn connections(
    db: &impl ConnectionTrait,
    rows: &[Model],
) -> Result<HashMap<Uuid, integration::Model>> {
    let ids = integration::Column::Id.is_in(rows.iter().map(|row| row.integration_id));
    let found = integration::Entity::find().filter(ids).all(db).await?;
    Ok(found.into_iter().map(|row| (row.id, row)).collect())
}

/// Address of a patient's chart for people.
pub fn chart_url(connection: Option<&integration::Model>, patient_id: &str) -> Option<String> {
    let template = connection.map(|of| of.settings.chart_url.as_str()).filter(|url| !url.is_empty())?;
    Some(template.replace("{patient}", &encoded(patient_id)))
}

/// Who filed it: `rule Labs`, or a person.
pub fn filed_by(row: &Model, people: &HashMap<Uuid, String>) -> String {
    match &row.rule_name {
        Some(name) => format!("rule {name}"),
        None => people.get(&row.user_id).cloned().unwrap_or_default(),
    }
}

/// An id of an EHR within an address.
fn encoded(id: &str) -> String {
    url::form_urlencoded::byte_serialize(id.as_bytes()).collect()
}

async fn file_names(
    db: &impl ConnectionTrait,
    key: &DataKey,
    message: &message::Model,
) -> Result<HashMap<Uuid, String>> {
    let files = files::of_message(db, message).await?;
    files.iter().map(|file: &attachment::Model| Ok((file.id, open_name(key, file)?))).collect()
}

/// Names of users by their ids.
pub async fn people(
    db: &impl ConnectionTrait,
    ids: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, String>> {
    let rows = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.id, full_name(&row))).collect())
}
