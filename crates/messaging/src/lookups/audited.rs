//! What entries of the audit trail are about, in words that name no patient.

use crate::{messages::list, model::Direction};
use platform::{Result, session::full_name};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use std::collections::HashMap;
use store::{
    entities::{
        app_user, attachment, audit_entry, document_source, intake_rule, message, release_type, webhook,
    },
    tenant::Tenant,
};
use uuid::Uuid;

/// An object of the trail.
#[derive(Clone, Debug, Default)]
pub struct Audited {
    /// Empty where it is gone for good, may not be read, or has no name.
    pub name: String,
    /// The message that it is or belongs to, unless that is deleted.
    pub message: Option<(Uuid, Direction)>,
}

impl Audited {
    fn named(name: String) -> Self {
        Self { name, message: None }
    }

    fn of_message(row: &message::Model) -> Self {
        let name = match row.direction {
            Direction::Intake if row.from_name.is_empty() => format!("From {}", row.from_address),
            Direction::Intake => format!("From {}", row.from_name),
            Direction::Release if row.to_address.is_empty() => String::new(),
            Direction::Release => format!("To {}", shortened(&row.to_address)),
        };
        Self { name, message: row.deleted_at.is_none().then_some((row.id, row.direction)) }
    }
}

/// The first of several addresses.
fn shortened(addresses: &str) -> String {
    let all: Vec<&str> = addresses.split(';').map(str::trim).filter(|address| !address.is_empty()).collect();
    match all[..] {
        [] => String::new(),
        [only] => only.to_owned(),
        [first, ..] => format!("{first} and {} more", all.len() - 1),
    }
}

/// The objects of entries by their ids.
pub async fn objects(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    entries: &[audit_entry::Model],
) -> Result<HashMap<Uuid, Audited>> {
    let ids_of = |kind: &str| -> Vec<Uuid> {
        let of_kind = entries.iter().filter(|entry| entry.object_type == kind);
        let mut ids: Vec<Uuid> = of_kind.filter_map(|entry| entry.object_id.parse().ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let mut found = messages(db, tenant, ids_of("message"), ids_of("attachment")).await?;
    let ids = ids_of("user");
    if !ids.is_empty() {
        let rows = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(db).await?;
        found.extend(rows.into_iter().map(|row| (row.id, Audited::named(full_name(&row)))));
    }
    let ids = ids_of("documentsource");
    if !ids.is_empty() {
        let rows = tenant.document_sources().filter(document_source::Column::Id.is_in(ids)).all(db).await?;
        found.extend(rows.into_iter().map(|row| (row.id, Audited::named(row.address))));
    }
    let ids = ids_of("webhook");
    if !ids.is_empty() {
        let rows = webhook::Entity::find().filter(webhook::Column::OrganizationId.eq(tenant.0));
        let rows = rows.filter(webhook::Column::Id.is_in(ids)).all(db).await?;
        found.extend(rows.into_iter().map(|row| (row.id, Audited::named(row.name))));
    }
    let ids = ids_of("intakerule");
    if !ids.is_empty() {
        let rows = intake_rule::Entity::find().filter(intake_rule::Column::OrganizationId.eq(tenant.0));
        let rows = rows.filter(intake_rule::Column::Id.is_in(ids)).all(db).await?;
        found.extend(rows.into_iter().map(|row| (row.id, Audited::named(row.name))));
    }
    let ids = ids_of("releasetype");
    if !ids.is_empty() {
        let rows = release_type::Entity::find().filter(release_type::Column::OrganizationId.eq(tenant.0));
        let rows = rows.filter(release_type::Column::Id.is_in(ids)).all(db).await?;
        found.extend(rows.into_iter().map(|row| (row.id, Audited::named(row.name))));
    }
    Ok(found)
}

/// Messages and the files in messages, as far as they may be read.
async fn messages(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    ids: Vec<Uuid>,
    file_ids: Vec<Uuid>,
) -> Result<HashMap<Uuid, Audited>> {
    let mut message_of: HashMap<Uuid, Uuid> = ids.into_iter().map(|id| (id, id)).collect();
    if !file_ids.is_empty() {
        let files = attachment::Entity::find().filter(attachment::Column::Id.is_in(file_ids)).all(db).await?;
        message_of.extend(files.into_iter().map(|file| (file.id, file.message_id)));
    }
    if message_of.is_empty() {
        return Ok(HashMap::new());
    }
    let mut ids: Vec<Uuid> = message_of.values().copied().collect();
    ids.sort_unstable();
    ids.dedup();
    let rows = list::by_ids(&ids).all(db).await?;
    let rows: HashMap<Uuid, Audited> =
        rows.iter().filter(|row| tenant.holds(row)).map(|row| (row.id, Audited::of_message(row))).collect();
    let named = message_of.into_iter().filter_map(|(id, of)| Some((id, rows.get(&of)?.clone())));
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn of_many_addresses_the_first_is_named() {
        assert_eq!(shortened("a@x.example"), "a@x.example");
        assert_eq!(shortened("a@x.example; b@x.example;c@x.example"), "a@x.example and 2 more");
        assert_eq!(shortened(""), "");
    }
}
