//! Applies rules in the transaction that stores a message, before its row is written.

use super::{
    filing, queries,
    terms::{Facts, Matched, Outcome, Rule, run},
};
use crate::{
    files::kind_of,
    messages::colleagues,
    model::Status,
    sealed::{Summary, open_meta, seal_meta},
};
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{attachment, intake_rule_match, message},
    keys::DataKey,
};
use uuid::Uuid;

/// An applied rule, and its actions.
pub struct Applied {
    rule_id: Uuid,
    /// `assigned, marked as urgent by rule “Lab results”`
    what: String,
    /// Whether it is the one that files the documents into a chart.
    files: bool,
}

/// The types of the documents of a message.
pub fn document_types(key: &DataKey, files: &[attachment::Model]) -> Result<Vec<String>> {
    let types = files.iter().map(|file| Ok(open_meta(key, file)?.document_type));
    let types: Vec<Option<String>> = types.collect::<Result<_>>()?;
    Ok(types.into_iter().flatten().filter(|name| !name.is_empty()).collect())
}

/// Applies the rules of the organization to an arriving message.
pub async fn apply(
    txn: &Transaction,
    key: &DataKey,
    message: &mut message::Model,
    summary: &mut Summary,
    files: &mut [attachment::Model],
) -> Result<Vec<Applied>> {
    let rules = queries::enabled(txn, key, message.organization_id).await?;
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    let facts = Facts {
        source: message.source_type,
        from_address: &message.from_address,
        from_name: &message.from_name,
        to_address: &message.to_address,
        subject: &summary.subject,
        document_types: document_types(key, files)?,
        patient_name: &summary.patient_name,
    };
    let (matched, outcome) = run(&rules, &facts);
    if matched.is_empty() {
        return Ok(Vec::new());
    }
    let people = colleagues::readers(txn, message, &outcome.people).await?;
    let reviewer = least_busy(txn, message.organization_id, &people).await?;
    // It may have been assigned at upload.
    let is_assigned = reviewer.is_some() && message.assigned_to.is_none();
    message.assigned_to = message.assigned_to.or(reviewer);
    // The person in a rule may have left, or may not read the message.
    let is_urgent = outcome.is_urgent && message.assigned_to.is_some();
    let applied = told(&rules, &matched, &outcome, is_assigned, is_urgent);
    message.is_urgent |= is_urgent;
    summary.tags.clone_from(&outcome.tags);
    if !outcome.document_type.is_empty() {
        for file in files.iter_mut() {
            set_type(key, file, &outcome.document_type)?;
        }
        summary.document_type = document_types(key, files)?.into_iter().next().unwrap_or_default();
    }
    message.sealed_summary = summary.seal(key, message.id)?;
    Ok(applied)
}

/// A structured document contains its own type.
fn set_type(key: &DataKey, file: &mut attachment::Model, name: &str) -> Result<()> {
    let mut meta = open_meta(key, file)?;
    if kind_of(file).structured() || meta.document_type.as_deref().is_some_and(|name| !name.is_empty()) {
        return Ok(());
    }
    meta.document_type = Some(name.to_owned());
    file.sealed_meta = seal_meta(key, file.id, &meta)?;
    Ok(())
}

/// The actions of each rule, for the activity of the message. Without tags and types, which could name a patient.
fn told(
    rules: &[Rule],
    matched: &[Matched],
    outcome: &Outcome,
    is_assigned: bool,
    is_urgent: bool,
) -> Vec<Applied> {
    let (mut assigns, mut types) = (is_assigned, !outcome.document_type.is_empty());
    let each = matched.iter().map(|m| {
        let rule = &rules[m.rule];
        let mut acts = Vec::new();
        if assigns && !rule.people.is_empty() {
            assigns = false;
            acts.push("assigned");
        }
        if !rule.terms.tags.is_empty() {
            acts.push("tagged");
        }
        if types && !rule.terms.document_type.is_empty() {
            types = false;
            acts.push("document type set");
        }
        if is_urgent && rule.terms.is_urgent {
            acts.push("marked as urgent");
        }
        let acts = if acts.is_empty() { "matched".to_owned() } else { acts.join(", ") };
        let what = format!("{acts} by rule “{}”", rule.name);
        Applied { rule_id: rule.id, what, files: outcome.files == Some(m.rule) }
    });
    each.collect()
}

/// The person with the fewest open messages.
async fn least_busy(
    conn: &impl ConnectionTrait,
    organization_id: Uuid,
    people: &[Uuid],
) -> Result<Option<Uuid>> {
    use message::Column;
    if people.is_empty() {
        return Ok(None);
    }
    let there = queries::at_work(conn, organization_id, people).await?;
    if there.len() < 2 {
        return Ok(there.into_iter().next());
    }
    let open: Vec<(Uuid, i64)> = message::Entity::find()
        .select_only()
        .column(Column::AssignedTo)
        .column_as(Column::Id.count(), "n")
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Direction.eq(crate::model::Direction::Intake))
        .filter(Column::IsDraft.eq(false))
        .filter(Column::AssignedTo.is_in(there.iter().copied()))
        .filter(Column::Status.ne(Status::Processed))
        .filter(Column::DeletedAt.is_null())
        .group_by(Column::AssignedTo)
        .into_tuple()
        .all(conn)
        .await?;
    let open: HashMap<Uuid, i64> = open.into_iter().collect();
    Ok(there.into_iter().min_by_key(|id| (open.get(id).copied().unwrap_or_default(), *id)))
}

/// Records the rules applied to a stored message.
pub async fn record(app: &App, txn: &Transaction, of: &message::Model, applied: Vec<Applied>) -> Result<()> {
    let rows = applied.iter().map(|rule| intake_rule_match::ActiveModel {
        intake_rule_id: Set(rule.rule_id),
        message_id: Set(of.id),
        organization_id: Set(of.organization_id),
        at: Set(of.received_at),
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    intake_rule_match::Entity::insert_many(rows).exec_without_returning(txn).await?;
    for Applied { rule_id, what, files } in applied {
        if files && of.processed_at.is_none() {
            filing::enqueue(txn, of, rule_id, app.clock.now()).await?;
        }
        let act = Act::new(event::CHANGED, "message", of.id).detail(json!({ "rule": rule_id, "what": what }));
        audit::record(app, txn, &Actor::system(of.organization_id), act).await?;
    }
    Ok(())
}
