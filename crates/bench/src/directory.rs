//! Part `directory`: duration of an import, and of searches in a directory of the size of a country's.

use crate::{
    Options,
    list::{Figures, ask},
    load,
    table::Table,
};
use ::directory::import::{self, List};
use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use std::{
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};
use testkit::{Db, Practice, TestApp};

const TARGET_MILLISECONDS: f64 = 50.0;

/// City, state and the first three digits of its zips; the largest first.
const PLACES: [(&str, &str, &str); 20] = [
    ("New York", "NY", "100"),
    ("Los Angeles", "CA", "900"),
    ("Chicago", "IL", "606"),
    ("Houston", "TX", "770"),
    ("Phoenix", "AZ", "850"),
    ("Philadelphia", "PA", "191"),
    ("San Antonio", "TX", "782"),
    ("San Diego", "CA", "921"),
    ("Dallas", "TX", "752"),
    ("Columbus", "OH", "432"),
    ("Charlotte", "NC", "282"),
    ("Seattle", "WA", "981"),
    ("Denver", "CO", "802"),
    ("Boston", "MA", "021"),
    ("Portland", "OR", "972"),
    ("Larkfield", "OH", "439"),
    ("Bayline", "ME", "041"),
    ("Summit", "NJ", "079"),
    ("Fernhill", "VT", "054"),
    ("Quarry", "MN", "563"),
];
const KINDS: [&str; 8] = [
    "Family Medicine",
    "Medical Center",
    "Orthopedics",
    "Imaging",
    "Home Health",
    "Dental Care",
    "Behavioral Health",
    "Laboratory",
];

/// Words in the name of one organization in five thousand.
const RARE: &str = "Dental Laboratory";

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    let Some(db) = Db::postgres() else {
        println!("the part `directory` is left out");
        return Ok(());
    };
    let app = TestApp::start(db).await;
    let practice = app.practice("larkfield").await;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("providers.csv");
    write(&file, options.entries)?;
    let begun = Instant::now();
    import::run(&app, List::Provider, &file, import::Options::default(), |_| {})
        .await
        .map_err(|error| anyhow!("{error}"))?;
    let seconds = begun.elapsed().as_secs_f64();
    let million = seconds / 60.0 / options.entries as f64 * 1e6;
    let rows = options.entries as f64 / seconds;
    table.note("directory, import of a million entries", format!("{million:.1} minutes ({rows:.0} rows/s)"));
    // On a running server this happens automatically after a while.
    sea_orm::ConnectionTrait::execute_unprepared(app.store.db(), "VACUUM ANALYZE").await?;
    for (what, question) in questions() {
        let figures = search(&practice, options.requests, question).await;
        let label = format!("directory, {} entries, p95 of {what}", options.entries);
        let remark = format!(" (p50 {:.1} ms, p99 {:.1} ms)", figures.p50, figures.p99);
        table.held_against(label, figures.p95, TARGET_MILLISECONDS, "ms", &remark);
    }
    app.finish().await;
    Ok(())
}

/// Writes a provider directory with this many rows: four people per organization, most of them in the large cities.
fn write(path: &Path, entries: usize) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "id,directAddress,firstName,lastName,organizationName,street,city,state,zip,phone")?;
    for number in 0..entries {
        let [first, last] = person(number);
        let (city, state, zip) = place(number);
        let organization = organization(number);
        let address =
            if number % 3 == 0 { format!("p{number}@direct.partner.example") } else { String::new() };
        let (first, last) = if number % 5 == 4 { ("", "") } else { (first.as_str(), last.as_str()) };
        let (street, end, phone) = (number % 900 + 1, number % 100, number % 10_000);
        writeln!(
            file,
            "e{number},{address},{first},{last},{organization},{street} Mill Road,{city},{state},{zip}{end:02},\
             555010{phone:04}"
        )?;
    }
    Ok(file.flush()?)
}

fn person(number: usize) -> [String; 2] {
    // Adjacent entries have different names.
    load::patient(number.wrapping_mul(2_654_435_761) % 100_003)
}

/// Place of an organization and its people, independent of names.
fn place(number: usize) -> (&'static str, &'static str, &'static str) {
    let mut hasher = DefaultHasher::new();
    (number / 5).hash(&mut hasher);
    let spread = hasher.finish() as usize % 40;
    // Half of them are in the first quarter of the places.
    PLACES[if spread < 20 { spread % 5 } else { spread % PLACES.len() }]
}

fn organization(number: usize) -> String {
    let practice = number / 5;
    let [_, family] = load::patient(practice * 31 % 90_001);
    let kind = if practice.is_multiple_of(5_000) { RARE } else { KINDS[practice % KINDS.len()] };
    format!("{family} {kind}")
}

type Question = Box<dyn Fn(usize) -> Value>;

/// Typical searches, by the number of the request.
fn questions() -> Vec<(&'static str, Question)> {
    let last = |n: usize| person(n * 37)[1].clone();
    let first = |n: usize| person(n * 37)[0].clone();
    vec![
        ("a last name", Box::new(move |n| json!({ "lastName": last(n) }))),
        ("first and last name", Box::new(move |n| json!({ "firstName": first(n), "lastName": last(n) }))),
        ("three letters of a last name", Box::new(move |n| json!({ "lastName": last(n)[..3] }))),
        ("one letter of a last name", Box::new(move |n| json!({ "lastName": last(n)[..1] }))),
        ("a first name", Box::new(move |n| json!({ "firstName": first(n) }))),
        ("a first name in a state", Box::new(move |n| json!({ "firstName": first(n), "state": "TX" }))),
        ("a last name in a city", Box::new(move |n| json!({ "lastName": last(n), "city": "Chicago" }))),
        ("a city", Box::new(|n| json!({ "city": PLACES[n % PLACES.len()].0 }))),
        ("a state", Box::new(|n| json!({ "state": PLACES[n % PLACES.len()].1 }))),
        ("a zip", Box::new(|n| json!({ "zip": format!("{}{:02}", PLACES[n % PLACES.len()].2, n % 100) }))),
        ("an organization's name", Box::new(|n| json!({ "organizationName": organization(n * 37) }))),
        ("a frequent word of organizations", Box::new(|_| json!({ "organizationName": "medical" }))),
        ("two frequent words", Box::new(|_| json!({ "organizationName": "family medicine" }))),
        (
            "two frequent words in a city",
            Box::new(|_| json!({ "organizationName": "family medicine", "city": "Boston" })),
        ),
        (
            "two frequent words in a state",
            Box::new(|_| json!({ "organizationName": "family medicine", "state": "TX" })),
        ),
        (
            "two frequent words that few have together",
            Box::new(|_| json!({ "organizationName": "dental laboratory" })),
        ),
        (
            "two frequent words that few have together in a state",
            Box::new(|_| json!({ "organizationName": "dental laboratory", "state": "TX" })),
        ),
        (
            "two frequent words that nobody has together",
            Box::new(|_| json!({ "organizationName": "family imaging" })),
        ),
        (
            "two frequent words that nobody has together in a city",
            Box::new(|_| json!({ "organizationName": "family imaging", "city": "Boston" })),
        ),
        (
            "two frequent words that nobody has together in a state",
            Box::new(|_| json!({ "organizationName": "family imaging", "state": "TX" })),
        ),
        ("the beginnings of two frequent words", Box::new(|_| json!({ "organizationName": "fam imag" }))),
        (
            "page 50 of a first name",
            Box::new(
                move |n| json!({ "firstName": first(n), "providerPageStart": 50, "organizationPageStart": 50 }),
            ),
        ),
        ("nobody", Box::new(|_| json!({ "lastName": "zzyzx", "state": "VT" }))),
    ]
}

async fn search(practice: &Practice, requests: usize, question: Question) -> Figures {
    ask(requests, async |n| practice.client.post("/api/directory/search", &question(n)).await).await
}
