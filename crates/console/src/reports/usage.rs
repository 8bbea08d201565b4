//! The reports on the contacts of organizations, and on the devices of sign-ins.

use super::queries::{Cursor, PIECE, names_of};
use accounts::{organization::open, user_name};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Result,
    csv::{Report, inert, time},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait},
};
use std::collections::HashMap;
use store::entities::{
    delivery,
    message::{self, Direction},
    organization, saved_address, session,
};
use uuid::Uuid;

/// Number of days within which a contact counts as used if a message was sent to it.
const DAYS: i64 = 30;

/// A line for each existing organization, oldest first: the numbers of its contacts and of its used contacts.
#[derive(Default)]
pub struct Contacts(Cursor);

#[derive(Default, FromQueryResult)]
struct Used {
    contacts: i64,
    deliveries: i64,
}

impl Report<5> for Contacts {
    const COLUMNS: [&'static str; 5] = [
        "Organization ID",
        "Organization",
        "Saved Contacts",
        "Contacts Sent To In 30 Days",
        "Deliveries In 30 Days",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 5]>>> {
        if self.0.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let rows = open().filter(organization::Column::Id.gt(self.0.after));
        let rows = rows.order_by_asc(organization::Column::Id).limit(PIECE).all(db).await?;
        self.0.pass(rows.iter().map(|o| o.id));
        let ids: Vec<Uuid> = rows.iter().map(|o| o.id).collect();
        let saved = saved(db, &ids).await?;
        let since = app.clock.now() - Duration::days(DAYS);
        let mut lines = Vec::with_capacity(rows.len());
        for o in rows {
            let Used { contacts, deliveries } = used(db, o.id, since).await?;
            let saved = saved.get(&o.id).copied().unwrap_or_default();
            let [saved, contacts, deliveries] = [saved, contacts, deliveries].map(|count| count.to_string());
            lines.push([o.id.to_string(), inert(&o.name), saved, contacts, deliveries]);
        }
        Ok(Some(lines))
    }
}

async fn saved(db: &impl ConnectionTrait, organizations: &[Uuid]) -> Result<HashMap<Uuid, i64>> {
    use saved_address::Column::{Address, OrganizationId};
    let counts = saved_address::Entity::find()
        .filter(OrganizationId.is_in(organizations.iter().copied()))
        .select_only()
        .column(OrganizationId)
        .expr(Address.count())
        .group_by(OrganizationId)
        .into_tuple::<(Uuid, i64)>()
        .all(db)
        .await?;
    Ok(counts.into_iter().collect())
}

/// Numbers of recipients and messages that an organization sent since a time, read along the index of its sent
/// messages, so that the cost depends on that organization only. Deleted messages do not count.
async fn used(db: &impl ConnectionTrait, organization_id: Uuid, since: DateTime<Utc>) -> Result<Used> {
    let sent = message::Entity::find()
        .filter(message::Column::OrganizationId.eq(organization_id))
        .filter(message::Column::Direction.eq(Direction::Release))
        .filter(message::Column::IsDraft.eq(false))
        .filter(message::Column::DeletedAt.is_null())
        .filter(message::Column::ReceivedAt.gte(since))
        .select_only()
        .column(message::Column::Id)
        .into_query();
    let counted = delivery::Entity::find()
        .filter(delivery::Column::MessageId.in_subquery(sent))
        .select_only()
        .expr_as(Expr::col(delivery::Column::AddressKey.as_column_ref()).count_distinct(), "contacts")
        .expr_as(delivery::Column::Id.count(), "deliveries")
        .into_model::<Used>()
        .one(db)
        .await?;
    Ok(counted.unwrap_or_default())
}

/// A line for each sign-in within a period, in the order of ids: the user, the device and the address.
pub struct Devices {
    since: DateTime<Utc>,
    until: DateTime<Utc>,
    cursor: Cursor,
}

impl Devices {
    pub fn new(since: DateTime<Utc>, until: DateTime<Utc>) -> Self {
        Self { since, until, cursor: Cursor::default() }
    }
}

impl Report<8> for Devices {
    const COLUMNS: [&'static str; 8] = [
        "User ID",
        "Username",
        "Organization ID",
        "Organization",
        "Device",
        "IP Address",
        "Signed In",
        "Last Used",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 8]>>> {
        use session::Column::{CreatedAt, Id};
        if self.cursor.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let rows = session::Entity::find()
            .filter(Id.gt(self.cursor.after))
            .filter(CreatedAt.gte(self.since))
            .filter(CreatedAt.lte(self.until))
            .order_by_asc(Id)
            .limit(PIECE)
            .all(db)
            .await?;
        self.cursor.pass(rows.iter().map(|s| s.id));
        let organizations = names_of(db, rows.iter().filter_map(|s| s.organization_id)).await?;
        let people = user_name::names_of(db, rows.iter().map(|s| s.user_id)).await?;
        let line = |s: session::Model| {
            let organization = s.organization_id.and_then(|id| organizations.get(&id));
            [
                s.user_id.to_string(),
                people.get(&s.user_id).map(|name| inert(name)).unwrap_or_default(),
                s.organization_id.map(|id| id.to_string()).unwrap_or_default(),
                organization.map(|name| inert(name)).unwrap_or_default(),
                inert(&s.user_agent),
                s.source_ip,
                time(s.created_at),
                time(s.last_used_at),
            ]
        };
        Ok(Some(rows.into_iter().map(line).collect()))
    }
}
