//! Directory entries in the database.

use super::{
    rules::{OID_TAKEN, other_names},
    types::{DirectoryEntry, DirectoryEntryForm},
};
use accounts::organization::{locked, open};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    records::{self, Record},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use std::collections::BTreeSet;
use store::entities::{
    carequality_entry::{ActiveModel, Column, Entity, Model, ResponderType},
    organization,
};
use uuid::Uuid;

/// Maximum number of entries of an organization.
const ENTRIES_MAX: u64 = 500;
const TOO_MANY: &str = "An organization has at most 500 directory entries.";

/// The entries of an organization by name.
pub async fn list(app: &App, caller: &Caller, organization_id: Uuid) -> Result<Vec<DirectoryEntry>> {
    let txn = app.store.begin().await?;
    let known = open().filter(organization::Column::Id.eq(organization_id)).one(&txn).await?;
    known.ok_or(Error::NotFound)?;
    let rows = entries(&txn, organization_id).await?;
    let act = Act::new(event::LISTED, "directoryentry", organization_id);
    audit::record(app, &txn, &Actor::in_organization(caller, organization_id), act).await?;
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

/// The entry of an organization with an OID, in any spelling.
pub async fn of_oid(db: &impl ConnectionTrait, organization_id: Uuid, oid: &str) -> Result<Option<Model>> {
    let spellings = [oid.to_owned(), format!("urn:oid:{oid}")];
    let row = Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Oid.is_in(spellings))
        .order_by_asc(Column::Id);
    Ok(row.one(db).await?)
}

/// The OIDs of the entries' parents.
fn parents_of(rows: &[Model]) -> BTreeSet<String> {
    rows.iter().map(|row| row.parent_oid.clone()).filter(|oid| !oid.is_empty()).collect()
}

fn view(row: Model, parents: &BTreeSet<String>) -> DirectoryEntry {
    DirectoryEntry {
        is_parent: parents.contains(&row.oid),
        initiator_only: row.responder_type == ResponderType::InitiatorOnly,
        id: row.id,
        responder_type: row.responder_type,
        organization_id: row.oid,
        home_community_id: row.home_community_id,
        display_name: row.display_name,
        legal_name: row.legal_name,
        other_names: row.other_names.0,
        parent_org_id: row.parent_oid,
        purpose_of_use_codes: row.purpose_of_use_codes.0,
        address: row.street,
        city: row.city,
        state: row.state,
        zip_code: row.zip,
        country: row.country,
        is_active: row.is_active,
        version: row.version,
    }
}

struct EntryRecord;

impl Record for EntryRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "directoryentry";
    const NOUN: &'static str = "this entry";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const MODIFIED_AT: Option<Column> = Some(Column::ModifiedAt);
    const AUDITED: &'static [Column] = &[Column::Oid, Column::DisplayName, Column::IsActive];
    const TAKEN: (&'static str, &'static str) = ("organizationId", OID_TAKEN);
}

/// Adds or changes an entry that passed its checks.
pub async fn save(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    form: DirectoryEntryForm,
) -> Result<DirectoryEntry> {
    let actor = Actor::in_organization(caller, organization_id);
    let saved = match form.id {
        None => create(app, &actor, organization_id, form).await?,
        Some(id) => {
            let row = Entity::find_by_id(id).filter(Column::OrganizationId.eq(organization_id));
            let mut edit = records::edit::<EntryRecord>(app, &actor, row, form.version).await?;
            fill(&mut edit.row, form);
            edit.save().await?
        }
    };
    let parents = parents_of(&entries(app.store.db(), organization_id).await?);
    Ok(view(saved, &parents))
}

/// Locks the organization, so that its entries are counted one after the other.
async fn create(app: &App, actor: &Actor, organization_id: Uuid, form: DirectoryEntryForm) -> Result<Model> {
    let txn = app.store.begin().await?;
    let organization = locked(&txn, organization_id).await?;
    if entries(&txn, organization_id).await?.len() as u64 >= ENTRIES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let now = app.clock.now();
    let mut row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization_id),
        purpose_of_use_codes: Set(organization.purposes_of_use),
        is_active: Set(true),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
        ..Default::default()
    };
    fill(&mut row, form);
    let created = records::create_in::<EntryRecord>(app, &txn, actor, row).await?;
    txn.commit().await?;
    Ok(created)
}

fn fill(row: &mut ActiveModel, form: DirectoryEntryForm) {
    row.other_names = Set(other_names(&form).into_iter().collect());
    row.responder_type = Set(form.responder_type);
    row.oid = Set(form.organization_id.into());
    row.home_community_id = Set(form.home_community_id.into());
    row.display_name = Set(form.display_name.into());
    row.legal_name = Set(form.legal_name.into());
    row.parent_oid = Set(form.parent_org_id.into());
    row.street = Set(form.address.into());
    row.city = Set(form.city.into());
    row.state = Set(form.state.into());
    row.zip = Set(form.zip_code.into());
    row.country = Set(form.country.to_uppercase());
    if let Some(is_active) = form.is_active {
        row.is_active = Set(is_active);
    }
}
