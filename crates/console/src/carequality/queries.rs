//! Directory entries in the database.

use super::{
    http::{DirectoryEntry, DirectoryEntryForm, ResponderType},
    rules::OID_TAKEN,
};
use crate::organizations::queries::{actor, locked, open};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::json;
use std::collections::BTreeSet;
use store::{
    Transaction,
    entities::{
        carequality_entry::{ActiveModel, Column, Entity, Model},
        organization,
    },
};
use uuid::Uuid;

/// An organization has no more entries.
const ENTRIES_MAX: u64 = 500;
const TOO_MANY: &str = "An organization has at most 500 directory entries.";

/// The entries of an organization by name.
pub async fn list(app: &App, caller: &Caller, organization_id: Uuid) -> Result<Vec<DirectoryEntry>> {
    let txn = app.store.begin().await?;
    let known = open().filter(organization::Column::Id.eq(organization_id)).one(&txn).await?;
    known.ok_or(Error::NotFound)?;
    let rows = entries(&txn, organization_id).await?;
    let act = Act::new(event::LISTED, "directoryentry", organization_id);
    audit::record(app, &txn, &actor(caller, organization_id), act).await?;
    txn.commit().await?;
    let parents = parents_of(&rows);
    let mut views: Vec<DirectoryEntry> = rows.into_iter().map(|row| view(row, &parents)).collect();
    views.sort_by_cached_key(|entry| (entry.display_name.to_lowercase(), entry.id));
    Ok(views)
}

async fn entries(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Vec<Model>> {
    let rows = Entity::find().filter(Column::OrganizationId.eq(organization_id));
    Ok(rows.order_by_asc(Column::Oid).limit(ENTRIES_MAX).all(db).await?)
}

/// What entries name as standing above them.
fn parents_of(rows: &[Model]) -> BTreeSet<String> {
    rows.iter().map(|row| row.parent_oid.clone()).filter(|oid| !oid.is_empty()).collect()
}

fn view(row: Model, parents: &BTreeSet<String>) -> DirectoryEntry {
    let responder_type =
        ResponderType::from_code(&row.responder_type).unwrap_or(ResponderType::DirectResponder);
    DirectoryEntry {
        is_parent: parents.contains(&row.oid),
        initiator_only: responder_type == ResponderType::InitiatorOnly,
        id: row.id,
        responder_type,
        organization_id: row.oid,
        home_community_id: row.home_community_id,
        display_name: row.display_name,
        legal_name: row.legal_name,
        other_names: serde_json::from_value(row.other_names).unwrap_or_default(),
        parent_org_id: row.parent_oid,
        purpose_of_use_codes: serde_json::from_value(row.purpose_of_use_codes).unwrap_or_default(),
        address: row.street,
        city: row.city,
        state: row.state,
        zip_code: row.zip,
        country: row.country,
        is_active: row.is_active,
    }
}

/// Adds or changes an entry that passed its checks. The organization is locked, so that entries do not get in each
/// other's way.
pub async fn save(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    form: DirectoryEntryForm,
) -> Result<DirectoryEntry> {
    let txn = app.store.begin().await?;
    let organization = locked(&txn, organization_id).await?;
    let all = entries(&txn, organization_id).await?;
    let before = match form.id {
        Some(id) => Some(all.iter().find(|row| row.id == id).cloned().ok_or(Error::NotFound)?),
        None => None,
    };
    if all.iter().any(|row| row.oid == form.organization_id && Some(row.id) != form.id) {
        return Err(Error::field("organizationId", OID_TAKEN));
    }
    if before.is_none() && all.len() as u64 >= ENTRIES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let what = if before.is_some() { event::CHANGED } else { event::CREATED };
    let saved = write(app, &txn, &organization, before, form).await?;
    let act = Act::new(what, "directoryentry", saved.id).detail(json!({ "active": saved.is_active }));
    audit::record(app, &txn, &actor(caller, organization_id), act).await?;
    let parents = parents_of(&entries(&txn, organization_id).await?);
    txn.commit().await?;
    Ok(view(saved, &parents))
}

async fn write(
    app: &App,
    txn: &Transaction,
    organization: &organization::Model,
    before: Option<Model>,
    form: DirectoryEntryForm,
) -> Result<Model> {
    let now = app.clock.now();
    let is_new = before.is_none();
    let was_active = before.as_ref().is_none_or(|row| row.is_active);
    let mut row = before.map_or_else(
        || ActiveModel {
            id: Set(Uuid::now_v7()),
            organization_id: Set(organization.id),
            purpose_of_use_codes: Set(organization.purposes_of_use.clone()),
            created_at: Set(now),
            ..Default::default()
        },
        IntoActiveModel::into_active_model,
    );
    let responder_type = form.responder_type.unwrap_or(ResponderType::DirectResponder);
    row.responder_type = Set(responder_type.code().into());
    row.oid = Set(form.organization_id);
    row.home_community_id = Set(form.home_community_id);
    row.display_name = Set(form.display_name);
    row.legal_name = Set(form.legal_name);
    row.other_names = Set(json!(form.other_names));
    row.parent_oid = Set(form.parent_org_id);
    row.street = Set(form.address);
    row.city = Set(form.city);
    row.state = Set(form.state);
    row.zip = Set(form.zip_code);
    row.country = Set(form.country);
    row.is_active = Set(form.is_active.unwrap_or(was_active));
    row.modified_at = Set(now);
    Ok(if is_new { row.insert(txn).await? } else { row.update(txn).await? })
}
