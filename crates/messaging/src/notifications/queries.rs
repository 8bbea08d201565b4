//! Counts of messages for notifications.

use crate::{
    messages::kinds::{self, Scope},
    model::{Direction, SourceStatus, Status},
};
use chrono::{DateTime, Duration, Utc};
use platform::{Result, http::COUNT_CAP, session::unreadable};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationDef, Select,
};
use std::collections::{BTreeSet, HashSet};
use store::{
    entities::{
        document_source, message,
        message_event::{self, EventType},
        notification::NotificationKind,
        user_document_source,
    },
    tenant::Tenant,
};
use uuid::Uuid;

/// Time after its arrival from which a message counts as waiting.
const WAITS_AFTER: Duration = Duration::days(1);
const OPEN: [Status; 4] = [Status::Received, Status::Pending, Status::Uploaded, Status::Triaged];
const ARRIVED: [EventType; 1] = [EventType::Received];
const FAILED: [EventType; 2] = [EventType::Failed, EventType::Bounced];

/// From the first time, inclusive, to the second, exclusive.
pub type Span = (DateTime<Utc>, DateTime<Utc>);

/// Number of messages to or from the addresses linked to a user in an organization, up to one more than the cap.
pub async fn count(
    db: &impl ConnectionTrait,
    kind: NotificationKind,
    tenant: Tenant,
    user_id: Uuid,
    span: Span,
) -> Result<u64> {
    let addresses = addresses(db, &tenant, user_id).await?;
    let unreadable = unreadable(db, tenant.0, user_id).await?;
    if addresses.is_empty() {
        return Ok(0);
    }
    let of_all = match kind {
        NotificationKind::NewMessages => {
            let unread = events(&tenant, &ARRIVED, span).filter(message::Column::ReadAt.is_null());
            read(db, unread, message::Column::ToAddress).await?
        }
        NotificationKind::FailedMessages => {
            read(db, events(&tenant, &FAILED, span), message::Column::FromAddress).await?
        }
        NotificationKind::UnprocessedMessages => {
            let old = message::Column::ReceivedAt.lt(span.1 - WAITS_AFTER);
            open(db, &tenant, |messages| messages.filter(old.clone())).await?
        }
        NotificationKind::UnassignedMessages => {
            open(db, &tenant, |messages| messages.filter(message::Column::AssignedTo.is_null())).await?
        }
    };
    let is_sent = kind == NotificationKind::FailedMessages;
    let is_theirs = |text: &str| {
        let is_linked = text.split(';').any(|a| addresses.contains(&a.trim().to_lowercase()));
        is_linked && (is_sent || !unreadable.hides(text))
    };
    let theirs: HashSet<Uuid> =
        of_all.into_iter().filter(|(_, text)| is_theirs(text)).map(|(id, _)| id).collect();
    Ok((theirs.len() as u64).min(COUNT_CAP + 1))
}

async fn addresses(db: &impl ConnectionTrait, tenant: &Tenant, user_id: Uuid) -> Result<BTreeSet<String>> {
    let links = user_document_source::Entity::find()
        .filter(user_document_source::Column::UserId.eq(user_id))
        .filter(user_document_source::Column::OrganizationId.eq(tenant.0))
        .all(db)
        .await?;
    let sources = tenant
        .document_sources()
        .filter(document_source::Column::Id.is_in(links.into_iter().map(|link| link.document_source_id)))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted))
        .all(db)
        .await?;
    Ok(sources.into_iter().map(|source| source.address_key).collect())
}

/// Messages with events of these types, by the index on the time of events.
fn events(tenant: &Tenant, kinds: &[EventType], (after, until): Span) -> Select<message_event::Entity> {
    let of_event: RelationDef = message_event::Entity::belongs_to(message::Entity)
        .from(message_event::Column::MessageId)
        .to(message::Column::Id)
        .into();
    message_event::Entity::find()
        .join(JoinType::InnerJoin, of_event)
        .filter(message_event::Column::OrganizationId.eq(tenant.0))
        .filter(message_event::Column::At.gte(after))
        .filter(message_event::Column::At.lt(until))
        .filter(message_event::Column::EventType.is_in(kinds.iter().copied()))
        .filter(message::Column::DeletedAt.is_null())
}

async fn read(
    db: &impl ConnectionTrait,
    events: Select<message_event::Entity>,
    address: message::Column,
) -> Result<Vec<(Uuid, String)>> {
    let rows = events.select_only().column(message::Column::Id).column(address).limit(COUNT_CAP + 1);
    Ok(rows.into_tuple().all(db).await?)
}

/// Waiting messages of the Intake, by kind, each a range of an index.
async fn open(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    which: impl Fn(Select<message::Entity>) -> Select<message::Entity>,
) -> Result<Vec<(Uuid, String)>> {
    let scope = Scope { organization_id: tenant.0, direction: Direction::Intake, is_draft: false };
    let all = tenant
        .messages()
        .filter(message::Column::Direction.eq(scope.direction))
        .filter(message::Column::IsDraft.eq(scope.is_draft));
    let mut found = Vec::new();
    for kind in kinds::kinds(db, scope).await? {
        if OPEN.contains(&kind.status) {
            let rows = which(kind.range(all.clone())).select_only();
            let rows = rows.column(message::Column::Id).column(message::Column::ToAddress);
            found.extend(rows.limit(COUNT_CAP + 1).into_tuple::<(Uuid, String)>().all(db).await?);
        }
    }
    Ok(found)
}
