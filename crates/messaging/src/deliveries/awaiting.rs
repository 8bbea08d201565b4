//! The step that waits for the notices about a sent message.

use super::{LockedDeliveries, fail, is_direct, is_queued, is_waiting, of_message};
use crate::messages::queries::announce;
use chrono::{DateTime, Duration, Utc};
use platform::App;
use sea_orm::EntityTrait;
use store::entities::{delivery, message};
use workflow::{Done, Step, StepContext, StepError};

/// Maximum time to wait for a notice.
pub fn notice_timeout(app: &App) -> Duration {
    Duration::minutes(app.config.direct.notice_timeout_minutes.into())
}

/// Waits until every notice has arrived or timed out.
pub struct AwaitNotices {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for AwaitNotices {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let db = self.app.store.db();
        let Some(row) = message::Entity::find_by_id(cx.object_id()).one(db).await? else {
            return Ok(Done::skipped());
        };
        let now = self.app.clock.now();
        let mut all = of_message(db, &row).await?;
        if all.iter().any(|d| is_late(d, now)) {
            self.give_up(&row, now).await?;
            all = of_message(db, &row).await?;
        }
        // The timeout of a queued delivery has not started.
        let still = all.iter().any(|d| is_direct(d) && is_queued(d)).then(|| now + notice_timeout(&self.app));
        let next = all.iter().filter(|d| is_waiting(d)).filter_map(|d| d.expected_by);
        match next.chain(still).min() {
            Some(until) => Err(StepError::Wait { until }),
            None => Ok(Done::new()),
        }
    }
}

impl AwaitNotices {
    async fn give_up(&self, row: &message::Model, now: DateTime<Utc>) -> Result<(), StepError> {
        let minutes = notice_timeout(&self.app).num_minutes();
        let txn = self.app.store.begin().await?;
        let Some(mut locked) = LockedDeliveries::lock(&txn, row.id).await? else { return Ok(()) };
        // Read again under the lock: a notice may have arrived meanwhile.
        for d in locked.deliveries.iter_mut().filter(|d| is_late(d, now)) {
            let what = if d.processed_at.is_some() { " of delivery" } else { "" };
            let reason =
                format!("The recipient's system sent no confirmation{what} within {minutes} minutes.");
            fail(&txn, d, &reason, now).await?;
        }
        locked.settle(&txn, now).await?;
        txn.commit().await?;
        announce(&self.app, row).await;
        Ok(())
    }
}

/// Whether its next notice has timed out.
fn is_late(row: &delivery::Model, now: DateTime<Utc>) -> bool {
    is_waiting(row) && row.expected_by.is_none_or(|by| by <= now)
}
