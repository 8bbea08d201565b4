//! What reading costs does not grow with what an organization has. The work is counted, not timed: the instructions of
//! SQLite at 1,000 and at 10,000 messages.

use super::{
    operations::{Operation, operations},
    operators::{self, Call},
    side::{Ids, World},
};
use platform::Role;
use server::openapi::{self, Entry};
use std::fmt::Write;
use store::cost;
use testkit::{Answer, Db, history, load};

/// An operation may cost this many times as much with ten times the messages.
const GROWTH: f64 = 1.5;
/// Instructions that are nothing: a cheap operation may double.
const SLACK: u64 = 3_000;
const FEW: usize = 1_000;
const MANY: usize = 10_000;

/// Operations of an organization that read and take a body.
const READ_BY_POST: [&str; 10] = [
    "countIntake",
    "failedMessages",
    "findEvents",
    "listIntake",
    "matchPatients",
    "patientDisclosures",
    "searchDirectory",
    "searchKnownPatients",
    "trackedConversations",
    "tryIntakeRules",
];

const COUNTS: &str = "counts up to 10,000, without looking at rows";

/// What may grow, by so many instructions for each further message at most, and why.
const MAY_GROW: &[(&str, f64, &str)] = &[
    ("auditEntriesOfTypeCsv", 1.0, "a file of what the test itself did"),
    ("countIntake", 1.0, COUNTS),
    ("eventsReport", 1.5, "a page that fills"),
    ("listIntake", 1.0, COUNTS),
    ("listRelease", 4.0, COUNTS),
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

/// What each operation costs where an organization has so many messages, half of them with a history, once whatever is
/// kept between calls is there.
async fn costs_at(messages: usize) -> Vec<(String, u16, u64)> {
    let mut world = World::new(Db::sqlite()).await;
    world.employ_operators().await;
    load::fill(&world.app, &world.owner.practice, messages / 2).await.expect("messages");
    history::fill(&world.app, &world.owner.practice, messages / 2).await.expect("a history");
    let mut costs = Vec::new();
    for read in reads(&world).await {
        read.answer(&world).await;
        let before = cost::instructions();
        let answer = read.answer(&world).await;
        costs.push((read.id().to_owned(), answer.status.as_u16(), cost::instructions() - before));
    }
    world.app.finish().await;
    costs
}

#[tokio::test]
async fn the_work_of_reading_does_not_grow_with_the_messages() {
    cost::count_every(50);
    let (few, many) = (costs_at(FEW).await, costs_at(MANY).await);
    let mut grown = String::new();
    for ((id, status, few), (_, _, many)) in few.into_iter().zip(many) {
        let growth = many as f64 / few.max(1) as f64;
        println!("{id}: {status}, {few} -> {many} ({growth:.1})");
        let per_message = many.saturating_sub(few) as f64 / (MANY - FEW) as f64;
        let may = MAY_GROW.iter().any(|(known, most, _)| *known == id && per_message <= *most);
        if growth > GROWTH && many > few + SLACK && !may {
            let _ = writeln!(grown, "{id}: {few} instructions with {FEW} messages, {many} with {MANY}");
        }
    }
    assert!(grown.is_empty(), "the work of these grows with the messages:\n{grown}");
}
