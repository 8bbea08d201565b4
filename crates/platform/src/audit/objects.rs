//! What entries of the audit trail are about, in words that name no patient.

use crate::{Result, session::full_name};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select};
use std::collections::{BTreeSet, HashMap};
use store::{
    entities::{
        app_user, attachment, audit_entry, brand, document_source, document_type, emergency,
        emergency_organization, feature, inbound_connection, intake_rule,
        message::{self, Direction},
        network, organization, plan, reference_item, release_type, reseller, reserved_word, routing_rule,
        service_account, triage_batch, trust_bundle, webhook,
    },
    tenant::Tenant,
};
use uuid::Uuid;

/// Who reads the trail.
#[derive(Clone, Copy, Debug)]
pub enum Reader<'a> {
    /// Somebody who sees what their organization has, as far as they may read it.
    Member(&'a Tenant),
    /// Somebody who sees what all have: of messages the addresses alone, and no names.
    Operator,
}

/// An object of the trail.
#[derive(Clone, Debug, Default)]
pub struct Audited {
    /// Empty where it is gone for good, may not be read, or has no name.
    pub name: String,
    /// The message that it is or belongs to, unless that is deleted.
    pub message: Option<(Uuid, Direction)>,
}

impl Audited {
    fn of_message(row: &message::Model, reader: Reader) -> Self {
        let is_named = matches!(reader, Reader::Member(_)) && !row.from_name.is_empty();
        let name = match row.direction {
            Direction::Intake if is_named => format!("From {}", row.from_name),
            Direction::Intake => format!("From {}", row.from_address),
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

/// The objects of entries, by kind and id: the id of an organization stands for objects of several kinds.
#[derive(Debug, Default)]
pub struct Objects(HashMap<&'static str, HashMap<Uuid, Audited>>);

impl Objects {
    /// Finds those of a page of entries.
    pub async fn find(
        db: &impl ConnectionTrait,
        reader: Reader<'_>,
        entries: &[audit_entry::Model],
    ) -> Result<Self> {
        let mut search = Search { db, reader, entries, found: Self::default() };
        search.messages().await?;
        search.users().await?;
        search.of_organizations().await?;
        if matches!(reader, Reader::Operator) {
            search.of_the_platform().await?;
        }
        Ok(search.found)
    }

    /// What an entry is about.
    pub fn of(&self, entry: &audit_entry::Model) -> Audited {
        let of_kind = self.0.get(entry.object_type.as_str());
        let id = entry.object_id.parse::<Uuid>().ok();
        of_kind.zip(id).and_then(|(of_kind, id)| of_kind.get(&id)).cloned().unwrap_or_default()
    }
}

struct Search<'a, C> {
    db: &'a C,
    reader: Reader<'a>,
    entries: &'a [audit_entry::Model],
    found: Objects,
}

impl<C: ConnectionTrait> Search<'_, C> {
    fn ids(&self, kind: &str) -> Vec<Uuid> {
        let of_kind = self.entries.iter().filter(|entry| entry.object_type == kind);
        let mut ids: Vec<Uuid> = of_kind.filter_map(|entry| entry.object_id.parse().ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn put(&mut self, kind: &'static str, objects: impl IntoIterator<Item = (Uuid, Audited)>) {
        self.found.0.entry(kind).or_default().extend(objects);
    }

    /// Names rows by one of their columns.
    async fn name<E: EntityTrait>(
        &mut self,
        kind: &'static str,
        rows: Select<E>,
        [id, name]: [E::Column; 2],
    ) -> Result<()> {
        let ids = self.ids(kind);
        if ids.is_empty() {
            return Ok(());
        }
        let rows = rows.filter(id.is_in(ids)).select_only().columns([id, name]);
        let rows: Vec<(Uuid, String)> = rows.into_tuple().all(self.db).await?;
        self.put(kind, rows.into_iter().map(|(id, name)| (id, Audited { name, message: None })));
        Ok(())
    }

    /// Names what belongs to organizations, given whose it is.
    async fn own<E: EntityTrait>(
        &mut self,
        kind: &'static str,
        [organization, id, name]: [E::Column; 3],
    ) -> Result<()> {
        let rows = match self.reader {
            Reader::Member(tenant) => E::find().filter(organization.eq(tenant.0)),
            Reader::Operator => E::find(),
        };
        self.name(kind, rows, [id, name]).await
    }

    async fn of_organizations(&mut self) -> Result<()> {
        let search = self;
        macro_rules! own {
            ($kind:literal, $table:ident, $organization:ident, $name:ident) => {
                let columns = [$table::Column::$organization, $table::Column::Id, $table::Column::$name];
                search.own::<$table::Entity>($kind, columns).await?;
            };
        }
        own!("organization", organization, Id, Name);
        own!("documentsource", document_source, OrganizationId, Address);
        own!("webhook", webhook, OrganizationId, Name);
        own!("intakerule", intake_rule, OrganizationId, Name);
        own!("releasetype", release_type, OrganizationId, Name);
        own!("serviceaccount", service_account, OrganizationId, Name);
        // The names of its files may be a patient's: it is called by who made it.
        own!("triagebatch", triage_batch, OrganizationId, CreatedByName);
        for batch in search.found.0.get_mut("triagebatch").into_iter().flat_map(HashMap::values_mut) {
            batch.name.insert_str(0, "By ");
        }
        Ok(())
    }

    async fn of_the_platform(&mut self) -> Result<()> {
        let search = self;
        macro_rules! name {
            ($kind:literal, $table:ident, $name:ident) => {
                let columns = [$table::Column::Id, $table::Column::$name];
                search.name($kind, $table::Entity::find(), columns).await?;
            };
        }
        name!("network", network, Name);
        name!("brand", brand, Name);
        name!("plan", plan, Name);
        name!("reseller", reseller, Name);
        name!("feature", feature, Name);
        name!("routingrule", routing_rule, Address);
        name!("inboundconnection", inbound_connection, Name);
        name!("trustbundle", trust_bundle, Name);
        name!("documenttype", document_type, Name);
        name!("referenceitem", reference_item, Name);
        name!("reservedword", reserved_word, Name);
        name!("emergency", emergency, Name);
        name!("emergencyorganization", emergency_organization, Name);
        Ok(())
    }

    async fn users(&mut self) -> Result<()> {
        let ids = self.ids("user");
        if ids.is_empty() {
            return Ok(());
        }
        let rows = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(self.db).await?;
        let named = rows.iter().map(|row| (row.id, Audited { name: full_name(row), message: None }));
        self.put("user", named);
        Ok(())
    }

    /// Messages and the files in messages, as far as they may be read.
    async fn messages(&mut self) -> Result<()> {
        let (messages, files) = (self.ids("message"), self.ids("attachment"));
        let mut message_of: HashMap<Uuid, Uuid> = messages.iter().map(|id| (*id, *id)).collect();
        if !files.is_empty() {
            let rows = attachment::Entity::find()
                .filter(attachment::Column::Id.is_in(files.iter().copied()))
                .select_only()
                .columns([attachment::Column::Id, attachment::Column::MessageId]);
            let rows: Vec<(Uuid, Uuid)> = rows.into_tuple().all(self.db).await?;
            message_of.extend(rows);
        }
        let ids: BTreeSet<Uuid> = message_of.values().copied().collect();
        if ids.is_empty() {
            return Ok(());
        }
        // Nothing else is asked for: SQLite would rather go through all messages of an organization.
        let rows = message::Entity::find().filter(message::Column::Id.is_in(ids)).all(self.db).await?;
        let reader = self.reader;
        let is_readable = |row: &&message::Model| match reader {
            Reader::Member(tenant) => tenant.holds(row),
            Reader::Operator => true,
        };
        let readable = rows.iter().filter(is_readable);
        let readable: HashMap<Uuid, Audited> =
            readable.map(|row| (row.id, Audited::of_message(row, reader))).collect();
        for (kind, ids) in [("message", messages), ("attachment", files)] {
            let found =
                ids.into_iter().filter_map(|id| Some((id, readable.get(message_of.get(&id)?)?.clone())));
            self.put(kind, found);
        }
        Ok(())
    }
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
