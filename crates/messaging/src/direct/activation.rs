//! Steps after the activation of an organization: a certificate and, if wanted, an address for records.

use super::{addresses, certificates};
use crate::workflows::platform_error;
use platform::App;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};
use store::entities::{document_source, organization};
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

/// Creates `records@{domain}` and gives the organization's administrators access to it.
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
        let source = addresses::row(&self.app, organization_id, &address, "Records");
        let links = addresses::administrators(db, organization_id, *source.id.as_ref()).await?;
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                let once = OnConflict::column(document_source::Column::AddressKey).do_nothing().to_owned();
                let added = document_source::Entity::insert(source)
                    .on_conflict(once)
                    .exec_without_returning(txn)
                    .await?;
                if added > 0 {
                    addresses::link(txn, links).await?;
                }
                Ok(())
            })
        }))
    }
}
