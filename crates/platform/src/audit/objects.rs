//! What entries of the audit trail are about, in words that name no patient. How the objects of a kind are found is said by the
//! area that has them.

use crate::Result;
use async_trait::async_trait;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use std::collections::{BTreeSet, HashMap};
use store::{
    Database,
    entities::{audit_entry, message::Direction},
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
    /// An object that belongs to no message.
    pub fn named(name: String) -> Self {
        Self { name, message: None }
    }
}

/// Finds the objects of one kind.
#[async_trait]
pub trait FindObjects: Send + Sync {
    /// Those with these ids that the reader may know of.
    async fn find(&self, db: &Database, reader: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>>;
}

/// Rows that are called by one of their columns.
pub struct Rows<E: EntityTrait> {
    pub id: E::Column,
    pub name: E::Column,
    /// Whose they are; rows of the platform are named to operators alone.
    pub organization: Option<E::Column>,
}

#[async_trait]
impl<E: EntityTrait> FindObjects for Rows<E> {
    async fn find(&self, db: &Database, reader: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>> {
        let mut rows = E::find().filter(self.id.is_in(ids));
        if let Reader::Member(tenant) = reader {
            let Some(organization) = self.organization else { return Ok(Vec::new()) };
            rows = rows.filter(organization.eq(tenant.0));
        }
        let rows = rows.select_only().columns([self.id, self.name]);
        let rows: Vec<(Uuid, String)> = rows.into_tuple().all(db).await?;
        Ok(rows.into_iter().map(|(id, name)| (id, Audited::named(name))).collect())
    }
}

/// The kinds of objects that have names, each by the word of its entries: `network`.
#[derive(Default)]
pub struct ObjectKinds(HashMap<&'static str, Box<dyn FindObjects>>);

impl ObjectKinds {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with(mut self, kind: &'static str, find: impl FindObjects + 'static) -> Self {
        self.0.insert(kind, Box::new(find));
        self
    }

    /// Adds the kinds of another area.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Finds the objects of a page of entries.
    pub async fn find(
        &self,
        db: &Database,
        reader: Reader<'_>,
        entries: &[audit_entry::Model],
    ) -> Result<Objects> {
        let mut found = Objects::default();
        for (kind, find) in &self.0 {
            let of_kind = entries.iter().filter(|entry| entry.object_type == *kind);
            let ids: BTreeSet<Uuid> = of_kind.filter_map(|entry| entry.object_id.parse().ok()).collect();
            if !ids.is_empty() {
                let objects = find.find(db, reader, ids.into_iter().collect()).await?;
                found.0.insert(kind, objects.into_iter().collect());
            }
        }
        Ok(found)
    }
}

/// The objects of entries, by kind and id: the id of an organization stands for objects of several kinds.
#[derive(Debug, Default)]
pub struct Objects(HashMap<&'static str, HashMap<Uuid, Audited>>);

impl Objects {
    /// What an entry is about.
    pub fn of(&self, entry: &audit_entry::Model) -> Audited {
        let of_kind = self.0.get(entry.object_type.as_str());
        let id = entry.object_id.parse::<Uuid>().ok();
        of_kind.zip(id).and_then(|(of_kind, id)| of_kind.get(&id)).cloned().unwrap_or_default()
    }
}
