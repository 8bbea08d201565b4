//! Expiry of assignments. After the time set by the organization, an open message returns to the shared queue. Snoozing
//! needs no task: a snoozed message comes back by the time in its row.

use crate::messages::queries::announce;
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
    chores,
    interoperability::Interoperability,
    settings::Settings as _,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::json;
use std::time;
use store::entities::{
    message::{Column, Entity, Model},
    organization,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const PERIOD: time::Duration = time::Duration::from_secs(60);
/// Number of messages read at a time.
const BATCH: u64 = 100;

/// Sets the expiry of an open message's assignment, given the hours, if any. To be called whenever a message is
/// assigned, processed or reopened.
pub fn begin(row: &mut Model, hours: Option<u16>, now: DateTime<Utc>) {
    let is_open = row.assigned_to.is_some() && row.processed_at.is_none();
    let ends_at = hours.map(|hours| now + Duration::hours(hours.into()));
    row.assignment_ends_at = ends_at.filter(|_| is_open);
    if row.processed_at.is_some() {
        row.snoozed_until = None;
    }
}

/// Like [`begin`], by the settings of the organization, for a message that arrives assigned.
pub async fn begin_of_arrival(
    conn: &impl ConnectionTrait,
    row: &mut Model,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    if row.assigned_to.is_some() {
        let organization = organization::Entity::find_by_id(row.organization_id).one(conn).await?;
        // Unreadable settings must not prevent an arrival.
        let settings = organization.and_then(|organization| Interoperability::of(&organization).ok());
        begin(row, settings.and_then(|settings| settings.return_assignments_after_hours), now);
    }
    Ok(())
}

/// Runs every minute until the node stops.
pub async fn return_forever(app: App, cancel: CancellationToken) {
    chores::every(PERIOD, PERIOD, cancel, "return of expired assignments", || return_due(&app)).await;
}

/// Removes reviewers whose time is over. Two nodes may do so at the same time.
pub async fn return_due(app: &App) -> Result<()> {
    loop {
        let now = app.clock.now();
        let due = Entity::find()
            .filter(Column::AssignmentEndsAt.lte(now))
            .filter(Column::DeletedAt.is_null())
            .order_by_asc(Column::AssignmentEndsAt)
            .limit(BATCH)
            .all(app.store.db())
            .await?;
        for row in &due {
            if let Some(row) = give_back(app, row.id, now).await? {
                announce(app, &row).await;
            }
        }
        if (due.len() as u64) < BATCH {
            return Ok(());
        }
    }
}

async fn give_back(app: &App, id: Uuid, now: DateTime<Utc>) -> Result<Option<Model>> {
    let txn = app.store.begin().await?;
    let found = Entity::find_by_id(id).lock_exclusive().one(&txn).await?;
    let is_due =
        |row: &Model| row.deleted_at.is_none() && row.assignment_ends_at.is_some_and(|end| end <= now);
    let Some(row) = found.filter(is_due) else {
        return Ok(None);
    };
    let (reviewer, version, organization_id) = (row.assigned_to, row.version, row.organization_id);
    let mut free = row.into_active_model();
    free.assigned_to = Set(None);
    // Urgent messages need a reviewer.
    free.is_urgent = Set(false);
    free.assignment_ends_at = Set(None);
    free.version = Set(version + 1);
    let row = free.update(&txn).await?;
    let detail = json!({ "assignedTo": null, "cameBackFrom": reviewer });
    let act = Act::new(event::CHANGED, "message", id).detail(detail);
    audit::record(app, &txn, &Actor::system(organization_id), act).await?;
    txn.commit().await?;
    Ok(Some(row))
}
