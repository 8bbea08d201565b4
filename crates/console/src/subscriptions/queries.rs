//! Changes of an organization's subscription.

use super::{
    billing,
    types::{BilledSubscription, Subscription, SubscriptionStatus},
};
use crate::plans::http::offered;
use accounts::{
    organization::{locked, number_of_users},
    plan::{SubscriptionPlan, named},
};
use chrono::Duration;
use platform::{
    App, Caller, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::DEFAULT_FIELD_ERROR,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel};
use serde_json::json;
use store::{Transaction, entities::organization};
use uuid::Uuid;

const REASON_MAX: usize = 1000;
const NOT_OFFERED: &str = "Please choose one of the plans that are offered to your organization.";
const CANCELLED_BEFORE: &str = "The subscription is already cancelled.";
const IS_CANCELLED: &str = "The subscription is cancelled. Reactivate the organization first.";

fn status(organization: &organization::Model) -> SubscriptionStatus {
    if organization.is_cancelled {
        SubscriptionStatus::Cancelled
    } else if organization.is_pending_cancellation && organization.grace_until.is_some() {
        SubscriptionStatus::GracePeriod
    } else {
        SubscriptionStatus::Active
    }
}

pub async fn subscription_of(app: &App, organization_id: Uuid) -> Result<Subscription> {
    let db = app.store.db();
    let organization =
        organization::Entity::find_by_id(organization_id).one(db).await?.ok_or(Error::NotFound)?;
    let number_of_users = number_of_users(db, organization_id).await?;
    let offered_plans = offered(db, organization.reseller_id, number_of_users).await?;
    let plan = named(db, organization.plan_id).await?;
    let status = status(&organization);
    Ok(Subscription {
        organization_id,
        status,
        cancel_reason: match status {
            SubscriptionStatus::Active => None,
            _ => billing::member().cancel_reason(app, organization_id).await?,
        },
        end_date: organization.grace_until.filter(|_| status != SubscriptionStatus::Active),
        organization_name: organization.name,
        subscription_reference: organization.subscription_reference,
        plan_id: plan.id,
        plan,
        number_of_users,
        offered_plans,
    })
}

pub async fn billed(app: &App, caller: &Caller, reference: Uuid) -> Result<BilledSubscription> {
    let db = app.store.db();
    let found = billing::member().find(db, reference).await?.ok_or(Error::NotFound)?;
    caller.require_manager_of(found.organization_id)?;
    Ok(BilledSubscription {
        id: found.reference,
        organization_id: found.organization_id,
        plan_id: found.plan_id,
        plan: named(db, found.plan_id).await?,
        status: found.status,
        start_date: found.started_at,
        end_date: found.ends_at,
    })
}

/// Checks that the plan is offered to the organization now.
async fn require_offered(
    txn: &Transaction,
    organization: &organization::Model,
    plan_id: Option<Uuid>,
) -> Result<()> {
    let users = number_of_users(txn, organization.id).await?;
    let offered: Vec<SubscriptionPlan> = offered(txn, organization.reseller_id, users).await?;
    if offered.iter().any(|plan| plan.id == plan_id) {
        return Ok(());
    }
    Err(Error::field("planId", NOT_OFFERED))
}

/// Adds an entry to the organization's own audit trail.
async fn record(
    app: &App,
    txn: &Transaction,
    actor: Actor,
    event: &'static str,
    organization_id: Uuid,
    detail: serde_json::Value,
) -> Result<()> {
    let actor = Actor { organization_id: Some(organization_id), ..actor };
    audit::record(app, txn, &actor, Act::new(event, "organization", organization_id).detail(detail)).await
}

/// Writes the status of an organization's subscription.
async fn save(txn: &Transaction, mut row: organization::ActiveModel) -> Result<()> {
    row.version = Set(row.version.as_ref() + 1);
    row.update(txn).await?;
    Ok(())
}

/// Gives an organization another plan. The present plan changes nothing.
pub async fn change(app: &App, caller: &Caller, organization_id: Uuid, plan_id: Option<Uuid>) -> Result<()> {
    let txn = app.store.begin().await?;
    let organization = locked(&txn, organization_id).await?;
    if status(&organization) != SubscriptionStatus::Active {
        return Err(Error::Conflict(IS_CANCELLED.into()));
    }
    if organization.plan_id == plan_id && organization.subscription_reference.is_some() {
        return Ok(());
    }
    require_offered(&txn, &organization, plan_id).await?;
    let reference = billing::member().subscribe(app, &txn, organization_id, plan_id).await?;
    let before = organization.plan_id;
    let mut row = organization.into_active_model();
    row.plan_id = Set(plan_id);
    row.subscription_reference = Set(Some(reference.to_string()));
    save(&txn, row).await?;
    let detail = json!({ "from": before, "to": plan_id });
    record(app, &txn, Actor::from(caller), event::SUBSCRIPTION_CHANGED, organization_id, detail).await?;
    Ok(txn.commit().await?)
}

/// Cancels a subscription: the organization can be used until the grace period is over.
pub async fn cancel(app: &App, member: &Member, reason: &str) -> Result<()> {
    if reason.is_empty() {
        return Err(Error::field("cancelReason", "Please tell us why you are leaving."));
    }
    if reason.chars().count() > REASON_MAX {
        return Err(Error::field("cancelReason", DEFAULT_FIELD_ERROR));
    }
    let ends_at = app.clock.now() + Duration::days(app.config.billing.grace_days.into());
    let txn = app.store.begin().await?;
    let organization = locked(&txn, member.organization_id).await?;
    if status(&organization) != SubscriptionStatus::Active {
        return Err(Error::Conflict(CANCELLED_BEFORE.into()));
    }
    let id = organization.id;
    let reference = billing::member().cancel(app, &txn, (id, organization.plan_id), reason, ends_at).await?;
    let mut row = organization.into_active_model();
    row.subscription_reference = Set(Some(reference.to_string()));
    row.is_pending_cancellation = Set(true);
    row.grace_until = Set(Some(ends_at));
    save(&txn, row).await?;
    let detail = json!({ "endsAt": ends_at });
    record(app, &txn, Actor::from(&member.caller), event::SUBSCRIPTION_CANCELLED, id, detail).await?;
    Ok(txn.commit().await?)
}

/// Takes a cancellation back. An active organization stays as it is.
pub async fn reactivate(app: &App, member: &Member, plan_id: Option<Uuid>) -> Result<()> {
    let txn = app.store.begin().await?;
    let organization = locked(&txn, member.organization_id).await?;
    let plan_id = plan_id.or(organization.plan_id);
    // The previous plan is allowed again.
    if plan_id != organization.plan_id {
        require_offered(&txn, &organization, plan_id).await?;
    }
    if status(&organization) == SubscriptionStatus::Active {
        return Ok(());
    }
    let reference = billing::member().subscribe(app, &txn, organization.id, plan_id).await?;
    let id = organization.id;
    let mut row = organization.into_active_model();
    row.plan_id = Set(plan_id);
    row.subscription_reference = Set(Some(reference.to_string()));
    row.is_cancelled = Set(false);
    row.is_pending_cancellation = Set(false);
    row.grace_until = Set(None);
    save(&txn, row).await?;
    let detail = json!({ "plan": plan_id });
    record(app, &txn, Actor::from(&member.caller), event::SUBSCRIPTION_REACTIVATED, id, detail).await?;
    Ok(txn.commit().await?)
}

/// Ends an organization after its grace period, if that is still over under the lock.
pub async fn end(app: &App, organization_id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let organization = match locked(&txn, organization_id).await {
        // It was deleted in the meantime.
        Err(Error::NotFound) => return Ok(()),
        found => found?,
    };
    let is_over = organization.grace_until.is_some_and(|until| until <= app.clock.now());
    if !organization.is_pending_cancellation || !is_over {
        return Ok(());
    }
    billing::member().end(&txn, organization_id).await?;
    let mut row = organization.into_active_model();
    row.is_cancelled = Set(true);
    row.is_pending_cancellation = Set(false);
    save(&txn, row).await?;
    let detail = json!({ "ended": true });
    let actor = Actor::system(organization_id);
    record(app, &txn, actor, event::SUBSCRIPTION_CANCELLED, organization_id, detail).await?;
    Ok(txn.commit().await?)
}
