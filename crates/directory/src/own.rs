//! The people and organizations of this installation that can receive: activated organizations, and their people with a
//! linked Direct address.

use crate::entry::{self, Entry};
use platform::{App, Result, fields::phone_digits};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use store::entities::{
    app_user, directory_entry, document_source, membership, organization, user_document_source,
};
use store::entities::{document_source::SourceKind, document_source::SourceStatus};
use uuid::Uuid;

/// The name of this list.
pub const SOURCE: &str = "installation";
/// Organizations per query.
const BATCH: u64 = 500;

/// Updates the entries of this installation. Can be interrupted and repeated at any time.
pub async fn refresh(app: &App) -> Result<()> {
    let db = app.store.db();
    let mut listed = listed(db).await?;
    let mut after = Uuid::nil();
    loop {
        let organizations = organizations(db, after).await?;
        let Some(last) = organizations.last() else { break };
        after = last.id;
        let mut changed = entries(db, organizations).await?;
        changed.retain(|row| listed.remove(&row.id) != Some(row.digest));
        if !changed.is_empty() {
            let txn = app.store.begin().await?;
            entry::write(&txn, changed).await?;
            txn.commit().await?;
        }
    }
    let gone: Vec<Uuid> = listed.into_keys().collect();
    Ok(entry::remove(db, &gone).await?)
}

/// Ids and digests of the entries in the directory.
async fn listed(db: &impl ConnectionTrait) -> Result<HashMap<Uuid, i64>> {
    let rows: Vec<(Uuid, i64)> = directory_entry::Entity::find()
        .select_only()
        .column(directory_entry::Column::Id)
        .column(directory_entry::Column::Digest)
        // In the words of the partial index.
        .filter(Expr::cust("source = 'installation'"))
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

async fn organizations(db: &impl ConnectionTrait, after: Uuid) -> Result<Vec<organization::Model>> {
    Ok(organization::Entity::find()
        .filter(organization::Column::Id.gt(after))
        .filter(organization::Column::IsActivated.eq(true))
        .filter(organization::Column::IsEnabled.eq(true))
        .filter(organization::Column::IdProofedAt.is_not_null())
        .filter(organization::Column::IsCancelled.eq(false))
        .filter(organization::Column::DeletedAt.is_null())
        .order_by_asc(organization::Column::Id)
        .limit(BATCH)
        .all(db)
        .await?)
}

async fn entries(
    db: &impl ConnectionTrait,
    organizations: Vec<organization::Model>,
) -> Result<Vec<directory_entry::Model>> {
    let ids: Vec<Uuid> = organizations.iter().map(|o| o.id).collect();
    let sources = sources(db, &ids).await?;
    let people = people(db, &ids).await?;
    let mut rows = Vec::new();
    for organization in &organizations {
        let mine = sources.iter().filter(|source| source.organization_id == organization.id);
        let addresses: BTreeMap<Uuid, &str> = mine.map(|s| (s.id, s.address.as_str())).collect();
        let first = addresses.values().next().copied().unwrap_or_default();
        rows.push(of_organization(organization, first).row(SOURCE, &organization.id.to_string(), None));
        // A person with several addresses is listed with the oldest.
        let mut listed = BTreeMap::new();
        for (user, source) in &people {
            if let Some(address) = addresses.get(source) {
                listed.entry(user.id).or_insert((user, *address));
            }
        }
        rows.extend(listed.into_values().map(|(user, address)| {
            let key = format!("{}:{}", organization.id, user.id);
            of_person(user, organization, address).row(SOURCE, &key, None)
        }));
    }
    Ok(rows)
}

async fn sources(db: &impl ConnectionTrait, organizations: &[Uuid]) -> Result<Vec<document_source::Model>> {
    Ok(document_source::Entity::find()
        .filter(document_source::Column::OrganizationId.is_in(organizations.iter().copied()))
        .filter(document_source::Column::Kind.eq(SourceKind::Direct))
        .filter(document_source::Column::Status.eq(SourceStatus::Activated))
        .all(db)
        .await?)
}

/// People and the document sources linked to them, oldest source first.
async fn people(db: &impl ConnectionTrait, organizations: &[Uuid]) -> Result<Vec<(app_user::Model, Uuid)>> {
    let mut links = user_document_source::Entity::find()
        .filter(user_document_source::Column::OrganizationId.is_in(organizations.iter().copied()))
        .all(db)
        .await?;
    let left: HashSet<(Uuid, Uuid)> = membership::Entity::find()
        .filter(membership::Column::OrganizationId.is_in(organizations.iter().copied()))
        .filter(membership::Column::IsDisabled.eq(true))
        .all(db)
        .await?
        .into_iter()
        .map(|member| (member.user_id, member.organization_id))
        .collect();
    links.retain(|link| !left.contains(&(link.user_id, link.organization_id)));
    links.sort_by_key(|link| link.document_source_id);
    let ids: BTreeSet<Uuid> = links.iter().map(|link| link.user_id).collect();
    let users = users(db, Vec::from_iter(ids)).await?;
    Ok(links
        .into_iter()
        .filter_map(|link| Some((users.get(&link.user_id)?.clone(), link.document_source_id)))
        .collect())
}

/// The users among them who may sign in, queried in batches: a statement takes a limited number of values.
async fn users(db: &impl ConnectionTrait, ids: Vec<Uuid>) -> Result<HashMap<Uuid, app_user::Model>> {
    let mut users = HashMap::new();
    for ids in ids.chunks(entry::ROWS) {
        let found = app_user::Entity::find()
            .filter(app_user::Column::Id.is_in(ids.iter().copied()))
            .filter(app_user::Column::IsDisabled.eq(false))
            .all(db)
            .await?;
        users.extend(found.into_iter().map(|user| (user.id, user)));
    }
    Ok(users)
}

fn of_organization(organization: &organization::Model, address: &str) -> Entry {
    let line = [organization.street.as_str(), organization.unit.as_str()].map(str::trim);
    Entry {
        organization_name: organization.name.clone(),
        direct_address: address.into(),
        phone: phone_digits(&organization.primary_phone).unwrap_or_default(),
        fax: phone_digits(&organization.primary_fax).unwrap_or_default(),
        address_line: line.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "),
        city: organization.city.clone(),
        state: organization.state.clone(),
        zip: organization.zip.chars().filter(char::is_ascii_digit).collect(),
        ..Entry::default()
    }
}

fn of_person(user: &app_user::Model, organization: &organization::Model, address: &str) -> Entry {
    Entry {
        first_name: user.first_name.clone(),
        last_name: user.last_name.clone(),
        clinic_name: organization.name.clone(),
        organization_name: String::new(),
        ..of_organization(organization, address)
    }
}
