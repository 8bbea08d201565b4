//! Sends due notifications. A row is rescheduled in the transaction that sends its e-mail, so that nobody is notified
//! twice.

use super::{mail::MessageNotice, queries};
use accounts::{
    person,
    person::open_organizations,
    profile::notifications::{interval_after_mail, interval_after_nothing},
};
use chrono::{DateTime, Duration, Utc};
use email::Prepared;
use platform::{App, Result, bus::Event, chores};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use std::time;
use store::{
    entities::{app_user, notification},
    tenant::Tenant,
};
use tokio_util::sync::CancellationToken;

const POLL_INTERVAL: time::Duration = time::Duration::from_secs(60);
/// Rows read at a time.
const BATCH_SIZE: u64 = 100;
/// Events older than this are committed for certain.
const COMMIT_DELAY: Duration = Duration::minutes(1);
/// Time until a retry after a failure.
const RETRY_AFTER: Duration = Duration::minutes(10);

/// Sends due notifications until the node stops.
pub async fn notify_forever(app: App, cancel: CancellationToken) {
    chores::every(POLL_INTERVAL, POLL_INTERVAL, cancel, "notifications", || notify_due(&app)).await;
}

/// Sends everything that is due.
pub async fn notify_due(app: &App) -> Result<()> {
    let now = app.clock.now();
    loop {
        let due = notification::Entity::find()
            .filter(notification::Column::DueAt.lte(now))
            .order_by_asc(notification::Column::DueAt)
            .limit(BATCH_SIZE)
            .all(app.store.db())
            .await?;
        if due.is_empty() {
            return Ok(());
        }
        for row in due {
            // A failure must not hold up the others.
            if let Err(error) = notify(app, &row, now).await {
                tracing::error!(user = %row.user_id, kind = ?row.kind, ?error, "a notification failed");
                reschedule(app, &row, row.told_until, now + RETRY_AFTER, None).await?;
            }
        }
    }
}

async fn notify(app: &App, row: &notification::Model, now: DateTime<Utc>) -> Result<()> {
    let until = now - COMMIT_DELAY;
    let mail = mail(app, row, until).await?;
    let next = if mail.is_some() { interval_after_mail(row.kind) } else { interval_after_nothing(row.kind) };
    reschedule(app, row, until.max(row.told_until), now + next, mail).await
}

/// The e-mail to a user; `None` if there is nothing to report, or e-mail is not configured.
async fn mail(app: &App, row: &notification::Model, until: DateTime<Utc>) -> Result<Option<Prepared>> {
    let db = app.store.db();
    let user = app_user::Entity::find_by_id(row.user_id).one(db).await?;
    let Some(user) = user.filter(|user| !user.is_disabled && email::is_available(app)) else {
        return Ok(None);
    };
    let Some(to) = person::recipient(&user) else { return Ok(None) };
    let (mut counts, mut home) = (Vec::new(), None);
    for organization in open_organizations(db, user.id).await?.into_iter().filter(|o| !o.is_cancelled) {
        let tenant = Tenant::whole(organization.id);
        let n = queries::count(db, row.kind, tenant, user.id, (row.told_until, until)).await?;
        if n > 0 {
            home = home.or(Some(organization.id));
            counts.push((organization.name, n));
        }
    }
    if counts.is_empty() {
        return Ok(None);
    }
    let notice = MessageNotice::new(row.kind, user.first_name, counts);
    Ok(Some(email::prepare(app, home, to, &notice).await?))
}

/// Sends the e-mail and reschedules the row, unless another node has done so or the notification was turned off.
async fn reschedule(
    app: &App,
    row: &notification::Model,
    told_until: DateTime<Utc>,
    due_at: DateTime<Utc>,
    mail: Option<Prepared>,
) -> Result<()> {
    let txn = app.store.begin().await?;
    let key = (row.user_id, row.kind);
    let now = notification::Entity::find_by_id(key).lock_exclusive().one(&txn).await?;
    if now.is_none_or(|now| now.due_at != row.due_at) {
        return Ok(());
    }
    let change = notification::ActiveModel {
        user_id: Set(row.user_id),
        kind: Set(row.kind),
        told_until: Set(told_until),
        due_at: Set(due_at),
    };
    change.update(&txn).await?;
    let is_told = mail.is_some();
    if let Some(mail) = mail {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    if is_told {
        app.bus.publish(Event::Work).await;
    }
    Ok(())
}
