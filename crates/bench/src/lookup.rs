//! Part `lookup`: time for finding a patient whom an EHR reported.

use crate::{
    Options,
    list::timed,
    load::{self, databases, settle},
    patients::{fill, person},
    table::Table,
};
use anyhow::{Result, anyhow};
use fhir::model::PatientQuery;
use sea_orm::ActiveValue::Set;
use serde_json::json;
use store::entities::{feed_patient, patient_source::SourceKind};
use testkit::{Practice, TestApp};
use uuid::Uuid;

const TARGET_MILLISECONDS: f64 = 25.0;
/// Records written together.
const AT_ONCE: usize = 2_000;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        let app = TestApp::start(db).await;
        let practice = app.practice("larkfield").await;
        let sources = fill(&app, &practice, options.patients, SourceKind::Interface).await?;
        report(&app, &practice, &sources).await?;
        settle(&app).await?;
        let organization_id = practice.organization.id;
        for (what, question) in questions() {
            let query = |n: usize| question(n * 7_919 % options.patients);
            let figures = timed(
                options.requests,
                async |n| feeds::find_patients(&app, organization_id, &query(n)).await,
                |found| assert!(found.is_ok_and(|found| !found.items.is_empty()), "nobody is found"),
            )
            .await;
            let label = format!("lookup, {name}, {} reported patients, p95 of {what}", options.patients);
            let remark = format!(" (p50 {:.1} ms, p99 {:.1} ms)", figures.p50, figures.p99);
            table.held_against(label, figures.p95, TARGET_MILLISECONDS, "ms", &remark);
        }
        app.finish().await;
    }
    Ok(())
}

/// The records of the patients with these sources.
async fn report(app: &TestApp, practice: &Practice, sources: &[Uuid]) -> Result<()> {
    let organization_id = practice.organization.id;
    let key = app.keys.data_key(organization_id).await.map_err(|error| anyhow!("{error:?}"))?;
    let now = app.clock.now();
    for (chunk, from) in sources.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE)) {
        let mut rows = Vec::with_capacity(chunk.len());
        for (source_id, number) in chunk.iter().zip(from..) {
            let (id, said) = (Uuid::now_v7(), person(number));
            let record = said.patient_id.unwrap_or_default();
            let plain: String = record.chars().filter(|c| c.is_alphanumeric()).collect();
            let details = json!({
                "numbers": [{ "number": record, "authority": "NORTH", "kind": "MR" }],
                "name": { "family": said.last_name, "given": said.first_name }, "born": said.birth_date,
                "sex": said.gender, "phone": said.telephone,
            });
            let sealed = key.seal_json(&format!("feed_patient.details:{id}"), &details);
            rows.push(feed_patient::ActiveModel {
                id: Set(id),
                organization_id: Set(organization_id),
                key: Set(id.as_bytes().to_vec()),
                number_token: Set(key.token("feed record number", &plain)),
                source_id: Set(Some(*source_id)),
                told_at: Set(Some(now)),
                told_in: Set(Uuid::nil()),
                person_since: Set(None),
                is_deceased: Set(false),
                merged_into: Set(None),
                merged_at: Set(None),
                is_settled: Set(true),
                sealed_details: Set(sealed.map_err(|error| anyhow!("{error:?}"))?),
                heard_at: Set(now),
            });
        }
        load::insert::<feed_patient::Entity, _>(app, rows).await?;
    }
    Ok(())
}

type Question = Box<dyn Fn(usize) -> PatientQuery>;

/// Typical searches, by the number of the patient.
fn questions() -> Vec<(&'static str, Question)> {
    let head = |text: &Option<String>, letters: usize| {
        Some(text.as_deref().unwrap_or_default().chars().take(letters).collect::<String>())
    };
    vec![
        (
            "a record number",
            Box::new(|n| PatientQuery { record_number: person(n).patient_id, ..PatientQuery::default() }),
        ),
        (
            "a birth date",
            Box::new(|n| PatientQuery { born: person(n).birth_date, ..PatientQuery::default() }),
        ),
        (
            "three letters of a last name",
            Box::new(move |n| PatientQuery {
                family: head(&person(n).last_name, 3),
                ..PatientQuery::default()
            }),
        ),
        (
            "both names and a birth date",
            Box::new(|n| {
                let person = person(n);
                PatientQuery {
                    family: person.last_name,
                    given: person.first_name,
                    born: person.birth_date,
                    ..PatientQuery::default()
                }
            }),
        ),
    ]
}
