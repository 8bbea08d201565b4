//! Dry run of a routing rule on sent messages, with the same code as for the next message.

use super::rules::{Route, Verdict};
use crate::model::DeliveryKind;
use chrono::{DateTime, Duration, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap},
    time::Instant,
};
use store::entities::{delivery, organization};
use utoipa::ToSchema;
use uuid::Uuid;

/// Number of deliveries read at a time, newest first.
const PAGE: u64 = 5_000;
/// Time limit of a dry run.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
/// Maximum number of messages that are listed.
const SHOWN: usize = 50;
const DAYS: i64 = 30;

/// Result of a routing rule's dry run on recent messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoutingDryRun {
    /// Number of deliveries by Direct or by a rule that were checked.
    pub scanned_count: usize,
    /// Sent since this time: 30 days ago, or later if there are too many to check.
    pub since: DateTime<Utc>,
    /// All of the last 30 days were checked.
    pub is_whole: bool,
    /// Number of messages that the endpoints would have received.
    pub matched_count: usize,
    /// Number of messages to the address that would have gone by Direct.
    pub almost_count: usize,
    /// The newest of both.
    pub items: Vec<DryRunMessage>,
}

/// A message to the address of the rule.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunMessage {
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub organization_name: String,
    pub sent_at: DateTime<Utc>,
    pub verdict: DryRunVerdict,
}

/// Result of a rule for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum DryRunVerdict {
    Matched,
    NotASender,
    NoEndpoint,
}

type Sent = (Uuid, Uuid, Uuid, DeliveryKind, String, DateTime<Utc>);

/// Deliveries with lower ids, newest first.
async fn before(db: &impl ConnectionTrait, id: Option<Uuid>) -> Result<Vec<Sent>, DbErr> {
    use delivery::Column;
    let mut page = delivery::Entity::find().select_only().columns([
        Column::Id,
        Column::MessageId,
        Column::OrganizationId,
        Column::Kind,
        Column::AddressKey,
        Column::AcceptedAt,
    ]);
    if let Some(id) = id {
        page = page.filter(Column::Id.lt(id));
    }
    page.order_by_desc(Column::Id).limit(PAGE).into_tuple().all(db).await
}

pub async fn run(
    db: &impl ConnectionTrait,
    route: &Route,
    now: DateTime<Utc>,
) -> Result<RoutingDryRun, DbErr> {
    let (begun, first) = (Instant::now(), now - Duration::days(DAYS));
    let mut run = RoutingDryRun {
        scanned_count: 0,
        since: first,
        is_whole: false,
        matched_count: 0,
        almost_count: 0,
        items: Vec::new(),
    };
    let mut last = None;
    while !run.is_whole {
        let page = before(db, last).await?;
        let recent: Vec<_> = page.iter().filter(|(.., sent_at)| *sent_at >= first).collect();
        run.is_whole = recent.len() < page.len() || (page.len() as u64) < PAGE;
        for (_, message_id, organization_id, kind, key, sent_at) in recent {
            if *kind == DeliveryKind::DirectMessage {
                run.scanned_count += 1;
                if *key == route.rule.address_key {
                    run.add(route, *message_id, *organization_id, *sent_at);
                }
            }
        }
        let Some((id, .., sent_at)) = page.last() else { break };
        last = Some(*id);
        if !run.is_whole && begun.elapsed() > PATIENCE {
            run.since = *sent_at;
            break;
        }
    }
    let names = names_of(db, run.items.iter().map(|item| item.organization_id)).await?;
    for item in &mut run.items {
        item.organization_name = names.get(&item.organization_id).cloned().unwrap_or_default();
    }
    Ok(run)
}

impl RoutingDryRun {
    /// Counts a message to the address of the rule, and lists it up to the maximum.
    fn add(&mut self, route: &Route, message_id: Uuid, organization_id: Uuid, sent_at: DateTime<Utc>) {
        let verdict = match route.judge(organization_id) {
            Verdict::Routed(_) => DryRunVerdict::Matched,
            Verdict::NotASender => DryRunVerdict::NotASender,
            Verdict::NoEndpoint => DryRunVerdict::NoEndpoint,
        };
        match verdict {
            DryRunVerdict::Matched => self.matched_count += 1,
            _ => self.almost_count += 1,
        }
        if self.items.len() < SHOWN {
            let organization_name = String::new();
            self.items.push(DryRunMessage {
                message_id,
                organization_id,
                organization_name,
                sent_at,
                verdict,
            });
        }
    }
}

async fn names_of(
    db: &impl ConnectionTrait,
    ids: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, String>, DbErr> {
    let ids: BTreeSet<Uuid> = ids.collect();
    let found = organization::Entity::find().filter(organization::Column::Id.is_in(ids)).all(db).await?;
    Ok(found.into_iter().map(|o| (o.id, o.name)).collect())
}
