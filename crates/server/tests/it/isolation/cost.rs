//! The cost of reading does not grow with an organization's data. The work is counted, not timed: SQLite's
//! instructions, and the pages that PostgreSQL accesses, at 1,000 and at 10,000 messages.

use super::{
    operations::{Operation, operations},
    operators::{self, Call},
    side::{Ids, World},
};
use platform::{App, Config, Role};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use server::openapi::{self, Entry};
use std::fmt::Write;
use store::cost;
use testkit::{Answer, Db, history, load, on_both_databases};

/// Maximum growth of an operation's cost with ten times the messages.
const GROWTH: f64 = 1.5;
/// Number of calls, of which the cheapest counts. The count also includes work that the server does by
/// itself, such as sealing the trail.
const TRIES: usize = 3;
const FEW: usize = 1_000;
const MANY: usize = 10_000;

/// Operations of an organization that read and have a request body.
const READ_BY_POST: [&str; 14] = [
    "countIntake",
    "failedMessages",
    "findEvents",
    "listIntake",
    "matchPatients",
    "patientDisclosures",
    "searchContacts",
    "searchDirectory",
    "searchFaxLog",
    "searchKnownPatients",
    "searchRelease",
    "trackedConversations",
    "tryIntakeRules",
    "validateTypedAddresses",
];

const COUNTS: &str = "counts up to 10,000, without looking at rows";

/// Operations that may grow: maximum number of instructions for each further message, and the reason.
const MAY_GROW: &[(&str, f64, &str)] = &[
    ("auditEntriesOfTypeCsv", 1.0, "a file of what the test itself did"),
    ("countIntake", 1.0, COUNTS),
    ("eventsReport", 1.5, "a page that fills"),
    ("listIntake", 1.0, COUNTS),
    ("listRelease", 4.0, COUNTS),
    ("searchRelease", 4.0, COUNTS),
    ("systemAlerts", 0.1, "the latest attempts of each step, up to a number"),
    ("messageEvents", 1.0, COUNTS),
    ("messagingHealth", 3.0, COUNTS),
    ("messageEventsReport", 130.0, "a file of all events of some time"),
    ("tryIntakeRules", 1.0, "a page that fills"),
    ("workflowRuns", 5.0, COUNTS),
];

/// A call that reads.
enum Read {
    OfTenant(Operation, Role, Ids),
    OfPlatform(Entry, Call),
}

impl Read {
    fn id(&self) -> &str {
        match self {
            Self::OfTenant(operation, ..) => operation.id(),
            Self::OfPlatform(entry, _) => &entry.id,
        }
    }

    async fn answer(&self, world: &World) -> Answer {
        match self {
            Self::OfTenant(operation, role, ids) => world.owner.call(operation, *role, ids).await,
            Self::OfPlatform(entry, call) => {
                let caller = world.caller(entry).expect("somebody may call it");
                operators::send(caller, entry, call).await
            }
        }
    }
}

async fn reads(world: &World) -> Vec<Read> {
    let (mut found, of_tenants) = (Vec::new(), operations());
    let known: Vec<String> = of_tenants.iter().map(|operation| operation.id().to_owned()).collect();
    for operation in of_tenants {
        let is_read = operation.entry.method == "GET" || READ_BY_POST.contains(&operation.id());
        let Some(role) = operation.roles().next().filter(|_| is_read && !operation.entry.is_hub) else {
            continue;
        };
        let ids = match operation.is_exempt() {
            true => Ids::new(),
            false => world.owner.ids(&operation, role).await.expect("a fixture"),
        };
        found.push(Read::OfTenant(operation, role, ids));
    }
    let description = serde_json::from_str(&openapi::json()).expect("JSON");
    for entry in openapi::operations() {
        let is_read = entry.method == "GET" && !entry.is_hub && !known.contains(&entry.id);
        if is_read
            && world.caller(&entry).is_some()
            && let Ok(call) = world.prepare(&entry, &description).await
        {
            found.push(Read::OfPlatform(entry, call));
        }
    }
    found
}

/// Counts the work of a database.
enum Counter {
    /// SQLite's instructions, on all connections of this process.
    Instructions,
    /// Pages that PostgreSQL accessed for statements of this database.
    Pages(App),
}

const PAGES: &str = "SELECT COALESCE(SUM(shared_blks_hit + shared_blks_read), 0)::BIGINT AS pages FROM pg_stat_statements \
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = CURRENT_DATABASE())";
/// Makes PostgreSQL count the statements of a connection.
const COUNTED: &str = "?options[pg_stat_statements.track]=top";

impl Counter {
    /// The counter of a world whose data is complete.
    async fn of(world: &World) -> Self {
        let db = world.app.store.db();
        if db.get_database_backend() == DbBackend::Sqlite {
            return Self::Instructions;
        }
        for statement in ["CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "VACUUM ANALYZE"] {
            db.execute_unprepared(statement).await.expect("a server that loads pg_stat_statements");
        }
        Self::Pages((*world.app).clone())
    }

    /// Vacuums the audit trail, which grows with each call, so that indexes suffice. Otherwise PostgreSQL
    /// reads all rows since the last vacuum, whose number depends on timing.
    async fn settle(&self) {
        if let Self::Pages(app) = self {
            app.store.db().execute_unprepared("VACUUM audit_entry").await.expect("vacuumed");
        }
    }

    async fn so_far(&self) -> u64 {
        match self {
            Self::Instructions => cost::instructions(),
            Self::Pages(app) => {
                let statement = Statement::from_string(DbBackend::Postgres, PAGES);
                let row = app.store.db().query_one_raw(statement).await.expect("statistics").expect("a row");
                let pages: i64 = row.try_get("", "pages").expect("a number");
                pages.unsigned_abs()
            }
        }
    }

    /// Cost of reading the counter itself, plus a tolerance for cheap operations.
    fn slack(&self) -> u64 {
        match self {
            Self::Instructions => 3_000,
            Self::Pages(_) => 200,
        }
    }
}

/// Cost of each operation for an organization with this many messages, half of them with a history, and with
/// warm caches.
async fn costs_at(db: Db, messages: usize) -> (Vec<(String, u16, u64)>, u64) {
    let counted = db.is_postgres().then(|| format!("{}{COUNTED}", db.url()));
    let configure = move |config: &mut Config| {
        config.database.url = counted.clone().or_else(|| config.database.url.take());
    };
    let mut world = World::configured(db, configure).await;
    world.employ_operators().await;
    load::fill(&world.app, &world.owner.practice, messages / 2).await.expect("messages");
    history::fill(&world.app, &world.owner.practice, messages / 2).await.expect("a history");
    let reads = reads(&world).await;
    let counter = Counter::of(&world).await;
    let mut costs = Vec::new();
    for read in reads {
        let status = read.answer(&world).await.status.as_u16();
        counter.settle().await;
        let mut least = u64::MAX;
        for _ in 0..TRIES {
            let before = counter.so_far().await;
            read.answer(&world).await;
            least = least.min(counter.so_far().await.saturating_sub(before));
        }
        costs.push((read.id().to_owned(), status, least));
    }
    world.app.finish().await;
    (costs, counter.slack())
}

async fn the_work_of_reading_does_not_grow_with_the_messages(db: Db) {
    cost::count_every(50);
    let is_sqlite = !db.is_postgres();
    let (few, _) = costs_at(db.another(), FEW).await;
    let (many, slack) = costs_at(db, MANY).await;
    let mut grown = String::new();
    for ((id, status, few), (_, _, many)) in few.into_iter().zip(many) {
        let growth = many as f64 / few.max(1) as f64;
        println!("{id}: {status}, {few} -> {many} ({growth:.1})");
        let per_message = many.saturating_sub(few) as f64 / (MANY - FEW) as f64;
        // The limits are for instructions; the number of pages is lower.
        let may = MAY_GROW.iter().any(|(known, most, _)| *known == id && per_message <= *most);
        if growth > GROWTH && many > few + slack && !may {
            let _ = writeln!(grown, "{id}: {few} with {FEW} messages, {many} with {MANY}");
        }
    }
    let what = if is_sqlite { "instructions" } else { "pages" };
    assert!(grown.is_empty(), "the work of these grows with the messages, in {what}:\n{grown}");
}

on_both_databases! { the_work_of_reading_does_not_grow_with_the_messages }
