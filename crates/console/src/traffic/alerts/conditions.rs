//! Conditions that raise an alert. Every alert follows from a measurement.

use super::{
    super::channels::{ChannelState, Line, state},
    onset,
};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Result, http::COUNT_CAP, nodes, sql::capped_count};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    Statement,
};
use store::entities::{
    alert_acknowledgement::AlertStatus,
    direct_certificate,
    held_file::{self, HeldState},
    node,
    step_attempt::{self, AttemptOutcome},
    trust_bundle,
    workflow_step::Lane,
};
use workflow::lane_states;

/// Normal maximum of the time until a step is picked up.
const PROMPT: Duration = Duration::seconds(30);
/// Waiting time of steps from which messages are held up.
const LATE: Duration = Duration::minutes(5);
/// Remaining validity at which certificates should long have been renewed automatically.
const NEARLY_EXPIRED: Duration = Duration::days(14);
/// Response times of the database to a heartbeat, in milliseconds.
const SLOW_MS: i32 = 250;
const VERY_SLOW_MS: i32 = 2_000;
/// Differences of clocks, in milliseconds: leases and notices depend on them.
const APART_MS: u64 = 2_000;
const FAR_APART_MS: u64 = 30_000;
/// Number of a step's last attempts that decide whether it is failing.
const RECENT: u64 = 100;
const RECENT_FOR: Duration = Duration::minutes(30);
/// Number of attempts in a row that distinguishes a failing partner from a single bad message.
const FAILING_FROM: usize = 10;

/// Maximum number of bundles that are named.
const BUNDLES: u64 = 100;

/// A problem of the installation.
pub struct Found {
    /// Key of the alert, such as `queue.Delivering`: constant while it lasts.
    pub id: String,
    /// When it began, or when it was first noticed.
    pub since: DateTime<Utc>,
    pub name: String,
    pub status: AlertStatus,
    pub advice: &'static str,
}

/// The current alerts, worst first.
pub async fn find(app: &App) -> Result<Vec<Found>> {
    let now = app.clock.now();
    let mut found = queues(app, now).await?;
    found.extend(failing_steps(app, now).await?);
    found.extend(failing_channels(app, now).await?);
    found.extend(of_nodes(app).await?);
    found.extend(certificates(app, now).await?);
    found.extend(bundles(app, now).await?);
    found.extend(malware(app, now).await?);
    found.extend(disk(app, now));
    found.extend(audit(app, now));
    onset::remember(app, &mut found, now).await;
    found.sort_by(|a, b| a.status.cmp(&b.status).then(b.since.cmp(&a.since)));
    Ok(found)
}

async fn queues(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    let waiting = lane_states(app.store.db(), now).await?.into_iter().filter_map(|lane| {
        let since = lane.oldest.filter(|oldest| now - *oldest > PROMPT)?;
        let status = if now - since > LATE { AlertStatus::Triggered } else { AlertStatus::Warn };
        Some(Found {
            id: format!("queue.{}", lane.lane),
            since,
            name: format!("{}: {} steps are waiting for a worker", lane.lane, lane.waiting),
            status,
            advice: "Check under Statistics whether a node is missing. If none is, give the lane more workers.",
        })
    });
    Ok(waiting.collect())
}

async fn failing_channels(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for line in Line::all() {
        let (status, share) = match state(app.store.db(), &line, now).await? {
            ChannelState::Ok => continue,
            ChannelState::Warn => (AlertStatus::Warn, "1%"),
            ChannelState::Error => (AlertStatus::Triggered, "5%"),
        };
        found.push(Found {
            id: format!("channel.{}", line.name),
            since: now,
            name: format!("{}: failures above {share} in 24 hours", line.name),
            status,
            advice: "Open the failed workflows, or the failures by cause, and retry them once the cause is fixed.",
        });
    }
    Ok(found)
}

/// Steps whose last attempts all failed: the partner behind them, such as a fax provider, is down.
async fn failing_steps(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for name in names_of_steps(app).await? {
        let rows = latest(app, &name, now - RECENT_FOR).await?;
        // The owners of webhooks are told about their endpoints themselves.
        if rows.first().is_none_or(|(lane, ..)| *lane == Lane::Webhooks) {
            continue;
        }
        let Some((attempts, since)) = failing(&rows) else { continue };
        found.push(Found {
            id: format!("step.{name}"),
            since,
            name: format!("{name}: the last {attempts} attempts failed"),
            status: AlertStatus::Triggered,
            advice: "Open the failures by cause. Whoever is behind this step, such as a fax provider or a mail server, \
                     does not answer or refuses.",
        });
    }
    Ok(found)
}

/// The names of all steps with stored attempts: one index search for each.
async fn names_of_steps(app: &App) -> Result<Vec<String>> {
    let db = app.store.db();
    let sql = "WITH RECURSIVE one (name) AS (SELECT MIN(name) FROM step_attempt UNION ALL \
               SELECT (SELECT MIN(step_attempt.name) FROM step_attempt WHERE step_attempt.name > one.name) \
               FROM one WHERE one.name IS NOT NULL) SELECT name FROM one WHERE name IS NOT NULL";
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    Ok(rows.into_iter().map(|row| row.try_get("", "name")).collect::<Result<_, _>>()?)
}

type Attempt = (Lane, AttemptOutcome, DateTime<Utc>);

/// The last attempts of a step, latest first.
async fn latest(app: &App, name: &str, since: DateTime<Utc>) -> Result<Vec<Attempt>> {
    use step_attempt::Column;
    let rows = step_attempt::Entity::find()
        .select_only()
        .columns([Column::Lane, Column::Outcome, Column::EndedAt])
        .filter(Column::Name.eq(name))
        .filter(Column::EndedAt.gt(since))
        .order_by_desc(Column::EndedAt)
        .limit(RECENT)
        .into_tuple()
        .all(app.store.db())
        .await?;
    Ok(rows)
}

/// From attempts, latest first: the number of failures since the last success, and the time of the first, if there
/// are enough.
fn failing(rows: &[Attempt]) -> Option<(usize, DateTime<Utc>)> {
    let has_failed = |row: &&Attempt| !matches!(row.1, AttemptOutcome::Completed | AttemptOutcome::Skipped);
    let failed: Vec<_> = rows.iter().take_while(has_failed).collect();
    let (.., since) = failed.last()?;
    (failed.len() >= FAILING_FROM).then_some((failed.len(), *since))
}

async fn of_nodes(app: &App) -> Result<Vec<Found>> {
    let now = nodes::now(app);
    let nodes = nodes::all(app).await?;
    Ok(nodes.iter().flat_map(|node| of_node(node, now)).collect())
}

fn of_node(node: &node::Model, now: DateTime<Utc>) -> Vec<Found> {
    if !nodes::is_at_work(node, now) {
        return vec![Found {
            id: format!("node.{}", node.id),
            since: node.seen_at,
            name: format!("{} has stopped answering", node.name),
            status: AlertStatus::Warn,
            advice: "Restart the node, or check why it cannot reach the database. Other nodes take over its work.",
        }];
    }
    let of = |is_bad: bool| if is_bad { AlertStatus::Triggered } else { AlertStatus::Warn };
    let mut found = Vec::new();
    if node.database_ms >= SLOW_MS {
        found.push(Found {
            id: format!("database.{}", node.id),
            since: node.seen_at,
            name: format!("The database answers {} after {} ms", node.name, node.database_ms),
            status: of(node.database_ms >= VERY_SLOW_MS),
            advice: "Look at the load and the disk of the database, and at the network in between.",
        });
    }
    let apart = node.clock_ahead_ms.unsigned_abs();
    if apart >= APART_MS {
        found.push(Found {
            id: format!("clock.{}", node.id),
            since: node.seen_at,
            name: format!("The clocks of {} and the database are {:.1} s apart", node.name, apart as f64 / 1000.0),
            status: of(apart >= FAR_APART_MS),
            advice: "Synchronize both machines with the same time servers (NTP). Until then, times of messages and second-factor codes are wrong.",
        });
    }
    found
}

async fn bundles(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    use trust_bundle::Column;
    let stale = trust_bundle::Entity::find()
        .filter(Column::LastError.is_not_null())
        .order_by_asc(Column::Name)
        .limit(BUNDLES)
        .all(app.store.db())
        .await?;
    Ok(stale
        .into_iter()
        .map(|bundle| Found {
            id: format!("bundle.{}", bundle.id),
            since: bundle.refreshed_at.unwrap_or(now),
            name: format!("The trust bundle {} could not be fetched", bundle.name),
            status: AlertStatus::Warn,
            advice: "The anchors of the last good one remain in use. Run carepost doctor for the reason, and ask its publisher.",
        })
        .collect())
}

async fn certificates(app: &App, now: DateTime<Utc>) -> Result<Option<Found>> {
    use direct_certificate::Column;
    let expiring = direct_certificate::Entity::find()
        .filter(Column::RevokedAt.is_null())
        .filter(Column::RetiredAt.is_null())
        .filter(Column::NotAfter.lt(now + NEARLY_EXPIRED));
    let Some(first) = expiring.clone().order_by_asc(Column::NotAfter).one(app.store.db()).await? else {
        return Ok(None);
    };
    let count = expiring.count(app.store.db()).await?;
    let status = if first.not_after <= now { AlertStatus::Triggered } else { AlertStatus::Warn };
    Ok(Some(Found {
        id: "certificates".into(),
        since: first.not_after - NEARLY_EXPIRED,
        name: format!("{count} certificates expire within 14 days, the first that of {}", first.domain),
        status,
        advice: "Certificates are renewed automatically before they expire. Check the log of the workers for the reason of the failure.",
    }))
}

/// Files that cannot be opened: the scanner does not answer, or it found something and no operator has decided yet.
async fn malware(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    use held_file::Column;
    let db = app.store.db();
    let mut found = Vec::new();
    for state in [HeldState::Waiting, HeldState::Quarantined] {
        let rows = held_file::Entity::find().filter(Column::State.eq(state));
        let Some(first) = rows.clone().order_by_asc(Column::Since).one(db).await? else { continue };
        let is_waiting = state == HeldState::Waiting;
        if is_waiting && now - first.since < LATE {
            continue;
        }
        let count = capped_count(db, rows).await?.min(COUNT_CAP);
        found.push(if is_waiting {
            Found {
                id: "malware.waiting".into(),
                since: first.since,
                name: format!("{count} files are waiting for the malware scanner and cannot be opened"),
                status: AlertStatus::Triggered,
                advice: "Run carepost doctor to check whether the scanner answers. Once it does, the files continue automatically.",
            }
        } else {
            Found {
                id: "malware.quarantine".into(),
                since: first.since,
                name: format!("{count} files are in quarantine"),
                status: AlertStatus::Warn,
                advice: "Open the quarantine, and delete the files or release false alarms.",
            }
        });
    }
    Ok(found)
}

fn disk(app: &App, now: DateTime<Utc>) -> Option<Found> {
    let disk = &app.health.disk;
    let free = disk.free()?;
    let status = if free < disk.floor() {
        AlertStatus::Triggered
    } else if free < disk.floor().saturating_mul(2) {
        AlertStatus::Warn
    } else {
        return None;
    };
    Some(Found {
        id: format!("disk.{}", nodes::name(&app.config)),
        since: now,
        name: format!("{} MB are free on the disk", free / 1_000_000),
        status,
        advice: "Free disk space. Below the minimum, nothing is accepted, so that running work can finish.",
    })
}

fn audit(app: &App, now: DateTime<Utc>) -> Option<Found> {
    let findings = app.health.audit_findings();
    (!findings.is_empty()).then(|| Found {
        id: "audit".into(),
        since: now,
        name: format!("{} findings in the audit trail", findings.len()),
        status: AlertStatus::Triggered,
        advice: "Run carepost doctor. It names the entries that were changed or removed.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_step_is_failing_when_all_its_latest_attempts_failed() {
        let now = DateTime::UNIX_EPOCH + Duration::days(1);
        let found = |outcomes: &[(AttemptOutcome, usize)]| {
            let each = outcomes.iter().flat_map(|(outcome, times)| std::iter::repeat_n(*outcome, *times));
            let row = |(n, outcome)| (Lane::Delivering, outcome, now - Duration::seconds(n as i64));
            failing(&each.enumerate().map(row).collect::<Vec<_>>())
        };
        use AttemptOutcome::{Completed, Failed, Retrying};
        let twelve = Some((12, now - Duration::seconds(11)));
        assert_eq!(found(&[(Retrying, 9), (Failed, 3), (Completed, 50), (Failed, 5)]), twelve);
        assert_eq!(found(&[(Completed, 1), (Failed, 99)]), None);
        assert_eq!(found(&[(Retrying, 9)]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn a_node_is_silent_or_slow_or_has_another_time() {
        let now = DateTime::UNIX_EPOCH + Duration::days(1);
        let node = |seen: i64, database_ms, clock_ahead_ms| node::Model {
            id: Uuid::nil(),
            name: "north".into(),
            roles: Vec::<String>::new().into(),
            version: "1".into(),
            started_at: now,
            seen_at: now - Duration::seconds(seen),
            database_ms,
            clock_ahead_ms,
        };
        let found = |node| -> Vec<String> {
            of_node(&node, now).into_iter().map(|found| format!("{} {:?}", found.id, found.status)).collect()
        };
        let of = |what: &str| format!("{what}.{} ", Uuid::nil());
        assert!(found(node(5, 20, -900)).is_empty());
        assert_eq!(found(node(90, 5_000, 0)), [of("node") + "Warn"]);
        assert_eq!(found(node(5, 300, -45_000)), [of("database") + "Warn", of("clock") + "Triggered"]);
        assert_eq!(found(node(5, 2_500, 3_000)), [of("database") + "Triggered", of("clock") + "Warn"]);
    }
}
