//! E-mail notifications that a user has turned on, one row each with the time at which it is due.

use super::own::UserPreferences;
use chrono::{DateTime, Duration, Utc};
use platform::Result;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, Iterable, QueryFilter, sea_query::OnConflict};
use store::{
    Transaction,
    entities::notification::{ActiveModel, Column, Entity, NotificationKind},
};
use uuid::Uuid;

/// Time from an e-mail to the next check.
pub fn interval_after_mail(kind: NotificationKind) -> Duration {
    match kind {
        NotificationKind::NewMessages => Duration::minutes(15),
        NotificationKind::FailedMessages => Duration::hours(1),
        NotificationKind::UnprocessedMessages | NotificationKind::UnassignedMessages => Duration::days(1),
    }
}

/// Time from a check without news to the next check.
pub fn interval_after_nothing(kind: NotificationKind) -> Duration {
    match kind {
        NotificationKind::NewMessages | NotificationKind::FailedMessages => Duration::minutes(5),
        NotificationKind::UnprocessedMessages | NotificationKind::UnassignedMessages => Duration::days(1),
    }
}

fn is_wanted(kind: NotificationKind, preferences: &UserPreferences) -> bool {
    match kind {
        NotificationKind::NewMessages => preferences.email_new_messages,
        NotificationKind::UnprocessedMessages => preferences.email_unprocessed_messages,
        NotificationKind::UnassignedMessages => preferences.email_unassigned_messages,
        NotificationKind::FailedMessages => preferences.email_failed_messages_digest,
    }
}

/// Saves a user's preferences. Notifications that were on before keep their schedule.
pub async fn save(
    txn: &Transaction,
    user_id: Uuid,
    preferences: &UserPreferences,
    now: DateTime<Utc>,
) -> Result<()> {
    let (on, off): (Vec<_>, Vec<_>) =
        NotificationKind::iter().partition(|kind| is_wanted(*kind, preferences));
    Entity::delete_many()
        .filter(Column::UserId.eq(user_id))
        .filter(Column::Kind.is_in(off))
        .exec(txn)
        .await?;
    for kind in on {
        let row = ActiveModel {
            user_id: Set(user_id),
            kind: Set(kind),
            told_until: Set(now),
            due_at: Set(now + interval_after_nothing(kind)),
        };
        let once = OnConflict::columns([Column::UserId, Column::Kind]).do_nothing().to_owned();
        Entity::insert(row).on_conflict(once).exec_without_returning(txn).await?;
    }
    Ok(())
}
