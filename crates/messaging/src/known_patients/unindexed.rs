//! Search for patients in messages that are not indexed yet, after an upgrade.

use super::backfill;
use crate::{
    messages::list,
    model::{Direction, Patient},
    sealed::Content,
    search_terms,
};
use chrono::NaiveDate;
use patients::{asked::Asked, face::Face, types::KnownPatient};
use platform::{App, Member, Result};
use std::collections::HashMap;
use store::search::{self, Search};

/// Number of latest messages of each direction that are searched.
const MESSAGES: u64 = 200;

/// Fields that distinguish patients: names and birth date.
type Identity = (String, String, Option<NaiveDate>);

pub fn identity(patient: &Patient) -> Identity {
    let name = |part: &Option<String>| part.as_deref().unwrap_or_default().trim().to_lowercase();
    (name(&patient.last_name), name(&patient.first_name), patient.birth_date)
}

/// Matching patients, latest first; empty once all messages are in the index.
pub async fn find(app: &App, member: &Member, asked: &Asked) -> Result<Vec<KnownPatient>> {
    if asked.words.is_empty() || !backfill::is_going_on(app).await? {
        return Ok(Vec::new());
    }
    let mut found = HashMap::new();
    for direction in [Direction::Intake, Direction::Release] {
        collect(app, member, asked, direction, &mut found).await?;
    }
    let mut items: Vec<KnownPatient> = found.into_values().collect();
    items.sort_by_key(|found| std::cmp::Reverse(found.last_date));
    Ok(items)
}

async fn collect(
    app: &App,
    member: &Member,
    asked: &Asked,
    direction: Direction,
    found: &mut HashMap<Identity, KnownPatient>,
) -> Result<()> {
    let db = app.store.db();
    let key = app.keys.data_key(member.organization_id).await?;
    let search = Search {
        organization_id: member.organization_id,
        direction,
        text: asked.words.join(" "),
        alike: search_terms::names_alike,
        filter: member.tenant().readable(),
        since: None,
        until: None,
        before: None,
        offset: 0,
        limit: MESSAGES,
    };
    let ids = search::find(db, &key, &search).await?.ids;
    for row in list::rows(db, &ids).await? {
        let Some(patient) = Content::open(&key, &row)?.patient else { continue };
        if asked.fit(&Face { patient: patient.clone(), ..Face::default() }).is_none() {
            continue;
        }
        let known = found.entry(identity(&patient)).or_insert_with(|| KnownPatient {
            id: None,
            patient: patient.clone(),
            message_count: 0,
            last_date: row.message_date,
            contradictions: Vec::new(),
        });
        known.message_count += 1;
        if row.message_date > known.last_date {
            (known.patient, known.last_date) = (patient, row.message_date);
        }
    }
    Ok(())
}
