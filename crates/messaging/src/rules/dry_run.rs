//! Dry run of rules on the messages of the last 30 days. Messages are judged by their present details: a patient who
//! was entered later counts as known.

use super::{
    arriving::document_types,
    queries,
    terms::{Facts, Rule, run},
    types::{DryRun, DryRunMatch, DryRunRequest, DryRunRow, IntakeRuleForm},
};
use crate::{
    messages::list::{self, Position},
    model::Direction,
    sealed::Summary,
};
use chrono::Duration;
use platform::{App, Member, Result};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::collections::HashMap;
use store::{
    entities::{attachment, message},
    keys::DataKey,
};
use uuid::Uuid;

const DAYS: i64 = 30;
/// Number of messages decrypted at a time.
const PIECE: u64 = 100;
/// Maximum number of messages per call; the next call continues after them.
const EXAMINED_MAX: u64 = 500;

/// The next messages that match, newest first.
pub async fn page(app: &App, member: &Member, request: DryRunRequest) -> Result<DryRun> {
    let organization_id = member.organization_id;
    let (asked, mut cursor) = list::asked(None, request.page_size, 20, request.cursor.as_deref())?;
    let (db, key) = (app.store.db(), app.keys.data_key(organization_id).await?);
    let rules = match request.rule {
        Some(form) => {
            queries::check(db, organization_id, &form, &[], filed_to(&form)).await?;
            vec![unsaved(form)]
        }
        None => queries::enabled(db, &key, organization_id).await?,
    };
    let mut answer = DryRun { items: Vec::new(), examined: 0, next_cursor: None };
    while answer.examined < EXAMINED_MAX && !rules.is_empty() {
        let rows = piece(app, member, cursor).await?;
        let files = files_of(db, &rows).await?;
        for row in &rows {
            answer.examined += 1;
            cursor = Some((row.received_at, row.id));
            let files = files.get(&row.id).map_or(&[][..], Vec::as_slice);
            answer.items.extend(judged(&key, &rules, row, files)?);
            if answer.items.len() as u64 >= asked.size {
                answer.next_cursor = Some(list::cursor(row));
                return Ok(answer);
            }
        }
        if (rows.len() as u64) < PIECE {
            return Ok(answer);
        }
        answer.next_cursor = rows.last().map(list::cursor);
    }
    Ok(answer)
}

/// A rule that is being edited.
pub fn unsaved(form: IntakeRuleForm) -> Rule {
    let IntakeRuleForm { name, stops, people, terms, .. } = form;
    Rule { id: Uuid::nil(), name: name.into(), stops, people, terms }
}

/// The connection of a form. Whether it may be used is checked when the rule is saved, and when it is asked.
fn filed_to(form: &IntakeRuleForm) -> Option<Uuid> {
    form.terms.file_to_chart.as_ref().map(|filing| filing.integration_id)
}

async fn piece(app: &App, member: &Member, behind: Option<Position>) -> Result<Vec<message::Model>> {
    use message::Column;
    let mut rows = member
        .tenant()
        .messages()
        .filter(Column::Direction.eq(Direction::Intake))
        .filter(Column::IsDraft.eq(false))
        .filter(Column::ReceivedAt.gte(app.clock.now() - Duration::days(DAYS)));
    if let Some(position) = behind {
        rows = rows.filter(list::behind(position));
    }
    let rows = rows.order_by_desc(Column::ReceivedAt).order_by_desc(Column::Id).limit(PIECE);
    Ok(rows.all(app.store.db()).await?)
}

async fn files_of(
    db: &impl ConnectionTrait,
    rows: &[message::Model],
) -> Result<HashMap<Uuid, Vec<attachment::Model>>> {
    let found = attachment::Entity::find()
        .filter(attachment::Column::MessageId.is_in(rows.iter().map(|row| row.id)))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::Position)
        .all(db)
        .await?;
    let mut files: HashMap<Uuid, Vec<attachment::Model>> = HashMap::new();
    for file in found {
        files.entry(file.message_id).or_default().push(file);
    }
    Ok(files)
}

fn judged(
    key: &DataKey,
    rules: &[Rule],
    row: &message::Model,
    files: &[attachment::Model],
) -> Result<Option<DryRunRow>> {
    let summary = Summary::open(key, row)?;
    let facts = Facts {
        source: row.source_type,
        from_address: &row.from_address,
        from_name: &row.from_name,
        to_address: &row.to_address,
        subject: &summary.subject,
        document_types: document_types(key, files)?,
        patient_name: &summary.patient_name,
    };
    let (matched, outcome) = run(rules, &facts);
    if matched.is_empty() {
        return Ok(None);
    }
    let matches = matched.into_iter().map(|m| {
        let rule = &rules[m.rule];
        DryRunMatch { rule_id: rule.id, name: rule.name.clone(), reasons: m.reasons }
    });
    Ok(Some(DryRunRow {
        id: row.id,
        received_date: row.received_at,
        source_type: row.source_type,
        from_address: row.from_address.clone(),
        from_name: row.from_name.clone(),
        matches: matches.collect(),
        is_urgent: outcome.is_urgent && !outcome.people.is_empty(),
        people: outcome.people,
        tags: outcome.tags,
        document_type: outcome.document_type,
        patient_name: summary.patient_name,
        subject: summary.subject,
    }))
}
