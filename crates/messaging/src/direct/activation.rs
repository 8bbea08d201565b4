//! What an organization needs once it is activated: a certificate and, if wanted, an address for records.

use super::certificates;
use crate::{
    model::{SourceKind, SourceStatus},
    workflows::platform_error,
};
use platform::{App, session::ROLE_ADMINISTRATOR};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};
use store::entities::{document_source, membership, organization, user_document_source};
use uuid::Uuid;
use workflow::{Done, Step, StepContext, StepError};

/// Issues the Direct certificate.
pub struct IssueCertificate {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for IssueCertificate {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        certificates::ensure(&self.app, cx.object_id()).await.map_err(platform_error)?;
        Ok(Done::new())
    }
}

/// Creates `records@{domain}` and links the organization's administrators to it.
pub struct CreateRecordsAddress {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for CreateRecordsAddress {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let db = self.app.store.db();
        let organization_id = cx.object_id();
        let Some(organization) = organization::Entity::find_by_id(organization_id).one(db).await? else {
            return Ok(Done::skipped());
        };
        let address = format!("records@{}", self.app.config.direct_domain(&organization.sub_domain));
        let known = document_source::Entity::find()
            .filter(document_source::Column::AddressKey.eq(&address))
            .one(db)
            .await?;
        if known.is_some() {
            return Ok(Done::skipped());
        }
        let administrators = membership::Entity::find()
            .filter(membership::Column::OrganizationId.eq(organization_id))
            .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR))
            .filter(membership::Column::IsDisabled.eq(false))
            .all(db)
            .await?;
        let id = Uuid::now_v7();
        let source = document_source::ActiveModel {
            id: Set(id),
            organization_id: Set(organization_id),
            kind: Set(SourceKind::Direct),
            address: Set(address.clone()),
            address_key: Set(address),
            display_name: Set("Records".into()),
            status: Set(SourceStatus::Activated),
            created_at: Set(self.app.clock.now()),
            version: Set(1),
        };
        let links: Vec<_> = administrators
            .into_iter()
            .map(|a| user_document_source::ActiveModel {
                user_id: Set(a.user_id),
                document_source_id: Set(id),
                organization_id: Set(organization_id),
            })
            .collect();
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                let once = OnConflict::column(document_source::Column::AddressKey).do_nothing().to_owned();
                let added = document_source::Entity::insert(source)
                    .on_conflict(once)
                    .exec_without_returning(txn)
                    .await?;
                if added > 0 && !links.is_empty() {
                    user_document_source::Entity::insert_many(links).exec_without_returning(txn).await?;
                }
                Ok(())
            })
        }))
    }
}
