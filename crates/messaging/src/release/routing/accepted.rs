//! Accepted files of a delivery, so that each is handed over once, regardless of the others.

use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, sea_query::OnConflict};
use std::collections::HashSet;
use store::{
    Store,
    entities::routed_document::{ActiveModel, Column, Entity},
};
use uuid::Uuid;

/// The files of a delivery that endpoints have accepted.
pub struct Accepted<'a> {
    ids: HashSet<Uuid>,
    /// Storage for the next attempt, and the delivery. `None` for a single attempt.
    kept: Option<(&'a Store, Uuid)>,
}

impl<'a> Accepted<'a> {
    /// The files accepted in earlier attempts.
    pub async fn of(store: &'a Store, delivery_id: Uuid) -> Result<Self, DbErr> {
        let rows = Entity::find().filter(Column::DeliveryId.eq(delivery_id)).all(store.db()).await?;
        let ids = rows.into_iter().map(|row| row.document_id).collect();
        Ok(Self { ids, kept: Some((store, delivery_id)) })
    }

    /// Empty, and without storage.
    pub fn none() -> Self {
        Self { ids: HashSet::new(), kept: None }
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn has(&self, document_id: Uuid) -> bool {
        self.ids.contains(&document_id)
    }

    /// Records an accepted file while others are still open. If that fails, the file is sent again with the same id.
    pub async fn add(&mut self, document_id: Uuid) {
        self.ids.insert(document_id);
        let Some((store, delivery_id)) = self.kept else { return };
        let row = ActiveModel { delivery_id: Set(delivery_id), document_id: Set(document_id) };
        let once = OnConflict::columns([Column::DeliveryId, Column::DocumentId]).do_nothing().to_owned();
        if let Err(error) = Entity::insert(row).on_conflict(once).exec_without_returning(store.db()).await {
            tracing::warn!(?error, %delivery_id, "an accepted file could not be recorded");
        }
    }
}
