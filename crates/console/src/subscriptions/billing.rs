//! The port to the service that bills for subscriptions, and its implementations.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use platform::{App, Result};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter,
};
use store::{
    Database, Transaction,
    entities::subscription::{self, BillingStatus},
};
use uuid::Uuid;

/// A billing service. Everything happens in the transaction of its cause; an implementation that calls an outside
/// service enqueues a workflow there, so that billing and decisions always agree.
#[async_trait]
pub trait Billing: Send + Sync {
    /// Gives an organization a plan (`None` is the Free plan) and returns the reference of its subscription. A
    /// cancelled subscription begins again.
    async fn subscribe(
        &self,
        app: &App,
        txn: &Transaction,
        organization_id: Uuid,
        plan_id: Option<Uuid>,
    ) -> Result<Uuid>;

    /// Ends a subscription at a time, for a reason. An organization that never chose a plan gets a subscription with
    /// its present plan, so that the reason is recorded. Returns the reference of the subscription.
    async fn cancel(
        &self,
        app: &App,
        txn: &Transaction,
        (organization_id, plan_id): (Uuid, Option<Uuid>),
        reason: &str,
        ends_at: DateTime<Utc>,
    ) -> Result<Uuid>;

    /// A cancelling organization's reason.
    async fn cancel_reason(&self, app: &App, organization_id: Uuid) -> Result<Option<String>>;

    /// Ends a cancelled subscription whose time is over.
    async fn end(&self, txn: &Transaction, organization_id: Uuid) -> Result<()>;

    /// A subscription by its reference.
    async fn find(&self, db: &Database, reference: Uuid) -> Result<Option<Subscription>>;
}

/// Details of a subscription at the service.
pub struct Subscription {
    pub reference: Uuid,
    pub organization_id: Uuid,
    pub plan_id: Option<Uuid>,
    pub status: BillingStatus,
    pub started_at: DateTime<Utc>,
    pub ends_at: Option<DateTime<Utc>>,
}

/// The implementation for this installation.
pub fn member() -> &'static dyn Billing {
    &Embedded
}

/// No outside service: subscriptions are kept in our own table, and bills are written elsewhere.
pub struct Embedded;

async fn of(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Option<subscription::Model>> {
    Ok(subscription::Entity::find()
        .filter(subscription::Column::OrganizationId.eq(organization_id))
        .one(db)
        .await?)
}

async fn begun(
    app: &App,
    txn: &Transaction,
    organization_id: Uuid,
    plan_id: Option<Uuid>,
) -> Result<subscription::Model> {
    let row = subscription::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization_id),
        plan_id: Set(plan_id),
        status: Set(BillingStatus::Active),
        sealed_cancel_reason: Set(None),
        started_at: Set(app.clock.now()),
        cancelled_at: Set(None),
        ends_at: Set(None),
    };
    Ok(row.insert(txn).await?)
}

fn reason_context(id: Uuid) -> String {
    format!("subscription.cancelReason:{id}")
}

#[async_trait]
impl Billing for Embedded {
    async fn subscribe(
        &self,
        app: &App,
        txn: &Transaction,
        organization_id: Uuid,
        plan_id: Option<Uuid>,
    ) -> Result<Uuid> {
        if let Some(known) = of(txn, organization_id).await? {
            let id = known.id;
            let mut row = known.into_active_model();
            row.plan_id = Set(plan_id);
            row.status = Set(BillingStatus::Active);
            row.sealed_cancel_reason = Set(None);
            row.cancelled_at = Set(None);
            row.ends_at = Set(None);
            row.update(txn).await?;
            return Ok(id);
        }
        Ok(begun(app, txn, organization_id, plan_id).await?.id)
    }

    async fn cancel(
        &self,
        app: &App,
        txn: &Transaction,
        (organization_id, plan_id): (Uuid, Option<Uuid>),
        reason: &str,
        ends_at: DateTime<Utc>,
    ) -> Result<Uuid> {
        let known = match of(txn, organization_id).await? {
            Some(known) => known,
            // It never chose a plan, but its reason is recorded.
            None => begun(app, txn, organization_id, plan_id).await?,
        };
        let key = app.keys.data_key(organization_id).await?;
        let sealed = key.seal(&reason_context(known.id), reason.as_bytes());
        let mut row = known.into_active_model();
        row.status = Set(BillingStatus::Ending);
        row.sealed_cancel_reason = Set(Some(sealed));
        row.cancelled_at = Set(Some(app.clock.now()));
        row.ends_at = Set(Some(ends_at));
        Ok(row.update(txn).await?.id)
    }

    async fn cancel_reason(&self, app: &App, organization_id: Uuid) -> Result<Option<String>> {
        let Some(known) = of(app.store.db(), organization_id).await? else { return Ok(None) };
        let Some(sealed) = known.sealed_cancel_reason else { return Ok(None) };
        let key = app.keys.data_key(organization_id).await?;
        let reason = key.open(&reason_context(known.id), &sealed)?;
        Ok(Some(String::from_utf8_lossy(&reason).into_owned()))
    }

    async fn end(&self, txn: &Transaction, organization_id: Uuid) -> Result<()> {
        let Some(known) = of(txn, organization_id).await? else { return Ok(()) };
        let mut row = known.into_active_model();
        row.status = Set(BillingStatus::Cancelled);
        row.update(txn).await?;
        Ok(())
    }

    async fn find(&self, db: &Database, reference: Uuid) -> Result<Option<Subscription>> {
        let found = subscription::Entity::find_by_id(reference).one(db).await?;
        Ok(found.map(|row| Subscription {
            reference: row.id,
            organization_id: row.organization_id,
            plan_id: row.plan_id,
            status: row.status,
            started_at: row.started_at,
            ends_at: row.ends_at,
        }))
    }
}
