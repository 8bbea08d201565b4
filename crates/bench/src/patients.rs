//! Part `patients`: time for finding a patient of one organization, from typed text and from documents.

use crate::{
    Options,
    list::ask,
    load::{self, databases, settle},
    table::Table,
};
use ::patients::{
    face::{Face, Statement},
    model::Patient,
    tokens,
};
use anyhow::{Result, anyhow};
use chrono::{Duration, NaiveDate};
use sea_orm::ActiveValue::Set;
use serde_json::{Value, json};
use store::entities::{
    patient, patient_source,
    patient_source::{Link, SourceKind},
    patient_token,
};
use testkit::{Practice, TestApp};
use uuid::Uuid;

const TARGET_MILLISECONDS: f64 = 25.0;
/// Patients written together.
const AT_ONCE: usize = 2_000;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        let app = TestApp::start(db).await;
        let practice = app.practice("larkfield").await;
        fill(&app, &practice, options.patients, SourceKind::Sent).await?;
        settle(&app).await?;
        for (what, path, question) in questions(options.patients) {
            let body = |n: usize| question(n);
            let figures = ask(options.requests, async |n| practice.client.post(path, &body(n)).await).await;
            let label = format!("patients, {name}, {} of one organization, p95 of {what}", options.patients);
            let remark = format!(" (p50 {:.1} ms, p99 {:.1} ms)", figures.p50, figures.p99);
            table.held_against(label, figures.p95, TARGET_MILLISECONDS, "ms", &remark);
        }
        app.finish().await;
    }
    Ok(())
}

/// The patient with a number. Names have realistic frequencies, and no two patients have the same birth date and
/// name.
pub fn person(number: usize) -> Patient {
    let spread = number.wrapping_mul(2_654_435_761) % 1_000_003;
    let [first, last] = load::patient(spread % 100_003);
    let born = NaiveDate::from_ymd_opt(1930, 1, 1).map(|day| day + Duration::days((spread % 33_000) as i64));
    Patient {
        patient_id: Some(format!("LFM-{number:07}")),
        first_name: Some(first),
        last_name: Some(last),
        birth_date: born,
        gender: Some(if number.is_multiple_of(2) { "F" } else { "M" }.into()),
        telephone: Some(format!("555{:07}", number % 10_000_000)),
        ..Patient::default()
    }
}

/// Writes patients with one source of a kind each. Returns the ids of the sources.
pub async fn fill(app: &TestApp, practice: &Practice, count: usize, kind: SourceKind) -> Result<Vec<Uuid>> {
    let organization_id = practice.organization.id;
    let key = app.keys.data_key(organization_id).await.map_err(|error| anyhow!("{error:?}"))?;
    let now = app.clock.now();
    let mut ids = Vec::with_capacity(count);
    for from in (0..count).step_by(AT_ONCE) {
        let (mut people, mut sources, mut led) = (Vec::new(), Vec::new(), Vec::new());
        for number in from..count.min(from + AT_ONCE) {
            let (id, source_id) = (Uuid::now_v7(), Uuid::now_v7());
            let said = person(number);
            ids.push(source_id);
            let (said_there, other_names) = (said.clone(), Vec::new());
            let statement = Statement { source_id, kind, at: now, said: said_there, other_names };
            let face = Face::of(&[statement]).seal(&key, id).map_err(|error| anyhow!("{error:?}"))?;
            people.push(patient::ActiveModel {
                id: Set(id),
                organization_id: Set(organization_id),
                merged_into: Set(None),
                sealed_face: Set(Some(face)),
                seen_at: Set(now),
                version: Set(1),
            });
            sources.push(patient_source::ActiveModel {
                id: Set(source_id),
                organization_id: Set(organization_id),
                patient_id: Set(id),
                kind: Set(kind),
                link: Set(Link::Confirmed),
                message_id: Set(None),
                user_id: Set(Some(practice.user.id)),
                said_at: Set(now),
                percent: Set(None),
                sealed_said: Set(Vec::new()),
            });
            led.extend(tokens::of(&key, &said).into_iter().map(|token| patient_token::ActiveModel {
                organization_id: Set(organization_id),
                token: Set(token),
                patient_id: Set(id),
            }));
        }
        load::insert::<patient::Entity, _>(app, people).await?;
        load::insert::<patient_source::Entity, _>(app, sources).await?;
        load::insert::<patient_token::Entity, _>(app, led).await?;
    }
    Ok(ids)
}

type Question = Box<dyn Fn(usize) -> Value>;

/// Typical searches, by the number of the request.
fn questions(count: usize) -> Vec<(&'static str, &'static str, Question)> {
    const SEARCH: &str = "/api/patients/_search";
    let of = move |n: usize| person(n * 7_919 % count);
    let text = |of: &Option<String>| of.clone().unwrap_or_default();
    let typed = move |line: Box<dyn Fn(&Patient) -> String>| -> Question {
        Box::new(move |n| json!({ "text": line(&of(n)) }))
    };
    let born = |of: &Patient| of.birth_date.map(|day| day.format("%m/%d/%Y").to_string()).unwrap_or_default();
    let head = move |of: &Option<String>, letters: usize| text(of).chars().take(letters).collect::<String>();
    let slip = move |of: &Option<String>| {
        let mut letters: Vec<char> = text(of).chars().collect();
        if letters.len() > 4 {
            letters.remove(2);
        }
        letters.into_iter().collect::<String>()
    };
    vec![
        ("a record number", SEARCH, typed(Box::new(move |p| text(&p.patient_id)))),
        ("a birth date", SEARCH, typed(Box::new(move |p| born(p)))),
        ("a telephone number", SEARCH, typed(Box::new(move |p| text(&p.telephone)))),
        ("three letters of a name", SEARCH, typed(Box::new(move |p| head(&p.last_name, 3)))),
        (
            "three letters of both names",
            SEARCH,
            typed(Box::new(move |p| format!("{} {}", head(&p.last_name, 3), head(&p.first_name, 3)))),
        ),
        (
            "a misspelled name and a birth date",
            SEARCH,
            typed(Box::new(move |p| format!("{} {}", slip(&p.last_name), born(p)))),
        ),
        (
            "a misspelled last name and a first name",
            SEARCH,
            typed(Box::new(move |p| format!("{} {}", slip(&p.last_name), text(&p.first_name)))),
        ),
        (
            "what a document says",
            "/api/patients/_match",
            Box::new(move |n| {
                let p = of(n);
                json!({ "firstName": p.first_name, "lastName": p.last_name, "birthDate": p.birth_date })
            }),
        ),
    ]
}
