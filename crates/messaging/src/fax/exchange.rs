//! Storage of the calls between numbers of this installation.

use super::closed_organizations;
use crate::model::{SourceKind, SourceStatus};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use fax::{
    FaxNumber, ProviderError,
    providers::embedded::{Call, Exchange},
};
use platform::App;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, OnConflict},
};
use serde_json::json;
use std::fmt;
use store::entities::{
    document_source,
    fax_account::{self, ProviderKind},
    fax_call, fax_number,
};
use uuid::Uuid;

/// The calls, from the view of one organization.
pub struct Calls {
    pub app: App,
    pub organization_id: Uuid,
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("organization_id", &self.organization_id).finish_non_exhaustive()
    }
}

fn broken(error: impl Into<platform::Error>) -> ProviderError {
    tracing::error!(error = ?error.into(), "the calls of this installation cannot be read");
    ProviderError::Unreachable("The database cannot be reached.".into())
}

fn call_of(row: fax_call::Model) -> Result<Call, ProviderError> {
    let call: Call = serde_json::from_value(row.value)
        .map_err(|_| broken(platform::Error::internal("a call cannot be read")))?;
    Ok(Call { withdrawn: row.is_withdrawn, ..call })
}

impl Calls {
    /// The organization with an active number in this installation.
    async fn owner(&self, number: &FaxNumber) -> Result<Option<Uuid>, ProviderError> {
        let db = self.app.store.db();
        let source = document_source::Entity::find()
            .filter(document_source::Column::AddressKey.eq(number.without_extension().to_string()))
            .filter(document_source::Column::Kind.eq(SourceKind::Fax))
            .filter(document_source::Column::Status.eq(SourceStatus::Activated))
            .filter(document_source::Column::OrganizationId.not_in_subquery(closed_organizations()))
            .one(db)
            .await
            .map_err(broken)?;
        let Some(source) = source else { return Ok(None) };
        let number = fax_number::Entity::find_by_id(source.id).one(db).await.map_err(broken)?;
        let Some(number) = number else { return Ok(None) };
        let account = fax_account::Entity::find_by_id(number.account_id).one(db).await.map_err(broken)?;
        let is_here = account.is_some_and(|a| a.provider == ProviderKind::Embedded);
        Ok(is_here.then_some(source.organization_id))
    }

    async fn row(&self, key: Uuid) -> Result<Option<fax_call::Model>, ProviderError> {
        fax_call::Entity::find_by_id(key).one(self.app.store.db()).await.map_err(broken)
    }
}

#[async_trait::async_trait]
impl Exchange for Calls {
    fn now(&self) -> DateTime<Utc> {
        self.app.clock.now()
    }

    async fn takes_calls(&self, number: &FaxNumber) -> Result<bool, ProviderError> {
        Ok(self.owner(number).await?.is_some())
    }

    async fn place(&self, call: &Call, content: Bytes) -> Result<(), ProviderError> {
        if self.row(call.key).await?.is_some() {
            return Ok(());
        }
        let organization_id = self.owner(&call.to).await?.unwrap_or(self.organization_id);
        let blob_id = if content.is_empty() {
            None
        } else {
            let key = self.app.keys.data_key(organization_id).await.map_err(broken)?;
            let id = Uuid::now_v7();
            self.app.blobs.put(&key, organization_id, id, content).await.map_err(broken)?;
            self.app.blobs.sync().await.map_err(broken)?;
            Some(id)
        };
        let row = fax_call::ActiveModel {
            key: Set(call.key),
            organization_id: Set(organization_id),
            called: Set(call.to.to_string()),
            value: Set(json!(call)),
            is_withdrawn: Set(call.withdrawn),
            blob_id: Set(blob_id),
            ends_at: Set(call.ends_at),
            taken_at: Set(None),
        };
        let txn = self.app.store.begin().await.map_err(broken)?;
        fax_call::Entity::insert(row)
            .on_conflict(OnConflict::column(fax_call::Column::Key).do_nothing().to_owned())
            .exec_without_returning(&txn)
            .await
            .map_err(broken)?;
        self.app.store.commit_durable(txn).await.map_err(broken)
    }

    async fn call(&self, key: Uuid) -> Result<Option<Call>, ProviderError> {
        self.row(key).await?.map(call_of).transpose()
    }

    async fn withdraw(&self, key: Uuid) -> Result<(), ProviderError> {
        fax_call::Entity::update_many()
            .col_expr(fax_call::Column::IsWithdrawn, Expr::value(true))
            .filter(fax_call::Column::Key.eq(key))
            .exec(self.app.store.db())
            .await
            .map_err(broken)?;
        Ok(())
    }

    async fn arrived(&self) -> Result<Vec<Call>, ProviderError> {
        let rows = fax_call::Entity::find()
            .filter(fax_call::Column::OrganizationId.eq(self.organization_id))
            .filter(fax_call::Column::TakenAt.is_null())
            .filter(fax_call::Column::BlobId.is_not_null())
            .filter(fax_call::Column::IsWithdrawn.eq(false))
            .filter(fax_call::Column::EndsAt.lte(self.now()))
            .order_by_asc(fax_call::Column::EndsAt)
            .all(self.app.store.db())
            .await
            .map_err(broken)?;
        rows.into_iter().map(call_of).collect()
    }

    async fn content(&self, key: Uuid) -> Result<Option<Bytes>, ProviderError> {
        let Some(row) = self.row(key).await? else { return Ok(None) };
        let Some(blob_id) = row.blob_id else { return Ok(Some(Bytes::new())) };
        let data_key = self.app.keys.data_key(row.organization_id).await.map_err(broken)?;
        let limit = super::FILE_LIMIT;
        let read = self.app.blobs.read_to_vec(&data_key, row.organization_id, blob_id, limit).await;
        Ok(Some(read.map_err(broken)?.into()))
    }

    async fn acknowledge(&self, key: Uuid) -> Result<(), ProviderError> {
        let now = self.now();
        fax_call::Entity::update_many()
            .col_expr(fax_call::Column::TakenAt, Expr::value(now))
            .col_expr(fax_call::Column::BlobId, Expr::value(Option::<Uuid>::None))
            .filter(fax_call::Column::Key.eq(key))
            .exec(self.app.store.db())
            .await
            .map_err(broken)?;
        Ok(())
    }
}
