//! Choices are counted in the transaction that processes a message, once per message. They are kept when the message is
//! deleted, because it can be restored and opened again.

use super::evidence::features;
use crate::{
    files::{self, kind_of},
    model::Direction,
    sealed::{Summary, open_meta},
};
use platform::Result;
use sea_orm::{
    ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{
        filed_message,
        filing_evidence::{self, Aspect, Column, Entity},
        message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// The choices of one message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Lesson {
    features: BTreeSet<Vec<u8>>,
    document_type: Option<String>,
    assignee: Option<Uuid>,
}

impl Lesson {
    fn choices(&self) -> impl Iterator<Item = (Aspect, String)> {
        let named = self.document_type.clone().map(|name| (Aspect::DocumentType, name));
        named.into_iter().chain(self.assignee.map(|id| (Aspect::Assignee, id.to_string())))
    }
}

/// Counts the choices of a processed message, and removes them when it is reopened.
pub async fn follow(
    txn: &Transaction,
    key: &DataKey,
    old: &message::Model,
    new: &message::Model,
    summary: &Summary,
) -> Result<()> {
    let teaches = |row: &message::Model| row.direction == Direction::Intake && row.processed_at.is_some();
    match (teaches(old), teaches(new)) {
        (false, true) => learn(txn, key, new, summary).await,
        (true, false) => unlearn(txn, key, new.id).await,
        _ => Ok(()),
    }
}

async fn learn(txn: &Transaction, key: &DataKey, row: &message::Model, summary: &Summary) -> Result<()> {
    let lesson = Lesson {
        features: features(key, row, summary).into_iter().map(|feature| feature.token).collect(),
        document_type: chosen_type(txn, key, row).await?,
        assignee: row.assigned_to,
    };
    if lesson.features.is_empty() || lesson.choices().next().is_none() {
        return Ok(());
    }
    let kept = filed_message::Model {
        message_id: row.id,
        organization_id: row.organization_id,
        sealed_lesson: key.seal_json(&context(row.id), &lesson)?,
    };
    txn.later(filed_message::Entity::insert(kept.into_active_model())).await?;
    let rows = rows(key, row.organization_id, &lesson);
    let once_more =
        OnConflict::columns([Column::OrganizationId, Column::Feature, Column::Aspect, Column::Choice])
            .value(Column::Times, Expr::col((Entity, Column::Times)).add(1))
            .to_owned();
    txn.later(
        Entity::insert_many(rows.into_iter().map(|row| row.into_active_model())).on_conflict(once_more),
    )
    .await?;
    Ok(())
}

async fn unlearn(txn: &Transaction, key: &DataKey, message_id: Uuid) -> Result<()> {
    let Some(kept) = filed_message::Entity::find_by_id(message_id).one(txn).await? else { return Ok(()) };
    let lesson: Lesson = key.open_json(&context(message_id), &kept.sealed_lesson)?;
    filed_message::Entity::delete_by_id(message_id).exec(txn).await?;
    let features: Vec<Vec<u8>> = lesson.features.iter().cloned().collect();
    for row in rows(key, kept.organization_id, &lesson) {
        Entity::update_many()
            .col_expr(Column::Times, Expr::col(Column::Times).sub(1))
            .filter(Column::OrganizationId.eq(row.organization_id))
            .filter(Column::Feature.eq(row.feature))
            .filter(Column::Aspect.eq(row.aspect))
            .filter(Column::Choice.eq(row.choice))
            .exec(txn)
            .await?;
    }
    Entity::delete_many()
        .filter(Column::OrganizationId.eq(kept.organization_id))
        .filter(Column::Feature.is_in(features))
        .filter(Column::Times.lte(0))
        .exec(txn)
        .await?;
    Ok(())
}

/// A lesson as rows to count, in key order, so that two nodes cannot deadlock.
fn rows(key: &DataKey, organization_id: Uuid, lesson: &Lesson) -> Vec<filing_evidence::Model> {
    let choices: Vec<_> = lesson.choices().collect();
    let row = |feature: &Vec<u8>, (aspect, choice): &(Aspect, String)| filing_evidence::Model {
        organization_id,
        feature: feature.clone(),
        aspect: *aspect,
        choice: key.token("filing choice", choice),
        sealed_choice: key.seal(&choice_context(organization_id), choice.as_bytes()),
        times: 1,
    };
    lesson
        .features
        .iter()
        .flat_map(|feature| choices.iter().map(move |choice| row(feature, choice)))
        .collect()
}

/// The chosen type: that of the first document that does not contain its own.
async fn chosen_type(txn: &Transaction, key: &DataKey, row: &message::Model) -> Result<Option<String>> {
    for file in files::of_message(txn, row).await?.iter().filter(|file| !kind_of(file).structured()) {
        let chosen = open_meta(key, file)?.document_type;
        if let Some(name) = chosen.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn context(message_id: Uuid) -> String {
    format!("filed_message.lesson:{message_id}")
}

pub fn choice_context(organization_id: Uuid) -> String {
    format!("filing_evidence.choice:{organization_id}")
}
