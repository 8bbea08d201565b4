//! What people wish to be told by e-mail, as rows that come due.

use super::own::UserPreferences;
use chrono::{DateTime, Duration, Utc};
use platform::Result;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};
use store::{
    Transaction,
    entities::notification::{ActiveModel, Column, Entity},
};
use uuid::Uuid;

/// News of which people are told when they wish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Messages have arrived.
    NewMessages,
    /// Messages wait to be processed.
    UnprocessedMessages,
    /// Messages wait, and nobody has taken them.
    UnassignedMessages,
    /// Messages could not be delivered.
    FailedMessages,
}

impl Wish {
    pub const ALL: [Self; 4] =
        [Self::NewMessages, Self::UnprocessedMessages, Self::UnassignedMessages, Self::FailedMessages];

    /// As `notification.kind` holds it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewMessages => "NewMessages",
            Self::UnprocessedMessages => "UnprocessedMessages",
            Self::UnassignedMessages => "UnassignedMessages",
            Self::FailedMessages => "FailedMessages",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wish| wish.name() == name)
    }

    /// How long after one e-mail the next may follow.
    pub fn pause(self) -> Duration {
        match self {
            Self::NewMessages => Duration::minutes(15),
            Self::FailedMessages => Duration::hours(1),
            Self::UnprocessedMessages | Self::UnassignedMessages => Duration::days(1),
        }
    }

    /// How long after nothing was found it is looked again.
    pub fn rest(self) -> Duration {
        match self {
            Self::NewMessages | Self::FailedMessages => Duration::minutes(5),
            Self::UnprocessedMessages | Self::UnassignedMessages => Duration::days(1),
        }
    }

    fn is_in(self, wanted: &UserPreferences) -> bool {
        match self {
            Self::NewMessages => wanted.email_new_messages,
            Self::UnprocessedMessages => wanted.email_unprocessed_messages,
            Self::UnassignedMessages => wanted.email_unassigned_messages,
            Self::FailedMessages => wanted.email_failed_messages_digest,
        }
    }
}

/// Keeps what somebody wishes from now on. What was wished before goes on as it was.
pub async fn keep(
    txn: &Transaction,
    user_id: Uuid,
    wanted: &UserPreferences,
    now: DateTime<Utc>,
) -> Result<()> {
    let (on, off): (Vec<Wish>, Vec<Wish>) = Wish::ALL.into_iter().partition(|wish| wish.is_in(wanted));
    Entity::delete_many()
        .filter(Column::UserId.eq(user_id))
        .filter(Column::Kind.is_in(off.into_iter().map(Wish::name)))
        .exec(txn)
        .await?;
    for wish in on {
        let row = ActiveModel {
            user_id: Set(user_id),
            kind: Set(wish.name().into()),
            told_until: Set(now),
            due_at: Set(now + wish.rest()),
        };
        let once = OnConflict::columns([Column::UserId, Column::Kind]).do_nothing().to_owned();
        Entity::insert(row).on_conflict(once).exec_without_returning(txn).await?;
    }
    Ok(())
}
