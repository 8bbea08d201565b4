//! Names of the audit trail's objects, without patient data. Each area adds the kinds of objects that it has.

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

/// Reader of the trail.
#[derive(Clone, Copy, Debug)]
pub enum Reader<'a> {
    /// A member, who sees objects of the organization as far as they may read it.
    Member(&'a Tenant),
    /// An operator, who sees objects of all organizations: of messages only the addresses, without names.
    Operator,
}

/// An object of the trail.
#[derive(Clone, Debug, Default)]
pub struct Audited {
    /// Empty if the object was permanently deleted, may not be read, or has no name.
    pub name: String,
    /// The message of the object, unless it is deleted.
    pub message: Option<(Uuid, Direction)>,
}

impl Audited {
    /// An object that belongs to no message.
    pub fn named(name: String) -> Self {
        Self { name, message: None }
    }
}

/// Finds objects of one kind.
#[async_trait]
pub trait FindObjects: Send + Sync {
    /// The objects with these ids that the reader may see.
    async fn find(&self, db: &Database, reader: Reader<'_>, ids: Vec<Uuid>) -> Result<Vec<(Uuid, Audited)>>;
}

/// Rows that are named by one of their columns.
pub struct Rows<E: EntityTrait> {
    pub id: E::Column,
    pub name: E::Column,
    /// Owner of the rows; rows of the platform are only named for operators.
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

/// The kinds of objects with names, by the word in their entries: `network`.
#[derive(Default)]
pub struct ObjectKinds(HashMap<&'static str, Box<dyn FindObjects>>);

impl ObjectKinds {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with(mut self, kind: &'static str, find: impl FindObjects + 'static) -> Self {
        self.add(kind, Box::new(find));
        self
    }

    /// Adds the kinds of another area.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (kind, find) in other.0 {
            self.add(kind, find);
        }
        self
    }

    /// A kind has one area, which decides who may read its names.
    fn add(&mut self, kind: &'static str, find: Box<dyn FindObjects>) {
        assert!(self.0.insert(kind, find).is_none(), "the objects {kind} are registered twice");
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

/// The objects of entries, by kind and id: an organization's id is used for objects of several kinds.
#[derive(Debug, Default)]
pub struct Objects(HashMap<&'static str, HashMap<Uuid, Audited>>);

impl Objects {
    /// The object of an entry.
    pub fn of(&self, entry: &audit_entry::Model) -> Audited {
        let of_kind = self.0.get(entry.object_type.as_str());
        let id = entry.object_id.parse::<Uuid>().ok();
        of_kind.zip(id).and_then(|(of_kind, id)| of_kind.get(&id)).cloned().unwrap_or_default()
    }
}
