//! Certificates and anchors of organizations, read again only after the database counted a change.

use super::{
    anchors::{self, Anchors},
    certificates::OpenedIdentities,
};
use ::direct::cert::Identity;
use platform::{App, Error, Result};
use sea_orm::{ConnectionTrait, EntityTrait, QueryResult, QuerySelect, QueryTrait, Statement};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use store::entities::trust_change;
use uuid::Uuid;

/// An organization's certificates and anchors.
pub struct Credentials {
    /// Includes expired ones: mail encrypted to an old certificate may still arrive.
    pub identities: Vec<Identity>,
    pub anchors: Anchors,
}

/// Cache of credentials by organization. Revocations, removals and additions on any node are noticed at once by the
/// number of changes.
#[derive(Default)]
pub struct KnownCredentials(Mutex<HashMap<Uuid, (Changes, Arc<Credentials>)>>);

impl KnownCredentials {
    /// Maximum number of entries; the cache is cleared when it is full.
    const MOST: usize = 1_000;

    pub(super) async fn of(
        &self,
        app: &App,
        opened: &OpenedIdentities,
        organization_id: Uuid,
        changes: Changes,
    ) -> Result<Arc<Credentials>> {
        // Without the data key of an organization, its credentials must not be used, cached or not.
        app.keys.data_key(organization_id).await?;
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, credentials)) = known().get(&organization_id)
            && *seen == changes
        {
            return Ok(credentials.clone());
        }
        let identities = opened.of(app, organization_id).await?;
        let anchors = anchors::of(app, organization_id).await?;
        let credentials = Arc::new(Credentials { identities, anchors });
        let mut known = known();
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(organization_id, (changes, credentials.clone()));
        Ok(credentials)
    }
}

/// Number of changes to anchors and certificates. It is read before them, so that a change in between shows in the next
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes(i64);

impl Changes {
    /// The statement that reads it.
    pub fn query(db: &impl ConnectionTrait) -> Statement {
        let number = trust_change::Entity::find().select_only().column(trust_change::Column::Number);
        number.build(db.get_database_backend())
    }

    /// Reads the answer to [`Changes::query`].
    pub fn read(rows: &[QueryResult]) -> Result<Self> {
        let row = rows.first();
        let row = row
            .ok_or_else(|| Error::internal("the number of changes to anchors and certificates is missing"))?;
        Ok(Self(row.try_get_by_index(0)?))
    }

    pub async fn now(app: &App) -> Result<Self> {
        let db = app.store.db();
        Self::read(&db.query_all_raw(Self::query(db)).await?)
    }
}
